// Deletes tokens that were stored for a dialect whose callers read them from the list.

import { instanceTokens } from '@msgnet/shared/db/sealed-tables.ts'
import { sql } from 'drizzle-orm'
import type { DialectStore } from './dialect.ts'

/** Returns how many were deleted. */
export async function deleteTokens(store: DialectStore, maxRows: number): Promise<number> {
  const some = sql`rowid in (select rowid from ${instanceTokens} limit ${maxRows})`
  const { rowsAffected } = await store.db.delete(instanceTokens).where(some)
  return rowsAffected
}
