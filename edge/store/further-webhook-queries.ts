// Queries for the webhooks of an instance beside its first: add, change, remove, list with their health.

import { limits } from '@msgnet/shared/contract/limits.ts'
import { events, furtherDeliveries, furtherWebhooks } from '@msgnet/shared/db/edge-tables.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { and, asc, desc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { FurtherWebhookRow } from '../objects/due-events.ts'
import { writeInBatches } from './database/batches.ts'
import type { Store } from './database/open-store.ts'
import type { FailedRow } from './events/event-queries.ts'
import { IS_WANTED_BY_FURTHER } from './events/wanted-events.ts'
import { buildSecretColumns, hasSameOrigin, retainHeaders, type SecretChange } from './secret-change.ts'
import type { Backlog } from './subscription-queries.ts'

/** Beside the first. */
const MAX_FURTHER = limits.maxWebhooks - 1

/** Of the events that wait in order, these are looked at to count those that the webhook wants. */
const COUNTED = 10_000

const rows = `from further_deliveries d where d.webhook_id = further_webhooks.id`
const next = `(select * from events e where e.instance_id = further_webhooks.instance_id and e.seq > further_webhooks.cursor
  order by e.seq limit ${COUNTED}) as events`
/** Those that were never tried, or delay the ones after them; and those that failed often. */
const pending = sql.raw(`(select count(*) from ${next} where ${IS_WANTED_BY_FURTHER})
  + (select count(*) ${rows} and d.status = 'pending' and d.seq <= further_webhooks.cursor)`) as SQL<number>
const dead = sql.raw(
  `(select count(*) ${rows} and d.status = 'dead' and d.dead_at > further_webhooks.since)`,
) as SQL<number>
const dueAt = sql.raw(`coalesce(
  (select d.next_attempt_at ${rows} and d.status = 'pending' and d.seq > further_webhooks.cursor order by d.seq limit 1),
  (select events.created_at from ${next} where ${IS_WANTED_BY_FURTHER} order by events.seq limit 1),
  (select min(d.next_attempt_at) ${rows} and d.status = 'pending'), 0)`) as SQL<number>

export type ListedWebhook = FurtherWebhookRow & Backlog

/** Oldest first; `id` names one of them. */
export async function listFurtherWebhooks(
  store: Store,
  instanceId: string,
  id?: string,
): Promise<ListedWebhook[]> {
  const found = await store.large
    .select({ row: furtherWebhooks, pending, dead, dueAt })
    .from(furtherWebhooks)
    .where(
      and(
        eq(furtherWebhooks.instanceId, instanceId),
        id === undefined ? undefined : eq(furtherWebhooks.id, id),
      ),
    )
    .orderBy(asc(furtherWebhooks.createdAt))
  return found.map(({ row, ...backlog }) => ({ ...row, ...backlog }))
}

type NewWebhook = Omit<typeof furtherWebhooks.$inferInsert, 'cursor'>

/**
 * Begins after the newest event. Fails as `isFull` knows it if the instance has as many as it may have, or with `onlyNewUrl` one of
 * its own with this URL.
 */
export function insertFurtherWebhook(
  store: Store,
  webhook: NewWebhook,
  { onlyNewUrl = false } = {},
): Statement {
  const { instanceId, url } = webhook
  const present = sql`(select count(*) from further_webhooks where instance_id = ${instanceId})`
  const sameUrl = sql`(select 1 from further_webhooks where instance_id = ${instanceId} and url = ${url}
    union all select 1 from subscriptions where instance_id = ${instanceId} and url = ${url} and mode = 'own')`
  const isNew = onlyNewUrl ? sql` and not exists ${sameUrl}` : sql``
  // Without a place for it the cursor is null, which the column may not be.
  const cursor = sql`(select last_seq from instances where id = ${instanceId} and ${present} < ${MAX_FURTHER}${isNew})`
  return store.db.insert(furtherWebhooks).values({ ...webhook, cursor })
}

/** The error of a write says that the instance has as many webhooks as it may have. */
export const isFull = (error: unknown): boolean =>
  error instanceof Error &&
  (/NOT NULL constraint failed: further_webhooks\.cursor/i.test(error.message) || isFull(error.cause))

type Settings = Pick<
  FurtherWebhookRow,
  'url' | 'events' | 'ignoredEvents' | 'excludeMessages' | 'chats' | 'enabled'
> &
  Pick<FurtherWebhookRow, 'headers' | 'headerNames' | 'addUrlEvents' | 'addUrlTypes'>

/** Of a change that must be one write. `also` directly follows the change. */
export interface FurtherChange {
  settings: Partial<Settings>
  secret: SecretChange
  also: Statement[]
}

const CHOICE = ['events', 'excludeMessages', 'chats'] as const

/**
 * Another URL gets only events from now on: what waited for the previous one is dead. Another choice of events is for what waits and
 * for what comes, and does not bring what was passed over. Returns false, and changes no setting, if the URL is not the one that was
 * read any more: a secret must not come to another receiver.
 */
export async function changeFurtherWebhook(
  store: Store,
  webhook: FurtherWebhookRow,
  { settings, secret, also }: FurtherChange,
): Promise<boolean> {
  const { id, instanceId } = webhook
  const isOther = settings.url !== undefined && settings.url !== webhook.url
  const hasOtherChoice = CHOICE.some((name) => name in settings)
  if (isOther) await strandMost(store, id)
  // Not before those died, which do not count for the new URL.
  const now = Date.now()
  const passed = hasOtherChoice && !isOther ? await findPassed(store, id) : 0
  const ours = settings.url === undefined ? sql`true` : hasSameOrigin(settings.url)
  const update = store.db
    .update(furtherWebhooks)
    .set({
      ...retainHeaders(ours),
      ...settings,
      ...buildSecretColumns(secret, ours),
      gone: false,
      updatedAt: now,
      cursor: isOther
        ? sql`(select last_seq from instances where id = ${instanceId})`
        : sql`max(${furtherWebhooks.cursor}, ${passed})`,
      ...(isOther && { since: now, lastDeliveredAt: 0, failingSince: 0, lastFailure: null }),
    })
    .where(and(eq(furtherWebhooks.id, id), eq(furtherWebhooks.url, webhook.url)))
  const before = isOther ? strandWaiting(id, now) : []
  const results = await store.write([...before, update, ...also])
  return results[before.length]?.rowsAffected === 1
}

const PASSED = `select coalesce((select events.seq - 1 from events
    where events.instance_id = further_webhooks.instance_id and events.seq > further_webhooks.cursor and ${IS_WANTED_BY_FURTHER}
    order by events.seq limit 1), instances.last_seq)
from further_webhooks join instances on instances.id = further_webhooks.instance_id where further_webhooks.id = ?1`

/** The `seq` up to which no event waits for the webhook. */
async function findPassed(store: Store, id: string): Promise<number> {
  const [found] = await store.readAll({ sql: PASSED, args: [id], isLarge: true })
  return Number(found?.rows[0]?.[0] ?? 0)
}

/** More than these are made dead before the write that changes the URL, which stays short so. */
const MAX_STRANDED = 500

const DEAD = `status = 'dead', dead_at = ?2, next_attempt_at = null, last_error = 'destination_changed'`
const STRAND_TRIED = `update further_deliveries set ${DEAD}
where rowid in (select rowid from further_deliveries where webhook_id = ?1 and status = 'pending' limit ?3)`
const UP_TO = `(select max(seq) from (select w.seq from events w
  where w.instance_id = further_webhooks.instance_id and w.seq > further_webhooks.cursor order by w.seq limit ?3))`
const STRAND_UNTRIED = `insert into further_deliveries (webhook_id, event_id, seq, status, dead_at, last_error)
select further_webhooks.id, events.id, events.seq, 'dead', ?2, 'destination_changed'
from further_webhooks join events on events.instance_id = further_webhooks.instance_id
where further_webhooks.id = ?1 and events.seq > further_webhooks.cursor and events.seq <= ${UP_TO} and ${IS_WANTED_BY_FURTHER}
on conflict (webhook_id, event_id) do nothing`
const MOVE_CURSOR = `update further_webhooks set cursor = coalesce(${UP_TO}, cursor) where id = ?1`

/** Without a limit, all that waits. */
const strandWaiting = (id: string, now: number, limit = -1): Statement[] =>
  [STRAND_TRIED, STRAND_UNTRIED, MOVE_CURSOR].map((sql) => ({ sql, args: [id, now, limit] }))

const WAITING = `select (select count(*) from (select 1 from further_deliveries where webhook_id = ?1 and status = 'pending' limit ?2))
  + (select last_seq - cursor from further_webhooks join instances on instances.id = instance_id where further_webhooks.id = ?1)`

/** Marks most events dead that wait for the previous URL, while it is still stored. */
async function strandMost(store: Store, id: string): Promise<void> {
  await writeInBatches(store, async (atMost) => {
    const [waiting] = await store.readAll({ sql: WAITING, args: [id, MAX_STRANDED] })
    if (Number(waiting?.rows[0]?.[0] ?? 0) < MAX_STRANDED) return 0
    await store.write(strandWaiting(id, Date.now(), atMost))
    return atMost
  })
}

export const deleteFurtherWebhook = (store: Store, instanceId: string, id: string): Statement =>
  store.db
    .delete(furtherWebhooks)
    .where(and(eq(furtherWebhooks.id, id), eq(furtherWebhooks.instanceId, instanceId)))

/** Events whose last attempt at this webhook failed, newest first. */
export async function listFurtherFailures(
  store: Store,
  webhookId: string,
  limit: number,
): Promise<FailedRow[]> {
  const { payload, ...columns } = getTableColumns(events)
  const found = await store.db
    .select({ event: columns, delivery: furtherDeliveries })
    .from(furtherDeliveries)
    .innerJoin(events, eq(events.id, furtherDeliveries.eventId))
    .where(and(eq(furtherDeliveries.webhookId, webhookId), sql`${furtherDeliveries.lastError} is not null`))
    .orderBy(desc(furtherDeliveries.seq))
    .limit(limit)
  return found.map(({ event, delivery: { webhookId: _, eventId: __, ...outcome } }) => ({
    ...event,
    ...outcome,
  }))
}
