// Queries for the deliveries to webhooks beside the first: what is due for one, and the results of attempts.

import { events, furtherDeliveries, furtherWebhooks, instances } from '@msgnet/shared/db/edge-tables.ts'
import { prepareQuery, type Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { FAILURES_THAT_BLOCK } from '@msgnet/shared/delivery-schedule.ts'
import { and, asc, eq, sql } from 'drizzle-orm'
import type { DeliveryLedger, DueEvent, FurtherTarget, FurtherWebhookRow } from '../../objects/due-events.ts'
import type { Result } from '../../runtime/query-types.ts'
import { readFittingPage } from '../database/fitting-page.ts'
import { addBulkForm, readRows, type Store } from '../database/open-store.ts'
import { IS_WANTED_BY_FURTHER } from './wanted-events.ts'

const value = sql.placeholder

/** Events of one read that are looked through, wanted or not: the database answers quickly, however few are wanted. */
const WINDOW = 500

const isActive = sql`${furtherWebhooks.enabled} and not ${furtherWebhooks.gone}`

const LIST_ACTIVE = prepareQuery((db) =>
  db
    .select({ id: furtherWebhooks.id })
    .from(furtherWebhooks)
    .where(and(eq(furtherWebhooks.instanceId, value('instanceId')), isActive)),
)

/** Ids of those of the instance to which something may be sent now. */
export async function listActiveFurther(store: Store, instanceId: string): Promise<string[]> {
  return (await store.read(LIST_ACTIVE, { instanceId })).map((row) => row.id)
}

const TARGET = prepareQuery((db) =>
  db
    .select({ instanceName: instances.name, webhook: furtherWebhooks })
    .from(furtherWebhooks)
    .innerJoin(instances, eq(instances.id, furtherWebhooks.instanceId))
    .where(and(eq(furtherWebhooks.id, value('webhookId')), isActive)),
)

const { id, instanceId, seq, type, owner, at, payload, requestId, traceparent } = events
const due = {
  id,
  instanceId,
  seq,
  type,
  owner,
  at,
  payload,
  requestId,
  traceparent,
  attempts: sql<number>`coalesce(${furtherDeliveries.attempts}, 0)`.as('tried'),
  lastAttemptAt: furtherDeliveries.lastAttemptAt,
  nextAttemptAt: furtherDeliveries.nextAttemptAt,
}
const joinsDelivery = and(
  eq(furtherDeliveries.webhookId, furtherWebhooks.id),
  eq(furtherDeliveries.eventId, events.id),
)

/** The first of the next events after a `seq`, wanted or not. */
const buildWindow = (columns: string) => sql`(select ${sql.raw(columns)} from events w
  where w.instance_id = ${furtherWebhooks.instanceId} and w.seq > max(${value('after')}, ${furtherWebhooks.cursor})
  order by w.seq limit ${sql.raw(String(WINDOW))})`

const ORDERED = prepareQuery((db) =>
  db
    .select(due)
    .from(furtherWebhooks)
    .innerJoin(events, eq(events.instanceId, furtherWebhooks.instanceId))
    .leftJoin(furtherDeliveries, joinsDelivery)
    .where(
      sql`${furtherWebhooks.id} = ${value('webhookId')}
        and ${events.seq} > max(${value('after')}, ${furtherWebhooks.cursor})
        and ${events.seq} <= coalesce((select max(seq) from ${buildWindow('w.seq')}), 0)
        and ${sql.raw(IS_WANTED_BY_FURTHER)}`,
    )
    .orderBy(asc(events.seq))
    .limit(value('limit')),
)
const SEEN = prepareQuery((db) =>
  db
    .select({
      seq: sql<number>`(select max(seq) from ${buildWindow('w.seq')})`,
      events: sql<number>`(select count(*) from ${buildWindow('w.seq')})`,
    })
    .from(furtherWebhooks)
    .where(eq(furtherWebhooks.id, value('webhookId'))),
)

/** Events for a webhook as it was when they were read. */
export interface FurtherPage extends FurtherTarget {
  events: DueEvent[]
}

export interface OrderedPage extends FurtherPage {
  /** Every wanted event up to this `seq` is in the page. */
  seenUpTo: number
  /** There may be more. */
  hasMore: boolean
}

/**
 * The next events for a webhook in their order, due or not. An event that was never tried is due. Undefined if nothing may be sent
 * to it now.
 */
export async function readFurtherInOrder(
  store: Store,
  webhookId: string,
  after: number,
  limit: number,
): Promise<OrderedPage | undefined> {
  return readFittingPage(limit, async (fewer) => {
    const values = { webhookId, after, limit: fewer }
    // In this order: a database server runs each by itself, and an event that is stored in between must not count as seen.
    const [seen, target, found] = await store.readAll(
      addBulkForm(SEEN.bind(values)),
      addBulkForm(TARGET.bind(values)),
      addBulkForm(ORDERED.bind(values)),
    )
    const page = readPage(ORDERED, target, found)
    if (!page) return undefined
    const [window] = seen ? readRows(SEEN, seen) : []
    const isFull = page.events.length === fewer
    const last = page.events.at(-1)?.seq ?? after
    return {
      ...page,
      seenUpTo: isFull ? last : Math.max(last, window?.seq ?? after),
      hasMore: isFull || window?.events === WINDOW,
    }
  })
}

const RETRIES = prepareQuery((db) =>
  db
    .select(due)
    .from(furtherDeliveries)
    .innerJoin(furtherWebhooks, eq(furtherWebhooks.id, furtherDeliveries.webhookId))
    .innerJoin(events, eq(events.id, furtherDeliveries.eventId))
    .where(
      sql`${furtherDeliveries.webhookId} = ${value('webhookId')} and ${furtherDeliveries.status} = 'pending'
        and ${furtherDeliveries.seq} <= ${furtherWebhooks.cursor}`,
    )
    .orderBy(asc(furtherDeliveries.nextAttemptAt), asc(furtherDeliveries.seq))
    .limit(value('limit')),
)

/** Events that failed and delay no other, and those of a replay, soonest first. Undefined as above. */
export const readFurtherRetries = (
  store: Store,
  webhookId: string,
  limit: number,
): Promise<FurtherPage | undefined> =>
  readFittingPage(limit, async (fewer) => {
    const [target, found] = await store.readAll(
      addBulkForm(TARGET.bind({ webhookId })),
      addBulkForm(RETRIES.bind({ webhookId, limit: fewer })),
    )
    return readPage(RETRIES, target, found)
  })

function readPage(
  query: typeof ORDERED | typeof RETRIES,
  target: Result | undefined,
  found: Result | undefined,
): FurtherPage | undefined {
  const [present] = target ? readRows(TARGET, target) : []
  return present && found && { ...present, events: readRows(query, found) }
}

// Nothing is written for a webhook that was deleted or got another URL during the attempt, nor for an event that was deleted.
const UPSERT = `
insert into further_deliveries (webhook_id, event_id, seq, status, attempts, next_attempt_at, last_attempt_at,
  last_duration, delivered_at, dead_at, last_status, last_error, last_response)
select w.id, e.id, e.seq, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13
from further_webhooks w join events e on e.id = ?3 where w.id = ?1 and w.url = ?2
on conflict (webhook_id, event_id) do update set status = excluded.status, attempts = excluded.attempts,
  next_attempt_at = excluded.next_attempt_at, last_attempt_at = excluded.last_attempt_at,
  last_duration = excluded.last_duration, delivered_at = excluded.delivered_at, dead_at = excluded.dead_at,
  last_status = excluded.last_status, last_error = excluded.last_error, last_response = excluded.last_response
where further_deliveries.status = 'pending'`

const TOUCH = `update further_webhooks set cursor = max(cursor, ?3), last_delivered_at = ?4, failing_since = 0
where id = ?1 and url = ?2`

// After a 410 an attempt that was under way does not hide it.
const FAIL = `update further_webhooks set cursor = max(cursor, ?3), last_failure = iif(gone, last_failure, ?4),
  failing_since = iif(failing_since = 0, ?5, failing_since), gone = gone or ?6
where id = ?1 and url = ?2`

type DeliveryChange = Omit<Partial<typeof furtherDeliveries.$inferInsert>, 'webhookId' | 'eventId' | 'seq'>

const buildUpsert = (webhook: FurtherWebhookRow, event: DueEvent, change: DeliveryChange): Statement => ({
  sql: UPSERT,
  args: [
    webhook.id,
    webhook.url,
    event.id,
    change.status ?? 'pending',
    change.attempts ?? 0,
    change.nextAttemptAt ?? null,
    change.lastAttemptAt ?? null,
    change.lastDuration ?? null,
    change.deliveredAt ?? null,
    change.deadAt ?? null,
    change.lastStatus ?? null,
    change.lastError ?? null,
    change.lastResponse ?? null,
  ],
})

/** Results have rows of their own; the same write moves the cursor past an event that delays no other any more. */
export const createFurtherLedger = (webhook: FurtherWebhookRow): DeliveryLedger => ({
  recordDelivered: (event, { attempts, httpStatus, at: now, duration }) => [
    buildUpsert(webhook, event, {
      status: 'delivered',
      attempts,
      lastAttemptAt: now,
      lastDuration: duration,
      deliveredAt: now,
      lastStatus: httpStatus,
    }),
    { sql: TOUCH, args: [webhook.id, webhook.url, event.seq, now] },
  ],
  recordFailure: (event, change, failure, { gone, blocks }) => [
    buildUpsert(webhook, event, change),
    {
      sql: FAIL,
      args: [
        webhook.id,
        webhook.url,
        blocks ? 0 : event.seq,
        JSON.stringify(failure),
        failure.at,
        gone ? 1 : 0,
      ],
    },
  ],
})

/** Every event up to `seen` has its result, or is not for this webhook. */
export const moveCursor = (
  { id: webhookId, url }: Pick<FurtherWebhookRow, 'id' | 'url'>,
  seen: number,
): Statement => ({
  sql: 'update further_webhooks set cursor = max(cursor, ?3) where id = ?1 and url = ?2',
  args: [webhookId, url, seen],
})

/** A failed delivery in the ordered queue stops those after it until it is due again. */
const DUE = `
select distinct f.instance_id as id from further_webhooks f join instances i on i.id = f.instance_id
where f.instance_id > ?1 and f.enabled and not f.gone and (
  exists (select 1 from further_deliveries d where d.webhook_id = f.id and d.status = 'pending' and d.next_attempt_at <= ?2)
  or (i.last_seq > f.cursor and not exists (select 1 from further_deliveries d
    where d.webhook_id = f.id and d.status = 'pending' and d.seq > f.cursor and d.attempts < ${FAILURES_THAT_BLOCK})))
order by 1 limit ?3`

/** Instances with events that are due by then for a webhook beside the first, in the order of their ids. */
export async function listInstancesDueFurther(
  store: Store,
  by: number,
  afterId: string,
  limit: number,
): Promise<string[]> {
  const [found] = await store.readAll({ sql: DUE, args: [afterId, by, limit], isLarge: true })
  return (found?.rows ?? []).map(([instance]) => String(instance))
}

/** Webhooks that one tick looks after. */
const MAX_RESTING = 1000

const PASSABLE = `select id, url, cursor, coalesce(
  (select events.seq - 1 from events where events.instance_id = further_webhooks.instance_id
    and events.seq > further_webhooks.cursor and events.seq <= last and ${IS_WANTED_BY_FURTHER} order by events.seq limit 1),
  last) as passed
from (select further_webhooks.*, (select max(seq) from (select w.seq from events w
    where w.instance_id = further_webhooks.instance_id and w.seq > further_webhooks.cursor order by w.seq limit ${WINDOW})) as last
  from further_webhooks join instances on instances.id = instance_id
  where (not enabled or gone) and cursor < last_seq) as further_webhooks
where passed > cursor limit ${MAX_RESTING}`

/**
 * No courier passes over what a webhook that rests does not want, so the tick does: what waits for it begins at its cursor, and
 * is found without a search.
 */
export async function passOverUnwanted(store: Store): Promise<void> {
  const [found] = await store.readAll({ sql: PASSABLE, args: [], isLarge: true })
  const moves = (found?.rows ?? []).map(([id, url, , passed]) =>
    moveCursor({ id: String(id), url: String(url) }, Number(passed)),
  )
  if (moves.length > 0) await store.write(moves)
}

/** Deletes the responses of receivers to attempts before that time; the results stay. */
export async function purgeFurtherResponses(store: Store, olderThan: number, max: number): Promise<number> {
  const { lastResponse, lastAttemptAt } = furtherDeliveries
  const some = sql`rowid in (select rowid from ${furtherDeliveries}
    where ${lastResponse} is not null and ${lastAttemptAt} < ${olderThan} limit ${max})`
  const { rowsAffected } = await store.db.update(furtherDeliveries).set({ lastResponse: null }).where(some)
  return rowsAffected
}
