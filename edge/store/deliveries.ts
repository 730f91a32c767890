// The delivery queue: which events of an instance are due, and what became of their attempts.

import { and, asc, eq, gte, lt, sql } from 'drizzle-orm'
import { events, instances, type LastFailure, subscriptions } from '../../shared/db/edge-tables.ts'
import { FAILURES_THAT_BLOCK } from '../delivery/schedule.ts'
import type { Statement, Store } from './database.ts'
import type { EventRow } from './events.ts'
import type { SubscriptionRow } from './subscriptions.ts'

export interface Destined {
  instanceName: string
  subscription: SubscriptionRow
}

/** Undefined when nothing may be sent now: deleted, off, nothing to inherit, paused, or sent away by a 410. */
export async function activeDestination(store: Store, instanceId: string): Promise<Destined | undefined> {
  const rows = await store.db
    .select({ instanceName: instances.name, subscription: subscriptions })
    .from(subscriptions)
    .innerJoin(instances, eq(instances.id, subscriptions.instanceId))
    .where(eq(subscriptions.instanceId, instanceId))
  const found = rows[0]
  const { mode, enabled, gone } = found?.subscription ?? {}
  return mode !== 'off' && enabled && !gone ? found : undefined
}

/** `orderly`: one after another by seq, each waiting for the one before. `overdue`: what the others may overtake. */
export type Lane = 'orderly' | 'overdue'

const pendingOf = (instanceId: string) => and(eq(events.instanceId, instanceId), eq(events.status, 'pending'))

/** The next events of a lane in their order, due or not. */
export function nextInLane(store: Store, instanceId: string, lane: Lane, limit: number): Promise<EventRow[]> {
  const orderly = lane === 'orderly'
  const { attempts, seq, nextAttemptAt } = events
  return store.db
    .select()
    .from(events)
    .where(
      and(
        pendingOf(instanceId),
        orderly ? lt(attempts, FAILURES_THAT_BLOCK) : gte(attempts, FAILURES_THAT_BLOCK),
      ),
    )
    .orderBy(orderly ? asc(seq) : asc(nextAttemptAt))
    .limit(limit)
}

/** What an attempt changes in the event's row. An event that was settled meanwhile stays as it is. */
export const recordAttempt = (store: Store, id: string, change: Partial<EventRow>): Statement =>
  store.db
    .update(events)
    .set(change)
    .where(and(eq(events.id, id), eq(events.status, 'pending')))

/** Health belongs to the destination that was tried, not to one saved meanwhile. */
const tried = (subscription: SubscriptionRow) =>
  and(eq(subscriptions.instanceId, subscription.instanceId), eq(subscriptions.url, subscription.url))

export const recordDelivered = (store: Store, subscription: SubscriptionRow, at: number): Statement =>
  store.db.update(subscriptions).set({ lastDeliveredAt: at }).where(tried(subscription))

export const recordFailure = (
  store: Store,
  subscription: SubscriptionRow,
  lastFailure: LastFailure,
  gone: boolean,
): Statement =>
  store.db
    .update(subscriptions)
    .set({ lastFailure, ...(gone && { gone }) })
    .where(tried(subscription))

/** Instances with something due by then that may be sent, in the order of their ids. */
export async function instancesDue(
  store: Store,
  by: number,
  afterId: string,
  limit: number,
): Promise<string[]> {
  const { instanceId, mode, enabled, gone } = subscriptions
  const due = sql`exists (select 1 from ${events} where ${events.instanceId} = ${instanceId}
    and ${events.status} = 'pending' and ${events.nextAttemptAt} <= ${by})`
  const rows = await store.db
    .select({ instanceId })
    .from(subscriptions)
    .where(sql`${instanceId} > ${afterId} and ${mode} <> 'off' and ${enabled} and not ${gone} and ${due}`)
    .orderBy(asc(instanceId))
    .limit(limit)
  return rows.map((row) => row.instanceId)
}
