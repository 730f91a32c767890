// JSON as a reader takes it in: what is short stands in one line, so that the page is shorter too.

/** Of a line with its indentation, in characters. */
const MAX_LINE = 72

export function formatJson(value: unknown, indent = ''): string {
  const line = JSON.stringify(value, null, 1).replace(/\n\s*/g, ' ')
  if (typeof value !== 'object' || value === null || indent.length + line.length <= MAX_LINE) return line
  const deeper = `${indent}  `
  const isList = Array.isArray(value)
  const parts = isList
    ? value.map((item) => deeper + formatJson(item, deeper))
    : Object.entries(value).flatMap(([name, item]) =>
        item === undefined ? [] : [`${deeper}${JSON.stringify(name)}: ${formatJson(item, deeper)}`],
      )
  const [open, close] = isList ? '[]' : '{}'
  return `${open}\n${parts.join(',\n')}\n${indent}${close}`
}
