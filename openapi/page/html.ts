// A template for HTML: inserted values are escaped, unless they are HTML already.

export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = Html | string | number | false | undefined | Part[]

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const escapeText = (text: string): string => text.replace(/[&<>]/g, (char) => escapes[char] ?? char)
const escapeAttribute = (text: string): string => text.replace(/[&<>"]/g, (char) => escapes[char] ?? char)

/** Of a part of a page that may be a part of a tag. */
const ENDS_IN_ATTRIBUTE = /(?:<[^<>]*|="[^"]*)$/

const writePart = (part: Part, escapePart: (text: string) => string): string => {
  if (part instanceof Html) return part.text
  if (Array.isArray(part)) return part.map((each) => writePart(each, escapePart)).join('')
  return part === false || part === undefined ? '' : escapePart(String(part))
}

/** A quote is escaped in attributes only: samples are full of them. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  let before = ''
  const written = strings.map((string, index) => {
    before += string
    return string + writePart(parts[index], ENDS_IN_ATTRIBUTE.test(before) ? escapeAttribute : escapeText)
  })
  return new Html(written.join(''))
}

/** Prose of the document: paragraphs, and code between backticks. */
export const renderProse = (text: string | undefined): Html =>
  html`${(text ?? '')
    .split('\n\n')
    .filter(Boolean)
    .map((paragraph) => html`<p>${renderInline(paragraph)}</p>`)}`

export const renderInline = (text: string): Html =>
  html`${text.split('`').map((part, index) => (index % 2 ? html`<code>${part}</code>` : part))}`

/** The first sentence is shown, what follows is folded: a reader finds what a route does before its rules. */
export function renderSummarized(text: string | undefined, more: string): Html {
  const whole = text ?? ''
  const end = /[.:!?] (?=[A-Z`])/.exec(whole)?.index ?? whole.length - 1
  const [first, rest] = [whole.slice(0, end + 1), whole.slice(end + 2)]
  if (!first) return html``
  return html`<p>${renderInline(first)}</p>${rest && html`<details class="rules"><summary>${more}</summary>${renderProse(rest)}</details>`}`
}
