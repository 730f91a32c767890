// Reads fields of bodies whose form a dialect has not checked.

export type Fields = Record<string, unknown>

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An empty object if it is none. */
export const readObject = (value: unknown): Fields => (isObject(value) ? value : {})

/** Those of a list; none if it is not one. */
export const listObjects = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isObject) : [])

/** Empty if it is none. Numbers count, because some programs send them so. */
export const readText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

/** The first of these fields that is there. */
export const readFirst = (fields: Fields, ...names: string[]): unknown =>
  names.map((name) => fields[name]).find((value) => value !== undefined && value !== null)

/** Without fields that say nothing. */
export const dropEmpty = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''))
