// The reports of messages that cannot be read, stored until a later message makes them readable or the time for that is over.

import { undecryptable } from '@msgnet/shared/db/host-tables.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { and, asc, eq, inArray, lte, min } from 'drizzle-orm'
import type { Store } from './host-store.ts'

export const storeUndecryptable = (store: Store, row: typeof undecryptable.$inferSelect): Statement =>
  store.db.insert(undecryptable).values(row).onConflictDoNothing()

export const deleteUndecryptable = (store: Store, instance: string, messageids: string[]): Statement =>
  store.db
    .delete(undecryptable)
    .where(and(eq(undecryptable.instance, instance), inArray(undecryptable.messageid, messageids)))

export async function listDueUndecryptable(
  store: Store,
  instance: string,
  now: number,
  max: number,
): Promise<Pick<typeof undecryptable.$inferSelect, 'messageid' | 'type' | 'payload'>[]> {
  return store.db
    .select({ messageid: undecryptable.messageid, type: undecryptable.type, payload: undecryptable.payload })
    .from(undecryptable)
    .where(and(eq(undecryptable.instance, instance), lte(undecryptable.dueAt, now)))
    .orderBy(asc(undecryptable.dueAt))
    .limit(max)
}

/** The time when the next of them is due. */
export async function findNextDue(store: Store, instance: string): Promise<number | undefined> {
  const [row] = await store.db
    .select({ at: min(undecryptable.dueAt) })
    .from(undecryptable)
    .where(eq(undecryptable.instance, instance))
  return row?.at ?? undefined
}
