// A template for HTML: inserted values are escaped, unless they are HTML already.

export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = Html | string | number | false | undefined | Part[]

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[char] ?? '&quot;')

const written = (part: Part): string => {
  if (part instanceof Html) return part.text
  if (Array.isArray(part)) return part.map(written).join('')
  return part === false || part === undefined ? '' : escaped(String(part))
}

export const html = (strings: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(strings.map((string, index) => string + written(parts[index])).join(''))

/** Prose of the document: paragraphs, and code between backticks. */
export const prose = (text: string | undefined): Html =>
  html`${(text ?? '')
    .split('\n\n')
    .filter(Boolean)
    .map((paragraph) => html`<p>${inline(paragraph)}</p>`)}`

export const inline = (text: string): Html =>
  html`${text.split('`').map((part, index) => (index % 2 ? html`<code>${part}</code>` : part))}`
