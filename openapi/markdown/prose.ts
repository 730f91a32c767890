// Apart from the pages, because all of them need it: texts of the declarations as Markdown that no reader takes for markup.

/** Code between backticks stays as it is. */
export const escapeProse = (text: string): string =>
  text
    .split('`')
    .map((part, index) =>
      index % 2 ? part : part.replace(/[<>{}[\]*_|]/g, (char) => `&#${char.charCodeAt(0)};`),
    )
    .join('`')

/** A table's cell is one line, and a bar ends it, in code too. */
export const writeCell = (text: string): string => text.replaceAll('|', '\\|').replace(/\s*\n\s*/g, ' ')

export const writeJson = (value: unknown): string => writeCode('json', JSON.stringify(value, null, 2))

/** `label` is the name of its tab in a group. */
export const writeCode = (language: string, code: string, label?: string): string =>
  `\`\`\`${language}${label ? ` [${label}]` : ''}\n${code.trimEnd()}\n\`\`\``

/** Folded until its title is chosen. */
export const writeDetails = (title: string, inner: string): string => `::: details ${title}\n${inner}\n:::`
