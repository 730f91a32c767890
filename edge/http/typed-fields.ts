// Reads fields by the types that their names have in a dialect, in whatever object they are: one of another type is refused, and not passed over.

import { type Fields, isObject } from './read-fields.ts'

/** `strings` and `objects` are lists of them. `any` may be anything, and has typed fields if it is an object. */
type TypeName = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'strings' | 'objects' | 'any'

/** The error for the field at this path, which is not of this type. */
type CreateWrong = (path: string, type: string) => Error

const NUMBER = /^-?\d+(\.\d+)?$/

const readNumber = (value: unknown): unknown =>
  typeof value === 'string' && NUMBER.test(value) ? Number(value) : value

/** Undefined for a value of another type. Some programs write numbers and truth as texts, and texts of digits as numbers. */
const plain: Record<string, (value: unknown) => unknown> = {
  string: (value) => (['string', 'number'].includes(typeof value) ? String(value) : undefined),
  integer: (value) => (Number.isInteger(readNumber(value)) ? readNumber(value) : undefined),
  number: (value) => (Number.isFinite(readNumber(value)) ? readNumber(value) : undefined),
  boolean: (value) => [true, false].find((one) => value === one || value === String(one)),
}

/** `names`: of fields, by their type, with blanks between them. An empty text and null say nothing, and stay. */
export function createTypedReader(
  names: Partial<Record<TypeName, string>>,
  createWrong: CreateWrong,
): (fields: Fields) => Fields {
  const types = new Map(
    Object.entries(names).flatMap(([type, words]) => words.split(/\s+/).map((name) => [name, type] as const)),
  )
  return (fields) => readFields(fields, '')

  function readFields(fields: Fields, before: string): Fields {
    const entries = Object.entries(fields).map(([name, value]) => {
      const type = types.get(name)
      const isRead = type !== undefined && value !== '' && value !== null && value !== undefined
      return [name, isRead ? readValue(value, type, before + name) : value] as const
    })
    return Object.fromEntries(entries)
  }

  function readValue(value: unknown, type: string, path: string): unknown {
    if (type === 'object' || type === 'any') {
      if (isObject(value)) return readFields(value, `${path}.`)
      if (type === 'any') return value
    }
    if (type === 'strings' || type === 'objects') {
      if (!Array.isArray(value)) throw createWrong(path, 'array')
      return value.map((item, place) => readValue(item, type.slice(0, -1), `${path}[${place}]`))
    }
    const read = plain[type]?.(value)
    if (read === undefined) throw createWrong(path, type)
    return read
  }
}
