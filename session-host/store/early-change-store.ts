// The changes that arrived before the message that they change.

import { earlyChanges } from '@msgnet/shared/db/host-tables.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { and, asc, eq, sql } from 'drizzle-orm'
import type { Store } from './host-store.ts'

export type EarlyChange = typeof earlyChanges.$inferSelect

export const storeEarlyChange = (store: Store, change: EarlyChange): Statement =>
  store.db.insert(earlyChanges).values(change).onConflictDoNothing()

export const deleteEarlyChange = (store: Store, instance: string, messageid: string): Statement =>
  store.db
    .delete(earlyChanges)
    .where(and(eq(earlyChanges.instance, instance), eq(earlyChanges.messageid, messageid)))

/** The oldest first. */
export const listEarlyChanges = async (store: Store, instance: string): Promise<EarlyChange[]> =>
  store.db.select().from(earlyChanges).where(eq(earlyChanges.instance, instance)).orderBy(asc(sql`rowid`))
