// Turns rows of the database into objects of a prepared query. It finds the decoder of each column once, where drizzle does it for every cell.

import type { ResultSet } from '@libsql/client/web'
import { Column, is, SQL, Subquery } from 'drizzle-orm'

/** The part of drizzle's prepared query that is used here. */
export interface Mapped {
  mapResult(result: unknown, fromBatch: true): unknown
}

interface Selected {
  path: string[]
  field: unknown
}

interface Insides {
  fields?: Selected[]
  customResultMapper?: unknown
  /** For a query with joins: whether the row of each table always exists. */
  joinsNotNullableMap?: Record<string, boolean>
}

interface Decoder {
  mapFromDriverValue(value: unknown): unknown
}

interface Cell {
  /** The name of the nested object, if it is in one. */
  inner: string | undefined
  name: string
  decoder: Decoder
}

/** The mapper returns the same as the query's own `mapResult`. */
export function rowMapper(query: Mapped): (result: ResultSet) => unknown {
  const cells = cellsOf(query as Insides)
  return (result) => (cells ? result.rows.map((row) => objectOf(cells, row)) : query.mapResult(result, true))
}

/** Undefined if drizzle must do more than read cell by cell. */
function cellsOf({ fields, customResultMapper, joinsNotNullableMap }: Insides): Cell[] | undefined {
  if (!fields || customResultMapper || fields.some(({ path }) => path.length > 2)) return undefined
  // If all columns of an object are null, the joined row may not exist.
  const mayLack = Object.values(joinsNotNullableMap ?? {}).includes(false)
  if (mayLack && fields.some(({ path }) => path.length === 2)) return undefined
  return fields.map(({ path, field }) => ({
    inner: path.length === 2 ? path[0] : undefined,
    name: path.at(-1) ?? '',
    decoder: decoderOf(field),
  }))
}

function decoderOf(field: unknown): Decoder {
  if (is(field, Column)) return field
  const sql = is(field, SQL) ? field : is(field, Subquery) ? field._.sql : (field as { sql: SQL }).sql
  return (sql as unknown as { decoder: Decoder }).decoder
}

function objectOf(cells: Cell[], row: ArrayLike<unknown>): Record<string, unknown> {
  const made: Record<string, unknown> = {}
  for (let at = 0; at < cells.length; at++) {
    const { inner, name, decoder } = cells[at] as Cell
    const value = row[at]
    const object = inner === undefined ? made : innerOf(made, inner)
    object[name] = value === null ? null : decoder.mapFromDriverValue(plainBytes(value))
  }
  return made
}

const innerOf = (made: Record<string, unknown>, name: string): Record<string, unknown> => {
  made[name] ??= {}
  return made[name] as Record<string, unknown>
}

const plainBytes = (value: unknown): unknown => (value instanceof ArrayBuffer ? Buffer.from(value) : value)
