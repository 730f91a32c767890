// Queries for what the operator is told of the webhooks of instances: trouble that has begun or ended, and events that wait for the webhook of the server.

import type { WebhookEnvelope } from '@msgnet/shared/contract/change-envelopes.ts'
import { LONG_FAILURE, type reportedTroubles } from '@msgnet/shared/contract/webhook-trouble.ts'
import type { LastFailure } from '@msgnet/shared/db/edge-tables.ts'
import { selectOwner } from '@msgnet/shared/db/select-owner.ts'
import { webhookEvents } from '@msgnet/shared/db/webhook-event-tables.ts'
import { and, asc, desc, lte, sql } from 'drizzle-orm'
import { type Store, toRecords } from './database/open-store.ts'

/** Empty if the webhook is in none. */
export type ReportedTrouble = (typeof reportedTroubles)[number]

export interface TroubledWebhook {
  lane: number
  id: string
  url: string
  instanceId: string
  instanceName: string
  owner: string
  failingSince: number
  lastDeliveredAt: number
  gaveUpAt: number
  lastFailure: LastFailure | null
  /** Of the event that was given up last. */
  death: Pick<LastFailure, 'status' | 'error'> | null
  reported: ReportedTrouble
  /** Now. It is no better than what was reported, until it is over. */
  trouble: ReportedTrouble
}

// It is over with the first delivery after the last failure. What was told of a webhook that is not the instance's own any more is for `listEnded`.
const TROUBLE = `case when mode <> 'own' then reported_trouble when gone then 'paused'
  when gave_up_at > 0 then iif(reported_trouble = 'paused', 'paused', 'given_up')
  when failing_since = 0 and last_delivered_at >= last_failure ->> 'at' then ''
  when reported_trouble = '' and enabled and failing_since between 1 and ?1 then 'failing' else reported_trouble end`

const DEATH = `(select json_object('status', coalesce(last_status, 0), 'error', coalesce(last_error, ''))
  from deliveries indexed by deliveries_dead
  where deliveries.lane = webhooks.lane and status = 'dead' and dead_at = gave_up_at limit 1)`

// The condition of the index, word for word.
const IN_TROUBLE = `select * from (select lane, webhooks.id, url, instance_id as instanceId, i.name as instanceName,
    ${selectOwner('i.jid', 'i.previous_number')} as owner, failing_since as failingSince,
    last_delivered_at as lastDeliveredAt, gave_up_at as gaveUpAt, last_failure as lastFailure, ${DEATH} as death, reported_trouble as reported, ${TROUBLE} as trouble
  from webhooks indexed by webhooks_in_trouble join instances i on i.id = instance_id
  where (failing_since > 0 or gone or reported_trouble <> '' or gave_up_at > 0) and lane > ?2)
  where trouble <> reported or gaveUpAt > 0 order by lane limit ?3`

/** Webhooks whose trouble is not the one that was reported last, after a lane. */
export async function listChangedTroubles(
  store: Store,
  afterLane: number,
  atMost: number,
): Promise<TroubledWebhook[]> {
  const args = [Date.now() - LONG_FAILURE, afterLane, atMost]
  const [found] = await store.readAll({ sql: IN_TROUBLE, args, isLarge: true })
  return (found ? toRecords(found) : []).map(
    ({ lastFailure, death, ...row }) =>
      ({
        ...row,
        lastFailure: lastFailure && JSON.parse(String(lastFailure)),
        death: death && JSON.parse(String(death)),
      }) as TroubledWebhook,
  )
}

const INSERT = `insert into webhook_events (id, instance_id, webhook_id, at, envelope, next_attempt_at, is_open)
select ?1, instance_id, id, ?2, ?3, ?4, ?5 <> '' from webhooks where lane = ?6 and reported_trouble = ?7`

const CLOSE = `update webhook_events set is_open = false where is_open
  and webhook_id = (select id from webhooks where lane = ?1 and reported_trouble = ?2)`

const REPORT = `update webhooks set reported_trouble = ?1, gave_up_at = iif(gave_up_at = ?4, 0, gave_up_at)
  where lane = ?2 and reported_trouble = ?3`

/** In one write, so that of several ticks one tells of it. Without an envelope nothing is told. */
export async function reportTrouble(
  store: Store,
  { lane, reported, trouble, gaveUpAt }: TroubledWebhook,
  envelope: WebhookEnvelope | undefined,
  isSent: boolean,
): Promise<void> {
  const change = { sql: REPORT, args: [trouble, lane, reported, gaveUpAt] }
  if (!envelope) return void (await store.write([change]))
  const { eventId, timestamp } = envelope
  const sendAt = isSent ? timestamp : null
  const args = [eventId, timestamp, JSON.stringify(envelope), sendAt, trouble, lane, reported]
  await store.write([{ sql: CLOSE, args: [lane, reported] }, { sql: INSERT, args }, change])
}

const ENDED = `select id, envelope from webhook_events e indexed by webhook_events_open
  where is_open and webhook_id > ?1 and not exists (
    select 1 from webhooks w where w.id = e.webhook_id and w.mode = 'own' and w.reported_trouble <> '')
  order by webhook_id limit ?2`

/** Events about trouble of destinations that are not those of an instance any more, after those of a webhook. */
export async function listEnded(
  store: Store,
  afterWebhook: string,
  atMost: number,
): Promise<{ id: string; envelope: WebhookEnvelope }[]> {
  const [found] = await store.readAll({ sql: ENDED, args: [afterWebhook, atMost], isLarge: true })
  return (found?.rows ?? []).map(([id, envelope]) => ({
    id: String(id),
    envelope: JSON.parse(String(envelope)),
  }))
}

const INSERT_END = `insert into webhook_events (id, instance_id, webhook_id, at, envelope, next_attempt_at)
select ?1, instance_id, webhook_id, ?2, ?3, ?4 from webhook_events where id = ?5 and is_open`

/** `open` is the event whose trouble ends with this one. */
export async function reportEnd(
  store: Store,
  open: string,
  envelope: WebhookEnvelope,
  isSent: boolean,
): Promise<void> {
  const { eventId, timestamp, event } = envelope
  const args = [eventId, timestamp, JSON.stringify(envelope), isSent ? timestamp : null, open]
  await store.write([
    { sql: INSERT_END, args },
    { sql: 'update webhook_events set is_open = false where id = ?1', args: [open] },
    {
      sql: `update webhooks set reported_trouble = '' where id = ?1 and mode <> 'own'`,
      args: [event.webhookId],
    },
  ])
}

export type WebhookEventRow = typeof webhookEvents.$inferSelect

const IS_FIRST = sql`not exists (select 1 from webhook_events earlier
  where earlier.webhook_id = ${webhookEvents.webhookId} and earlier.next_attempt_at is not null
  and earlier.rowid < webhook_events.rowid)`

/** The oldest first, and of each webhook only the first that waits. */
export const listDueWebhookEvents = (store: Store, atMost: number): Promise<WebhookEventRow[]> =>
  store.db
    .select()
    .from(webhookEvents)
    .where(and(lte(webhookEvents.nextAttemptAt, Date.now()), IS_FIRST))
    .orderBy(asc(webhookEvents.at))
    .limit(atMost)

/** Sets its next attempt, or none. Returns false if another edge has done so since it was read. */
export async function scheduleAttempt(
  store: Store,
  { id, nextAttemptAt }: Pick<WebhookEventRow, 'id' | 'nextAttemptAt'>,
  change: Pick<WebhookEventRow, 'attempts' | 'nextAttemptAt'>,
): Promise<boolean> {
  const { rowsAffected } = await store.db
    .update(webhookEvents)
    .set(change)
    .where(sql`id = ${id} and next_attempt_at = ${nextAttemptAt}`)
  return rowsAffected === 1
}

/** The newest first. */
export async function listNewestWebhookEvents(store: Store, atMost: number): Promise<WebhookEnvelope[]> {
  const rows = await store.db
    .select({ envelope: webhookEvents.envelope })
    .from(webhookEvents)
    .orderBy(desc(webhookEvents.at))
    .limit(atMost)
  return rows.map(({ envelope }) => envelope)
}

export async function purgeWebhookEvents(store: Store, olderThan: number, max: number): Promise<number> {
  // What is not over stays, so that its end is told.
  const some = sql`rowid in (select rowid from ${webhookEvents}
    where ${webhookEvents.at} < ${olderThan} and not is_open limit ${max})`
  const { rowsAffected } = await store.db.delete(webhookEvents).where(some)
  return rowsAffected
}
