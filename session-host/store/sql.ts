// SQL without the query builder: statements as text, and rows by the names of their columns.

import type { InStatement, InValue, ResultSet } from '@libsql/client'

/** A statement in SQL. */
export const statement = (sql: string, ...args: InValue[]): InStatement => ({ sql, args })

/** Blobs are ArrayBuffers or Buffers. */
export type Row = Record<string, unknown>

export const nameColumns = ({ columns, rows }: ResultSet): Row[] =>
  rows.map((row) => Object.fromEntries(columns.map((column, at) => [column, row[at]])))
