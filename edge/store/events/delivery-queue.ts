// Queries for the delivery queue: the due events of an instance, and the results of their attempts.

import { events, instances, type LastFailure, subscriptions } from '@msgnet/shared/db/edge-tables.ts'
import { prepareQuery, type Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { FAILURES_THAT_BLOCK } from '@msgnet/shared/delivery-schedule.ts'
import { and, asc, eq, type SQL, sql } from 'drizzle-orm'
import type { DeliveryLedger, DeliveryTarget, DueEvent } from '../../objects/due-events.ts'
import { readFittingPage } from '../database/fitting-page.ts'
import type { Store } from '../database/open-store.ts'
import type { SubscriptionRow } from '../subscription-queries.ts'
import { archiveLastAttempt } from './attempt-queries.ts'

const value = sql.placeholder

const destinationOf = prepareQuery((db) =>
  db
    .select({ instanceName: instances.name, subscription: subscriptions })
    .from(subscriptions)
    .innerJoin(instances, eq(instances.id, subscriptions.instanceId))
    .where(eq(subscriptions.instanceId, value('instanceId'))),
)

/** Undefined if nothing may be sent now: deleted, off, nothing to inherit, paused, or stopped by a 410. */
export async function findActiveTarget(
  store: Store,
  instanceId: string,
): Promise<DeliveryTarget | undefined> {
  const [found] = await store.read(destinationOf, { instanceId })
  return found && isActive(found) ? found : undefined
}

export const isActive = ({ subscription: { mode, enabled, gone } }: DeliveryTarget): boolean =>
  mode !== 'off' && enabled && !gone

/** `ordered`: by seq, each event waits for the one before. `retries`: failed events that others may overtake. */
export type Queue = 'ordered' | 'retries'

const { attempts, instanceId, nextAttemptAt, seq, status } = events
const { id, type, owner, at, payload, lastAttemptAt, requestId, traceparent } = events
const content = { id, instanceId, seq, type, owner, at, payload, requestId, traceparent }
const due = { ...content, attempts, lastAttemptAt, nextAttemptAt }
// Written out as in the partial indexes: with a parameter the database would plan the statement again for each value.
const isPending = sql`${status} = 'pending'`
const failures = sql.raw(String(FAILURES_THAT_BLOCK))
const waiting = and(eq(instanceId, value('instanceId')), isPending)

const prepareQueue = (belongs: SQL, order: SQL) =>
  prepareQuery((db) =>
    db.select(due).from(events).where(and(waiting, belongs)).orderBy(order).limit(value('limit')),
  )

const queues = {
  ordered: prepareQueue(sql`${attempts} < ${failures}`, asc(seq)),
  retries: prepareQueue(sql`${attempts} >= ${failures}`, asc(nextAttemptAt)),
}

/** The next events of a queue in their order, due or not; `hasMore`: there may be others behind them. */
export const readNextInQueue = (
  store: Store,
  instanceId: string,
  queue: Queue,
  limit: number,
): Promise<{ events: DueEvent[]; hasMore: boolean }> =>
  readFittingPage(limit, async (fewer) => {
    const events = await store.read(queues[queue], { instanceId, limit: fewer })
    // Of what was read in the end: large events may leave room for fewer than were asked for.
    return { events, hasMore: events.length === fewer }
  })

const deliver = prepareQuery((db) =>
  db
    .update(events)
    .set({
      status: 'delivered',
      nextAttemptAt: null,
      lastError: null,
      lastResponse: null,
      attempts: sql`${value('attempts')}`,
      lastStatus: sql`${value('httpStatus')}`,
      lastAttemptAt: sql`${value('at')}`,
      lastDuration: sql`${value('duration')}`,
      deliveredAt: sql`${value('at')}`,
    })
    .where(and(eq(events.id, value('id')), isPending)),
)
const touch = prepareQuery((db) =>
  db
    .update(subscriptions)
    .set({ lastDeliveredAt: sql`${value('at')}`, failingSince: sql`0` })
    .where(and(eq(subscriptions.instanceId, value('instanceId')), eq(subscriptions.url, value('url')))),
)

/**
 * Only the destination that was tried gets the health, not one that was saved meanwhile; and after a 410 an attempt that was
 * under way does not hide it.
 */
const matchTried = (subscription: SubscriptionRow) =>
  and(
    eq(subscriptions.instanceId, subscription.instanceId),
    eq(subscriptions.url, subscription.url),
    sql`not ${subscriptions.gone}`,
  )

const recordHealth = (
  store: Store,
  subscription: SubscriptionRow,
  lastFailure: LastFailure,
  gone: boolean,
): Statement =>
  store.db
    .update(subscriptions)
    .set({
      lastFailure,
      failingSince: sql`iif(${subscriptions.failingSince} = 0, ${lastFailure.at}, ${subscriptions.failingSince})`,
      ...(gone && { gone }),
    })
    .where(matchTried(subscription))

/** The first webhook's results are in the events' rows. An event that is not pending any more is not changed. */
export const createFirstLedger = (store: Store, subscription: SubscriptionRow): DeliveryLedger => ({
  recordDelivered: (event, delivered) => [
    ...archiveLastAttempt(event),
    deliver.bind({ id: event.id, ...delivered }),
    touch.bind({ instanceId: subscription.instanceId, url: subscription.url, at: delivered.at }),
  ],
  recordFailure: (event, change, failure, { gone }) => [
    ...archiveLastAttempt(event),
    store.db
      .update(events)
      .set(change)
      .where(and(eq(events.id, event.id), isPending)),
    recordHealth(store, subscription, failure, gone),
  ],
})

/** Instances with events that are due by then and may be sent, in the order of their ids. */
export async function listInstancesDue(
  store: Store,
  by: number,
  afterId: string,
  limit: number,
): Promise<string[]> {
  const { instanceId: id, mode, enabled, gone } = subscriptions
  const due = sql`exists (select 1 from ${events} where ${instanceId} = ${id}
    and ${status} = 'pending' and ${nextAttemptAt} <= ${by})`
  const rows = await store.large
    .select({ instanceId: id })
    .from(subscriptions)
    .where(sql`${id} > ${afterId} and ${mode} <> 'off' and ${enabled} and not ${gone} and ${due}`)
    .orderBy(asc(id))
    .limit(limit)
  return rows.map((row) => row.instanceId)
}
