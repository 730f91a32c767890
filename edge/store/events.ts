// The kept events of an instance, as callers inspect them.

import { and, asc, desc, eq, gt, sql } from 'drizzle-orm'
import { events } from '../../shared/db/edge-tables.ts'
import type { Store } from './database.ts'

export type EventRow = typeof events.$inferSelect
export const eventStatuses = ['pending', 'delivered', 'dead'] as const

export interface Page {
  limit: number
  status?: EventRow['status'] | undefined
  /** Lists oldest first what came after it; without it newest first. */
  afterSeq?: number | undefined
}

export function listEvents(store: Store, instanceId: string, page: Page): Promise<EventRow[]> {
  const { limit, status, afterSeq } = page
  return store.db
    .select()
    .from(events)
    .where(
      and(
        eq(events.instanceId, instanceId),
        status && eq(events.status, status),
        afterSeq === undefined ? undefined : gt(events.seq, afterSeq),
      ),
    )
    .orderBy(afterSeq === undefined ? desc(events.seq) : asc(events.seq))
    .limit(limit)
}

/** Events whose last attempt failed, newest first. */
export function listFailures(store: Store, instanceId: string, limit: number): Promise<EventRow[]> {
  const failed = and(eq(events.instanceId, instanceId), sql`${events.lastError} is not null`)
  return store.db.select().from(events).where(failed).orderBy(desc(events.seq)).limit(limit)
}

export async function purgeEvents(store: Store, olderThan: number, atMost: number): Promise<number> {
  const some = sql`id in (select id from ${events} where ${events.createdAt} < ${olderThan} limit ${atMost})`
  const { rowsAffected } = await store.db.delete(events).where(some)
  return rowsAffected
}
