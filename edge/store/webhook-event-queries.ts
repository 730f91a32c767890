// Queries for what the operator is told of the webhooks of instances: trouble that has begun or ended, and events that wait for the webhook of the server.

import type { WebhookEnvelope } from '@msgnet/shared/contract/change-envelopes.ts'
import { LONG_FAILURE, type webhookTroubles } from '@msgnet/shared/contract/webhook-trouble.ts'
import type { LastFailure } from '@msgnet/shared/db/edge-tables.ts'
import { selectOwner } from '@msgnet/shared/db/select-owner.ts'
import { webhookEvents } from '@msgnet/shared/db/webhook-event-tables.ts'
import { asc, desc, lte, sql } from 'drizzle-orm'
import { type Store, toRecords } from './database/open-store.ts'

/** Empty if the webhook is in none. */
export type ReportedTrouble = '' | (typeof webhookTroubles)[number]

export interface TroubledWebhook {
  lane: number
  id: string
  url: string
  instanceId: string
  instanceName: string
  owner: string
  failingSince: number
  lastDeliveredAt: number
  lastFailure: LastFailure | null
  reported: ReportedTrouble
  /** Now. A webhook that is not the instance's own has none. */
  trouble: ReportedTrouble
}

/** An event died after its last attempt, and not with the destination before. */
const GAVE_UP = `exists (select 1 from deliveries d where d.lane = webhooks.lane and d.status = 'dead'
  and d.dead_at > max(webhooks.failing_since, webhooks.since))`

// One that its owner has paused, and a new destination that was not tried yet, are as they were.
const TROUBLE = `case when mode <> 'own' then '' when gone then 'paused' when not enabled then reported_trouble
  when failing_since = 0 then iif(last_delivered_at > 0, '', reported_trouble) when ${GAVE_UP} then 'given_up'
  when failing_since <= ?1 or reported_trouble <> '' then 'failing' else '' end`

// The condition of the index, word for word.
const IN_TROUBLE = `select * from (select lane, webhooks.id, url, instance_id as instanceId, i.name as instanceName,
    ${selectOwner('i.jid', 'i.previous_number')} as owner, failing_since as failingSince,
    last_delivered_at as lastDeliveredAt, last_failure as lastFailure, reported_trouble as reported, ${TROUBLE} as trouble
  from webhooks indexed by webhooks_in_trouble join instances i on i.id = instance_id
  where (failing_since > 0 or gone or reported_trouble <> '') and lane > ?2)
  where trouble <> reported order by lane limit ?3`

/** Webhooks whose trouble is not the one that was reported last, after a lane. */
export async function listChangedTroubles(
  store: Store,
  afterLane: number,
  atMost: number,
): Promise<TroubledWebhook[]> {
  const args = [Date.now() - LONG_FAILURE, afterLane, atMost]
  const [found] = await store.readAll({ sql: IN_TROUBLE, args, isLarge: true })
  return (found ? toRecords(found) : []).map(
    ({ lastFailure, ...row }) =>
      ({ ...row, lastFailure: lastFailure && JSON.parse(String(lastFailure)) }) as TroubledWebhook,
  )
}

const INSERT = `insert into webhook_events (id, instance_id, at, envelope, next_attempt_at)
select ?1, instance_id, ?2, ?3, ?4 from webhooks where lane = ?5 and reported_trouble = ?6`

/** In one write, so that of several ticks one tells of it. Without an envelope nothing is told. */
export async function reportTrouble(
  store: Store,
  { lane, reported, trouble }: TroubledWebhook,
  envelope: WebhookEnvelope | undefined,
  isSent: boolean,
): Promise<void> {
  const change = {
    sql: 'update webhooks set reported_trouble = ?1 where lane = ?2 and reported_trouble = ?3',
    args: [trouble, lane, reported],
  }
  if (!envelope) return void (await store.write([change]))
  const { eventId, timestamp } = envelope
  const args = [eventId, timestamp, JSON.stringify(envelope), isSent ? timestamp : null, lane, reported]
  await store.write([{ sql: INSERT, args }, change])
}

export type WebhookEventRow = typeof webhookEvents.$inferSelect

/** The oldest first. */
export const listDueWebhookEvents = (store: Store, atMost: number): Promise<WebhookEventRow[]> =>
  store.db
    .select()
    .from(webhookEvents)
    .where(lte(webhookEvents.nextAttemptAt, Date.now()))
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
  const some = sql`rowid in (select rowid from ${webhookEvents} where ${webhookEvents.at} < ${olderThan} limit ${max})`
  const { rowsAffected } = await store.db.delete(webhookEvents).where(some)
  return rowsAffected
}
