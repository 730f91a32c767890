// Messages that did not decrypt, until their sender has repaired them or the time for that is over.

import { and, asc, eq, inArray, lte, min } from 'drizzle-orm'
import type { UndecryptablePayload } from '../../shared/contract/change-envelopes.ts'
import { unreadable } from '../../shared/db/host-tables.ts'
import type { Statement } from '../../shared/db/statements.ts'
import type { Store } from './store.ts'

export const holdBack = (store: Store, row: typeof unreadable.$inferSelect): Statement =>
  store.db.insert(unreadable).values(row).onConflictDoNothing()

export const letGo = (store: Store, instance: string, messageids: string[]): Statement =>
  store.db
    .delete(unreadable)
    .where(and(eq(unreadable.instance, instance), inArray(unreadable.messageid, messageids)))

export async function dueUnreadable(
  store: Store,
  instance: string,
  now: number,
): Promise<{ messageid: string; payload: UndecryptablePayload }[]> {
  return store.db
    .select({ messageid: unreadable.messageid, payload: unreadable.payload })
    .from(unreadable)
    .where(and(eq(unreadable.instance, instance), lte(unreadable.dueAt, now)))
    .orderBy(asc(unreadable.dueAt))
}

/** When the next of them is due. */
export async function nextUnreadable(store: Store, instance: string): Promise<number | undefined> {
  const [row] = await store.db
    .select({ at: min(unreadable.dueAt) })
    .from(unreadable)
    .where(eq(unreadable.instance, instance))
  return row?.at ?? undefined
}
