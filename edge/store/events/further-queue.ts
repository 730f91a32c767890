// Queries for the deliveries to webhooks beside the first: what is due for one, and the results of attempts.

import { and, asc, eq, sql } from 'drizzle-orm'
import { events, furtherDeliveries, furtherWebhooks, instances } from '../../../shared/db/edge-tables.ts'
import { prepareQuery, type Statement } from '../../../shared/db/prepared-queries.ts'
import { FAILURES_THAT_BLOCK } from '../../../shared/delivery-schedule.ts'
import { readFittingPage } from '../database/fitting-page.ts'
import { addBulkForm, readRows, type Store } from '../database/open-store.ts'
import type { DeliveryLedger, DueEvent, FurtherTarget, FurtherWebhookRow } from './due-events.ts'
import { IS_WANTED_BY_FURTHER } from './wanted-events.ts'

const value = sql.placeholder

/** Events of one read that are looked through, wanted or not: the database answers quickly, however few are wanted. */
const WINDOW = 500

const LIST_ACTIVE = prepareQuery((db) =>
  db
    .select({ instanceName: instances.name, webhook: furtherWebhooks })
    .from(furtherWebhooks)
    .innerJoin(instances, eq(instances.id, furtherWebhooks.instanceId))
    .where(
      and(
        eq(furtherWebhooks.instanceId, value('instanceId')),
        sql`${furtherWebhooks.enabled} and not ${furtherWebhooks.gone}`,
      ),
    )
    .orderBy(asc(furtherWebhooks.createdAt)),
)

/** Those of the instance to which something may be sent now. */
export const listFurtherTargets = (store: Store, instanceId: string): Promise<FurtherTarget[]> =>
  store.read(LIST_ACTIVE, { instanceId })

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

const ORDERED = prepareQuery((db) =>
  db
    .select(due)
    .from(furtherWebhooks)
    .innerJoin(events, eq(events.instanceId, furtherWebhooks.instanceId))
    .leftJoin(furtherDeliveries, joinsDelivery)
    .where(
      sql`${furtherWebhooks.id} = ${value('webhookId')} and ${events.seq} > ${value('after')}
        and ${events.seq} <= coalesce((select max(seq) from (select w.seq from events w
          where w.instance_id = ${furtherWebhooks.instanceId} and w.seq > ${value('after')}
          order by w.seq limit ${sql.raw(String(WINDOW))})), 0)
        and ${sql.raw(IS_WANTED_BY_FURTHER)}`,
    )
    .orderBy(asc(events.seq))
    .limit(value('limit')),
)
const LAST_SEEN = prepareQuery((db) =>
  db.select({ seq: sql<number>`max(seq)`, events: sql<number>`count(*)` }).from(
    sql`(select w.seq from events w where w.instance_id = ${value('instanceId')} and w.seq > ${value('after')}
        order by w.seq limit ${sql.raw(String(WINDOW))})`,
  ),
)

export interface OrderedPage {
  events: DueEvent[]
  /** Every wanted event up to this `seq` is in the page. */
  seenUpTo: number
  /** There may be more. */
  hasMore: boolean
}

/** The next events for a webhook in their order, due or not. An event that was never tried is due. */
export async function readFurtherInOrder(
  store: Store,
  webhook: FurtherWebhookRow,
  after: number,
  limit: number,
): Promise<OrderedPage> {
  return readFittingPage(limit, async (fewer) => {
    const values = { webhookId: webhook.id, instanceId: webhook.instanceId, after, limit: fewer }
    const [found, seen] = await store.readAll(
      addBulkForm(ORDERED.bind(values)),
      addBulkForm(LAST_SEEN.bind(values)),
    )
    const page = found ? readRows(ORDERED, found) : []
    const [window] = seen ? readRows(LAST_SEEN, seen) : []
    const isFull = page.length === fewer
    return {
      events: page,
      seenUpTo: isFull ? (page.at(-1)?.seq ?? after) : (window?.seq ?? after),
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

/** Events that failed and delay no other, and those of a replay, soonest first. */
export const readFurtherRetries = (store: Store, webhookId: string, limit: number): Promise<DueEvent[]> =>
  readFittingPage(limit, (fewer) => store.read(RETRIES, { webhookId, limit: fewer }))

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

const FAIL = `update further_webhooks set cursor = max(cursor, ?3), last_failure = ?4,
  failing_since = iif(failing_since = 0, ?5, failing_since), gone = gone or ?6
where id = ?1 and url = ?2 and not gone`

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
export const moveCursor = ({ id: webhookId, url }: FurtherWebhookRow, seen: number): Statement => ({
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

/** Deletes the responses of receivers to attempts before that time; the results stay. */
export async function purgeFurtherResponses(store: Store, olderThan: number, max: number): Promise<number> {
  const { lastResponse, lastAttemptAt } = furtherDeliveries
  const some = sql`rowid in (select rowid from ${furtherDeliveries}
    where ${lastResponse} is not null and ${lastAttemptAt} < ${olderThan} limit ${max})`
  const { rowsAffected } = await store.db.update(furtherDeliveries).set({ lastResponse: null }).where(some)
  return rowsAffected
}
