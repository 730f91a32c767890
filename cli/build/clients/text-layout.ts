// Names and comments in the generated clients: the cases of names, and texts in lines of a width.

/** The words of a name of the API: `sendText`, `wa_lastMsgTimestamp` and `OwnerJID` alike. */
export const splitWords = (name: string): string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(/[^A-Za-z\d]+/)
    .filter(Boolean)

const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

export const toPascalCase = (name: string): string => splitWords(name).map(capitalize).join('')

export const toCamelCase = (name: string): string =>
  toPascalCase(name).replace(/^[A-Z]+(?=[A-Z][a-z]|\d|$)|^[A-Z]/, (start) => start.toLowerCase())

export const toSnakeCase = (name: string): string =>
  splitWords(name)
    .map((word) => word.toLowerCase())
    .join('_')

/** The lines of a text, each at most `width` long where its words allow it. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/).filter(Boolean)) {
    if (line && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line ? `${line} ${word}` : word
  }
  return line ? [...lines, line] : lines
}

export const endSentence = (text: string): string => (/[.!?:]$/.test(text) ? text : `${text}.`)
