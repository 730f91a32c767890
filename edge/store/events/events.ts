// Queries for the stored events of an instance, for callers.

import { and, asc, desc, eq, getTableColumns, gt, sql } from 'drizzle-orm'
import { events } from '../../../shared/db/edge-tables.ts'
import type { Store } from '../database/database.ts'
import { fitting } from '../database/fitting.ts'

export type EventRow = typeof events.$inferSelect
export type FailedRow = Omit<EventRow, 'payload'>

export interface Page {
  limit: number
  status?: EventRow['status'] | undefined
  /** Lists the events after this one, oldest first; without it the newest come first. */
  afterSeq?: number | undefined
}

/** Returns fewer than the limit if they are large. */
export function listEvents(store: Store, instanceId: string, page: Page): Promise<EventRow[]> {
  const { status, afterSeq } = page
  const wanted = and(
    eq(events.instanceId, instanceId),
    status && eq(events.status, status),
    afterSeq === undefined ? undefined : gt(events.seq, afterSeq),
  )
  const order = afterSeq === undefined ? desc(events.seq) : asc(events.seq)
  return fitting(page.limit, (limit) =>
    store.db.select().from(events).where(wanted).orderBy(order).limit(limit),
  )
}

/** Events whose last attempt failed, newest first. */
export function listFailures(store: Store, instanceId: string, limit: number): Promise<FailedRow[]> {
  const { payload, ...columns } = getTableColumns(events)
  const failed = and(eq(events.instanceId, instanceId), sql`${events.lastError} is not null`)
  return store.db.select(columns).from(events).where(failed).orderBy(desc(events.seq)).limit(limit)
}

export async function purgeEvents(store: Store, olderThan: number, atMost: number): Promise<number> {
  const some = sql`id in (select id from ${events} where ${events.createdAt} < ${olderThan} limit ${atMost})`
  const { rowsAffected } = await store.db.delete(events).where(some)
  return rowsAffected
}
