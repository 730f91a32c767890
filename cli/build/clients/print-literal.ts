// Literals of TypeScript as the formatter of this code lays them out, for generated files.

const WIDTH = 110

/** In a list: the name of a constant whose entries follow. */
export class Spread {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** The name of a constant, in place of a value. */
export class Constant extends Spread {}

/** An object that stands on one line if it fits. */
export class Row {
  readonly entries: Record<string, unknown>
  constructor(entries: Record<string, unknown>) {
    this.entries = entries
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const printText = (text: string): string =>
  text.includes("'") && !text.includes('"')
    ? JSON.stringify(text)
    : `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

const printKey = (key: string): string => (/^[A-Za-z_]\w*$/.test(key) ? key : printText(key))

/** `used`: the columns that stand before and after it on its line. */
function printLiteral(value: unknown, indent: number, used: number): string {
  if (typeof value === 'string') return printText(value)
  if (value instanceof Constant) return value.name
  if (value instanceof Spread) return `...${value.name}`
  if (value instanceof Row) return printRow(value, indent, used)
  if (Array.isArray(value)) return printList(value, indent, used)
  if (isObject(value)) return printObject(value, indent)
  return String(value)
}

function printList(list: unknown[], indent: number, used: number): string {
  const flat = `[${list.map((entry) => printLiteral(entry, indent, 0)).join(', ')}]`
  if (list.length === 0 || (!list.some((entry) => isObject(entry)) && used + flat.length <= WIDTH))
    return flat
  const pad = ' '.repeat(indent + 2)
  const lines = list.map((entry) => `${pad}${printLiteral(entry, indent + 2, indent + 3)},`)
  return `[\n${lines.join('\n')}\n${' '.repeat(indent)}]`
}

function printRow({ entries }: Row, indent: number, used: number): string {
  const cells = Object.entries(entries).map(
    ([key, value]) => `${printKey(key)}: ${printLiteral(value, 0, 0)}`,
  )
  const flat = cells.length === 0 ? '{}' : `{ ${cells.join(', ')} }`
  return used + flat.length <= WIDTH ? flat : printObject(entries, indent)
}

function printObject(object: Record<string, unknown>, indent: number): string {
  const entries = Object.entries(object)
  if (entries.length === 0) return '{}'
  const pad = ' '.repeat(indent + 2)
  const lines = entries.map(([key, value]) => {
    const before = `${pad}${printKey(key)}: `
    const printed = printLiteral(value, indent + 2, before.length + 1)
    // A text that is too long for its line begins on the next one.
    const isLong = typeof value === 'string' && before.length + printed.length + 1 > WIDTH
    return isLong ? `${before.trimEnd()}\n${pad}  ${printed},` : `${before}${printed},`
  })
  return `{\n${lines.join('\n')}\n${' '.repeat(indent)}}`
}

/** An exported constant; `head` has its name and its type. */
export const printConstant = (head: string, value: unknown): string =>
  `export const ${head} = ${printLiteral(value, 0, `export const ${head} = `.length)}`
