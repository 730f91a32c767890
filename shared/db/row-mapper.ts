// Turns rows of the database into objects of a prepared query. It finds the decoder of each column once, where drizzle does it for every cell.

import type { ResultSet } from '@libsql/client/web'
import { Column, is, SQL, Subquery } from 'drizzle-orm'

/** The part of drizzle's prepared query that is used here. */
export interface MappedQuery {
  mapResult(result: unknown, fromBatch: true): unknown
}

interface SelectedField {
  path: string[]
  field: unknown
}

interface QueryInternals {
  fields?: SelectedField[]
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
export function createRowMapper(query: MappedQuery): (result: ResultSet) => unknown {
  const cells = listCells(query as QueryInternals)
  return (result) => (cells ? result.rows.map((row) => mapRow(cells, row)) : query.mapResult(result, true))
}

/** Undefined if drizzle must do more than read cell by cell. */
function listCells({ fields, customResultMapper, joinsNotNullableMap }: QueryInternals): Cell[] | undefined {
  if (!fields || customResultMapper || fields.some(({ path }) => path.length > 2)) return undefined
  // If all columns of an object are null, the joined row may not exist.
  const mayBeNull = Object.values(joinsNotNullableMap ?? {}).includes(false)
  if (mayBeNull && fields.some(({ path }) => path.length === 2)) return undefined
  return fields.map(({ path, field }) => ({
    inner: path.length === 2 ? path[0] : undefined,
    name: path.at(-1) ?? '',
    decoder: findDecoder(field),
  }))
}

function findDecoder(field: unknown): Decoder {
  if (is(field, Column)) return field
  const sql = is(field, SQL) ? field : is(field, Subquery) ? field._.sql : (field as { sql: SQL }).sql
  return (sql as unknown as { decoder: Decoder }).decoder
}

function mapRow(cells: Cell[], row: ArrayLike<unknown>): Record<string, unknown> {
  const mapped: Record<string, unknown> = {}
  for (let at = 0; at < cells.length; at++) {
    const { inner, name, decoder } = cells[at] as Cell
    const value = row[at]
    const object = inner === undefined ? mapped : getInnerObject(mapped, inner)
    object[name] = value === null ? null : decoder.mapFromDriverValue(toBytes(value))
  }
  return mapped
}

const getInnerObject = (object: Record<string, unknown>, name: string): Record<string, unknown> => {
  object[name] ??= {}
  return object[name] as Record<string, unknown>
}

const toBytes = (value: unknown): unknown => (value instanceof ArrayBuffer ? Buffer.from(value) : value)
