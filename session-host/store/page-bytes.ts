// Pages of rows are bounded in bytes: the sizes are read first, then only as many rows as a page can hold.

import { MAX_RESULT_CHARACTERS } from '@msgnet/shared/wire/session-actions.ts'
import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

/** A UTF-16 unit takes at most three bytes, so rows of more bytes have more characters than a page. */
const PAGE_BYTES = 3 * MAX_RESULT_CHARACTERS

/** Read without reading the text itself. */
export const readByteLength = (column: SQLiteColumn): SQL<number> => sql<number>`octet_length(${column})`

/**
 * How many of these rows are read: all, or so many that their last is more than a page holds. At least two, because a page has
 * at least one, and the caller sees by another that there is more.
 */
export function countPageRows(rows: { size: number }[], pageBytes = PAGE_BYTES): number {
  let bytes = 0
  const end = rows.findIndex(({ size }, place) => {
    const isOver = place > 1 && bytes > pageBytes
    bytes += size
    return isOver
  })
  return end === -1 ? rows.length : end
}
