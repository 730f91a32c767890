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
  type ReportedTrouble,
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

const RANKS: Record<ReportedTrouble, number> = { '': 0, failing: 1, given_up: 2, paused: 3 }

export async function notifyOperator(env: Env, store: Store): Promise<void> {
  if (!areWebhooksEnabled(env)) return
  const receiver = await findServerWebhook(store)
  const isSent = receiver !== undefined && wantsWebhookEvents(env, receiver)
  for (let after = 0; ; ) {
    const changed = await listChangedTroubles(store, after, PAGE)
    for (const webhook of changed) await reportTrouble(store, webhook, createEnvelope(webhook), isSent)
    after = changed.at(-1)?.lane ?? 0
    if (changed.length < PAGE) break
  }
  if (receiver) await postDue(env, store, receiver)
}

/** Forms other than the contract's have no words for it. */
const wantsWebhookEvents = (env: Env, { registered, getsWebhookEvents, format }: ServerWebhookRow): boolean =>
  registered && getsWebhookEvents && env.dialects.findFormat(format)?.name === 'contract'

/** Undefined where the operator hears nothing: it is not worse than what was reported, or the webhook is not the instance's own any more. */
function createEnvelope(webhook: TroubledWebhook): WebhookEnvelope | undefined {
  const { trouble, reported, failingSince, lastDeliveredAt, lastFailure } = webhook
  const isOver = trouble === '' && failingSince === 0 && lastDeliveredAt > 0
  if (!isOver && RANKS[trouble] <= RANKS[reported]) return undefined
  const state: WebhookTrouble = trouble || 'recovered'
  const pausedSince = state === 'paused' && lastFailure?.at
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
      since: isOver ? lastDeliveredAt : pausedSince || failingSince,
      cause: isOver ? '' : (lastFailure?.error ?? ''),
      status: isOver ? 0 : (lastFailure?.status ?? 0),
    },
  }
}

/** One after the other, so that trouble comes before its end. After a failure the others wait for the next tick. */
async function postDue(env: Env, store: Store, receiver: ServerWebhookRow): Promise<void> {
  const isWanted = wantsWebhookEvents(env, receiver)
  // As the events of instances, these wait while the webhook is paused.
  if (isWanted && !receiver.enabled) return
  const until = Date.now() + MAX_POSTING
  for (const row of await listDueWebhookEvents(store, PAGE)) {
    if (!isWanted) await scheduleAttempt(store, row, { attempts: row.attempts, nextAttemptAt: null })
    else if (Date.now() > until || !(await postOne(env, store, receiver, row))) return
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
