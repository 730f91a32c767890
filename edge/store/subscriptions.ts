// Subscriptions in the database: where an instance's events go, and how that destination fares.

import { and, eq, sql } from 'drizzle-orm'
import { events, subscriptions } from '../../shared/db/edge-tables.ts'
import type { Statement, Store } from './database.ts'

export type SubscriptionRow = typeof subscriptions.$inferSelect

/** What deliveryStatus counts beside the row itself. */
export interface Backlog {
  pending: number
  dead: number
  /** When the oldest waiting event is tried again, if it failed before; else 0. */
  retryAt: number
}

const since = sql`${events.instanceId} = ${subscriptions.instanceId} and ${events.seq} > ${subscriptions.startsAfterSeq}`
const count = (status: string) =>
  sql<number>`(select count(*) from ${events} where ${since} and ${events.status} = ${status})`
const retryAt = sql<number>`coalesce((select case when ${events.attempts} > 0 then ${events.nextAttemptAt} end
  from ${events} where ${since} and ${events.status} = 'pending' order by ${events.seq} limit 1), 0)`

/** Undefined for an instance that made no choice of its own: it inherits. */
export async function subscriptionOf(
  store: Store,
  instanceId: string,
): Promise<(SubscriptionRow & Backlog) | undefined> {
  const rows = await store.db
    .select({ row: subscriptions, pending: count('pending'), dead: count('dead'), retryAt })
    .from(subscriptions)
    .where(eq(subscriptions.instanceId, instanceId))
  const found = rows[0]
  return found && { ...found.row, pending: found.pending, dead: found.dead, retryAt: found.retryAt }
}

export type Destination = Pick<
  SubscriptionRow,
  'instanceId' | 'url' | 'events' | 'ignoredEvents' | 'excludeMessages' | 'enabled'
> &
  Pick<SubscriptionRow, 'secret' | 'previousSecret' | 'previousSecretUntil'>

/** Saves an own destination. The same URL goes on where it was; another starts behind the events that exist. */
export async function saveDestination(store: Store, destination: Destination): Promise<void> {
  const now = Date.now()
  const same = sql`(${subscriptions.mode} = 'own' and ${subscriptions.url} = excluded.url)`
  const keptIfSame = (column: 'starts_after_seq' | 'last_delivered_at' | 'last_failure') =>
    sql`case when ${same} then ${sql.identifier(column)} else excluded.${sql.identifier(column)} end`
  const fresh = { mode: 'own', gone: false, updatedAt: now } as const
  const { instanceId, ...chosen } = destination
  const save = store.db
    .insert(subscriptions)
    .values({
      ...{ instanceId, ...chosen, ...fresh },
      id: crypto.randomUUID(),
      startsAfterSeq: lastSeqOf(instanceId),
      createdAt: now,
    })
    .onConflictDoUpdate({
      target: subscriptions.instanceId,
      set: {
        ...{ ...chosen, ...fresh },
        startsAfterSeq: keptIfSame('starts_after_seq'),
        lastDeliveredAt: keptIfSame('last_delivered_at'),
        lastFailure: keptIfSame('last_failure'),
      },
    })
  await store.write([save, buryStranded(store, instanceId)])
}

/** Delivery is off for the instance, whatever the server's global webhook says. */
export async function turnOff(store: Store, instanceId: string): Promise<void> {
  const now = Date.now()
  const off: Omit<typeof subscriptions.$inferInsert, 'id' | 'instanceId' | 'createdAt'> = {
    ...{ mode: 'off', url: '', events: [], ignoredEvents: [], excludeMessages: null, enabled: false },
    ...{ secret: null, previousSecret: null, previousSecretUntil: 0, gone: false, updatedAt: now },
    ...{ lastDeliveredAt: 0, lastFailure: null },
  }
  const startsAfterSeq = lastSeqOf(instanceId)
  const save = store.db
    .insert(subscriptions)
    .values({ ...off, startsAfterSeq, instanceId, id: crypto.randomUUID(), createdAt: now })
    .onConflictDoUpdate({
      target: subscriptions.instanceId,
      set: { ...off, startsAfterSeq },
    })
  await store.write([save, buryStranded(store, instanceId)])
}

/** Back to the server's global webhook. What waited for the own destination is dead before the row goes. */
export async function inherit(store: Store, instanceId: string): Promise<void> {
  const leave = store.db
    .update(subscriptions)
    .set({ startsAfterSeq: lastSeqOf(instanceId) })
    .where(eq(subscriptions.instanceId, instanceId))
  const remove = store.db.delete(subscriptions).where(eq(subscriptions.instanceId, instanceId))
  await store.write([leave, buryStranded(store, instanceId), remove])
}

const lastSeqOf = (instanceId: string) =>
  sql<number>`coalesce((select last_seq from instances where id = ${instanceId}), 0)`

/** What still waits for a destination that is no longer the instance's. */
function buryStranded(store: Store, instanceId: string): Statement {
  const start = sql`(select starts_after_seq from subscriptions where instance_id = ${instanceId})`
  const dead = { status: 'dead', deadAt: Date.now(), nextAttemptAt: null } as const
  return store.db
    .update(events)
    .set({ ...dead, lastError: 'destination_changed' })
    .where(
      and(eq(events.instanceId, instanceId), eq(events.status, 'pending'), sql`${events.seq} <= ${start}`),
    )
}
