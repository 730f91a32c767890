// Queries for what is due at one webhook: in order behind its cursor, and what failed or was made due again before it.

import { deliveries, events, instances, webhooks } from '@msgnet/shared/db/edge-tables.ts'
import { prepareQuery, type Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { and, asc, eq, sql } from 'drizzle-orm'
import type { DueEvent, LaneTarget } from '../../objects/due-events.ts'
import type { Result } from '../../runtime/query-types.ts'
import { readFittingPage } from '../database/fitting-page.ts'
import { addBulkForm, readRows, type Store } from '../database/open-store.ts'
import { buildBlocks, IS_ACTIVE, IS_UNTRIED_JOINED } from './lane-sql.ts'

const value = sql.placeholder

/** Events of one read that are looked through, wanted or not: the database answers quickly, however few are wanted. */
export const WINDOW = 500

const isActive = sql.raw(IS_ACTIVE)

const LIST_ACTIVE = prepareQuery((db) =>
  db
    .select({ lane: webhooks.lane })
    .from(webhooks)
    .where(and(eq(webhooks.instanceId, value('instanceId')), isActive)),
)

/** The webhooks of the instance to which something may be sent now. */
export async function listActiveLanes(store: Store, instanceId: string): Promise<number[]> {
  return (await store.read(LIST_ACTIVE, { instanceId })).map(({ lane }) => lane)
}

const TARGET = prepareQuery((db) =>
  db
    .select({ instanceName: instances.name, handle: instances.handle, webhook: webhooks })
    .from(webhooks)
    .innerJoin(instances, eq(instances.id, webhooks.instanceId))
    .where(and(eq(webhooks.lane, value('lane')), isActive)),
)

const { id, instanceId, seq, type, owner, at, payload, beyond, requestId, traceparent } = events
const due = {
  id,
  instanceId,
  seq,
  type,
  owner,
  at,
  payload,
  beyond,
  requestId,
  traceparent,
  attempts: sql<number>`coalesce(${deliveries.attempts}, 0)`.as('tried'),
  partsDone: sql<number>`coalesce(${deliveries.partsDone}, 0)`.as('parts'),
  // As SQL, because one of the queries names the table so.
  lastAttemptAt: sql<number | null>`${deliveries.lastAttemptAt}`.as('tried_at'),
  nextAttemptAt: sql<number | null>`${deliveries.nextAttemptAt}`.as('due_at'),
}
const joinsDelivery = and(eq(deliveries.lane, webhooks.lane), eq(deliveries.seq, events.seq))

/** The first of the next events after a `seq`, wanted or not. */
const window = sql`(select w.seq from events w
  where w.instance_id = ${webhooks.instanceId} and w.seq > max(${value('after')}, ${webhooks.cursor})
  order by w.seq limit ${sql.raw(String(WINDOW))})`

const ORDERED = prepareQuery((db) =>
  db
    .select(due)
    .from(webhooks)
    .innerJoin(events, eq(events.instanceId, webhooks.instanceId))
    .leftJoin(deliveries, joinsDelivery)
    .where(
      sql`${webhooks.lane} = ${value('lane')}
        and ${events.seq} > max(${value('after')}, ${webhooks.cursor})
        and ${events.seq} <= coalesce((select max(seq) from ${window}), 0)
        and (${sql.raw(IS_UNTRIED_JOINED)} or ${sql.raw(buildBlocks('deliveries'))})`,
    )
    .orderBy(asc(events.seq))
    .limit(value('limit')),
)
const SEEN = prepareQuery((db) =>
  db
    .select({
      seq: sql<number>`(select max(seq) from ${window})`,
      events: sql<number>`(select count(*) from ${window})`,
    })
    .from(webhooks)
    .where(eq(webhooks.lane, value('lane'))),
)

/** Events for a webhook as it was when they were read. */
export interface DuePage extends LaneTarget {
  events: DueEvent[]
}

export interface OrderedPage extends DuePage {
  /** Every event up to this `seq` that waits is in the page. */
  seenUpTo: number
  /** There may be more. */
  hasMore: boolean
}

/**
 * The next events for a webhook in their order, due or not. An event that was never tried is due. Undefined if nothing may be sent
 * to it now.
 */
export async function readInOrder(
  store: Store,
  lane: number,
  after: number,
  limit: number,
): Promise<OrderedPage | undefined> {
  return readFittingPage(limit, async (fewer) => {
    const values = { lane, after, limit: fewer }
    // In this order: a database server runs each by itself, and an event that is stored in between must not count as seen.
    const [seen, target, found] = await store.readAll(
      addBulkForm(SEEN.bind(values)),
      addBulkForm(TARGET.bind(values)),
      addBulkForm(ORDERED.bind(values)),
    )
    const page = readPage(ORDERED, target, found)
    if (!page) return undefined
    const [looked] = seen ? readRows(SEEN, seen) : []
    const isFull = page.events.length === fewer
    const last = page.events.at(-1)?.seq ?? after
    return {
      ...page,
      seenUpTo: isFull ? last : Math.max(last, looked?.seq ?? after),
      hasMore: isFull || looked?.events === WINDOW,
    }
  })
}

const RETRIES = prepareQuery((db) =>
  db
    .select(due)
    // Else the database reads all events of the instance.
    .from(sql`deliveries indexed by deliveries_due cross join webhooks on webhooks.lane = deliveries.lane`)
    .innerJoin(events, and(eq(events.instanceId, webhooks.instanceId), eq(events.seq, deliveries.seq)))
    .where(
      sql`${deliveries.lane} = ${value('lane')} and ${deliveries.status} = 'pending'
        and (${deliveries.seq} <= ${webhooks.cursor} or not ${sql.raw(buildBlocks('deliveries'))})`,
    )
    .orderBy(asc(deliveries.nextAttemptAt), asc(deliveries.seq))
    .limit(value('limit')),
)

/** Events that failed and delay no other, and those of a replay, soonest first. Undefined as above. */
export const readRetries = (store: Store, lane: number, limit: number): Promise<DuePage | undefined> =>
  readFittingPage(limit, async (fewer) => {
    const [target, found] = await store.readAll(
      addBulkForm(TARGET.bind({ lane })),
      addBulkForm(RETRIES.bind({ lane, limit: fewer })),
    )
    return readPage(RETRIES, target, found)
  })

function readPage(
  query: typeof ORDERED | typeof RETRIES,
  target: Result | undefined,
  found: Result | undefined,
): DuePage | undefined {
  const [present] = target ? readRows(TARGET, target) : []
  return present && found && { ...present, events: readRows(query, found) }
}

/** Every event up to `seen` has its result, or is not for this webhook. */
export const moveCursor = (lane: number, url: string, seen: number): Statement => ({
  sql: 'update webhooks set cursor = max(cursor, ?3) where lane = ?1 and url = ?2',
  args: [lane, url, seen],
})
