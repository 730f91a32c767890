// Tells the operator of webhooks of instances that fail for an hour, give an event up, are paused by a 410, or have recovered: by the event
// `webhook` at the webhook of the server, and by the overview. What becomes of that webhook itself is told to nobody, so there is no loop.

import type { WebhookEnvelope } from '@msgnet/shared/contract/change-envelopes.ts'
import type { WebhookTrouble } from '@msgnet/shared/contract/webhook-trouble.ts'
import { MINUTE, SECOND } from '@msgnet/shared/date-time.ts'
import { postSigned } from '../delivery/attempt-delivery.ts'
import { computeRetryDelay } from '../delivery/retry-delay.ts'
import { SERVER_OWNER } from '../delivery/webhook-secrets.ts'
import { log } from '../observability/edge-log.ts'
import { stripQuery } from '../records/webhook-record.ts'
import { encodeUtf8 } from '../runtime/bytes.ts'
import { areWebhooksEnabled, type Env } from '../settings/env.ts'
import type { Store } from '../store/database/open-store.ts'
import { findServerWebhook, type ServerWebhookRow } from '../store/server-webhook-queries.ts'
import {
  listChangedTroubles,
  listDueWebhookEvents,
  listEnded,
  reportEnd,
  reportTrouble,
  scheduleAttempt,
  type TroubledWebhook,
  type WebhookEventRow,
} from '../store/webhook-event-queries.ts'

const PAGE = 100
/** A tick posts for no longer. What is left is due at the next one. */
const MAX_POSTING = 20 * SECOND
/** After a kill during an attempt. */
const CLAIM = 2 * MINUTE

type ReportedState = Exclude<WebhookTrouble, 'ended'>

export async function notifyOperator(env: Env, store: Store): Promise<void> {
  if (!areWebhooksEnabled(env)) return
  const receiver = await findServerWebhook(store)
  const isSent = receiver !== undefined && wantsWebhookEvents(env, receiver)
  await reportEnds(store, isSent)
  for (let after = 0; ; ) {
    const changed = await listChangedTroubles(store, after, PAGE)
    for (const webhook of changed) await reportTrouble(store, webhook, createEnvelope(webhook), isSent)
    after = changed.at(-1)?.lane ?? 0
    if (changed.length < PAGE) break
  }
  if (receiver) await postDue(env, store, receiver)
}

async function reportEnds(store: Store, isSent: boolean): Promise<void> {
  for (let after = ''; ; ) {
    const ended = await listEnded(store, after, PAGE)
    for (const { id, envelope } of ended) await reportEnd(store, id, createEnd(envelope), isSent)
    after = ended.at(-1)?.envelope.event.webhookId ?? ''
    if (ended.length < PAGE) break
  }
}

function createEnd(open: WebhookEnvelope): WebhookEnvelope {
  const now = Date.now()
  const event = { ...open.event, state: 'ended', since: now, cause: '', status: 0 } as const
  return { ...open, eventId: crypto.randomUUID(), timestamp: now, event }
}

/** Forms other than the contract's have no words for it. */
const wantsWebhookEvents = (env: Env, { registered, getsWebhookEvents, format }: ServerWebhookRow): boolean =>
  registered && getsWebhookEvents && env.dialects.findFormat(format)?.name === 'contract'

/** Undefined where the operator hears nothing: it is not worse than what was reported. */
function createEnvelope(webhook: TroubledWebhook): WebhookEnvelope | undefined {
  const { trouble, reported } = webhook
  if (trouble === reported) return undefined
  const state = trouble || 'recovered'
  const failure = findFailure(webhook, state)
  return {
    EventType: 'webhook',
    eventId: crypto.randomUUID(),
    seq: 0,
    instanceId: webhook.instanceId,
    instanceName: webhook.instanceName,
    owner: webhook.owner,
    timestamp: Date.now(),
    event: {
      webhookId: webhook.id,
      url: stripQuery(webhook.url),
      state,
      since: toSince(webhook, state),
      cause: failure?.error ?? '',
      status: failure?.status ?? 0,
    },
  }
}

/** Of what is told: other events may have failed since. */
function findFailure({ lastFailure, death }: TroubledWebhook, state: ReportedState) {
  if (state === 'recovered') return undefined
  return state === 'given_up' ? (death ?? lastFailure) : lastFailure
}

function toSince(webhook: TroubledWebhook, state: ReportedState): number {
  const { failingSince, gaveUpAt, lastDeliveredAt, lastFailure } = webhook
  if (state === 'recovered') return lastDeliveredAt
  if (state === 'given_up') return gaveUpAt
  return (state === 'paused' && lastFailure?.at) || failingSince
}

/** One after the other, so that trouble comes before its end. After a failure the others wait for the next tick. */
async function postDue(env: Env, store: Store, receiver: ServerWebhookRow): Promise<void> {
  const isWanted = wantsWebhookEvents(env, receiver)
  // As the events of instances, these wait while the webhook is paused.
  if (isWanted && !receiver.enabled) return
  const until = Date.now() + MAX_POSTING
  for (;;) {
    const due = await listDueWebhookEvents(store, PAGE)
    for (const row of due) {
      if (Date.now() > until) return
      if (!isWanted) await scheduleAttempt(store, row, { attempts: row.attempts, nextAttemptAt: null })
      else if (!(await postOne(env, store, receiver, row))) return
    }
    if (due.length === 0) return
  }
}

/** Returns whether it was delivered. */
async function postOne(
  env: Env,
  store: Store,
  receiver: ServerWebhookRow,
  row: WebhookEventRow,
): Promise<boolean> {
  const { id, envelope } = row
  const attempts = row.attempts + 1
  const claimed = { id, attempts, nextAttemptAt: Date.now() + CLAIM }
  if (!(await scheduleAttempt(store, row, claimed))) return false
  const destination = { ...receiver, headers: null, formatOptions: null, owner: SERVER_OWNER }
  const body = encodeUtf8(JSON.stringify(envelope))
  const result = await postSigned(env, destination, id, body, undefined)
  const wait = result.delivered || result.gone ? undefined : computeRetryDelay(attempts, result.retryAfterMs)
  const nextAttemptAt = wait === undefined ? null : Date.now() + wait
  await scheduleAttempt(store, claimed, { attempts, nextAttemptAt })
  const { webhookId: webhook, state } = envelope.event
  const failure = !result.delivered && { code: result.error }
  const line = { event: id, webhook, state, attempt: attempts, status: result.status, ...failure }
  log(env, result.delivered ? 'info' : 'warn', 'delivery to the operator attempted', line)
  return result.delivered
}
