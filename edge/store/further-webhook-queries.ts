// Queries for the webhooks of an instance beside its first: add, change, remove, list with their health.

import { and, asc, desc, eq, getTableColumns, sql } from 'drizzle-orm'
import { events, furtherDeliveries, furtherWebhooks } from '../../shared/db/edge-tables.ts'
import type { Statement } from '../../shared/db/prepared-queries.ts'
import type { Store } from './database/open-store.ts'
import type { FurtherWebhookRow } from './events/due-events.ts'
import type { FailedRow } from './events/event-queries.ts'
import { IS_WANTED_BY_FURTHER } from './events/wanted-events.ts'
import type { Backlog } from './subscription-queries.ts'

/** With the first. */
export const MAX_WEBHOOKS = 5

/** More waiting events than these are not counted one by one. */
const COUNTED = 10_000

const rows = `from further_deliveries d where d.webhook_id = further_webhooks.id`
/** Those that were never tried, or delay the ones after them; and those that failed often. */
const pending = sql<number>`(select count(*) from (select 1 from events
    where events.instance_id = further_webhooks.instance_id and events.seq > further_webhooks.cursor
      and ${sql.raw(IS_WANTED_BY_FURTHER)} limit ${sql.raw(String(COUNTED))}))
  + (select count(*) ${sql.raw(rows)} and d.status = 'pending' and d.seq <= further_webhooks.cursor)`
const dead = sql<number>`(select count(*) ${sql.raw(rows)} and d.status = 'dead')`
const dueAt = sql<number>`coalesce(
  (select d.next_attempt_at ${sql.raw(rows)} and d.status = 'pending' and d.seq > further_webhooks.cursor order by d.seq limit 1),
  (select events.created_at from events where events.instance_id = further_webhooks.instance_id
    and events.seq > further_webhooks.cursor and ${sql.raw(IS_WANTED_BY_FURTHER)} order by events.seq limit 1),
  (select min(d.next_attempt_at) ${sql.raw(rows)} and d.status = 'pending'), 0)`

export type ListedWebhook = FurtherWebhookRow & Backlog

/** Oldest first; `id` names one of them. */
export async function listFurtherWebhooks(
  store: Store,
  instanceId: string,
  id?: string,
): Promise<ListedWebhook[]> {
  const found = await store.db
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

/** Begins after the newest event. Changes nothing if the instance has five webhooks already. */
export function insertFurtherWebhook(store: Store, webhook: NewWebhook): Statement {
  const { instanceId } = webhook
  const all = sql`(select count(*) from further_webhooks where instance_id = ${instanceId})
    + (select count(*) from subscriptions where instance_id = ${instanceId} and mode <> 'off')`
  const cursor = sql`(select last_seq from instances where id = ${instanceId} and ${all} < ${MAX_WEBHOOKS})`
  return {
    toSQL() {
      const { sql: text, params } = store.db
        .insert(furtherWebhooks)
        .values({ ...webhook, cursor })
        .toSQL()
      // Without a place for it the cursor is null, and a row that may not be is left out.
      return { sql: text.replace(/^insert into/i, 'insert or ignore into'), params }
    },
  }
}

type Change = Partial<Omit<FurtherWebhookRow, 'id' | 'instanceId' | 'cursor' | 'createdAt'>>

/** Another URL gets only events from now on: what waited for the previous one is dead. */
export function changeFurtherWebhook(store: Store, webhook: FurtherWebhookRow, change: Change): Statement[] {
  const now = Date.now()
  const isOther = change.url !== undefined && change.url !== webhook.url
  const own = eq(furtherWebhooks.id, webhook.id)
  const update = store.db
    .update(furtherWebhooks)
    .set({
      ...change,
      gone: false,
      updatedAt: now,
      ...(isOther && {
        lastDeliveredAt: 0,
        failingSince: 0,
        lastFailure: null,
        cursor: sql`(select last_seq from instances where id = ${webhook.instanceId})`,
      }),
    })
    .where(own)
  const strand = store.db
    .update(furtherDeliveries)
    .set({ status: 'dead', deadAt: now, nextAttemptAt: null, lastError: 'destination_changed' })
    .where(and(eq(furtherDeliveries.webhookId, webhook.id), sql`${furtherDeliveries.status} = 'pending'`))
  return isOther ? [strand, update] : [update]
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
