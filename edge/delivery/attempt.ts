// One attempt to deliver an event: signs, posts, classifies the result, and returns it as statements for the event's row and the health.

import { SECOND } from '../../shared/clock.ts'
import type { EventName } from '../../shared/contract/events.ts'
import { toLoggedIds } from '../../shared/contract/message-ids.ts'
import { PRODUCT } from '../../shared/contract/version.ts'
import type { Statement } from '../../shared/db/statements.ts'
import { FAILURES_THAT_BLOCK } from '../../shared/delivery-schedule.ts'
import { judgeDestination } from '../../shared/destination.ts'
import { SealError } from '../../shared/seal.ts'
import { readTraceparent, type Trace, traceparentOf } from '../../shared/trace.ts'
import type { Body } from '../body-reader.ts'
import { type After, afterTimer } from '../deadlines.ts'
import { type Env, webhooksOn } from '../env.ts'
import { addressFor, envelopeToSend } from '../family/envelopes.ts'
import { observe } from '../histograms.ts'
import { sealLastResponse } from '../last-responses.ts'
import { log, reasonOf } from '../log.ts'
import { count } from '../metrics.ts'
import type { Store } from '../store/database/database.ts'
import { recordAttempt, recordDelivered, recordFailure } from '../store/events/deliveries.ts'
import type { Destined, DueEvent } from '../store/events/due.ts'
import type { EventRow } from '../store/events/events.ts'
import type { SubscriptionRow } from '../store/subscriptions.ts'
import { readRefusal, readSome } from './read-some.ts'
import { parseRetryAfter, waitAfter } from './schedule.ts'
import { findSigners } from './secrets.ts'
import { signedHeaders } from './signature.ts'

/** For connecting, headers and body together. */
const DEADLINE = 15 * SECOND
/** For the body of a refusal, which is only shown. */
const REFUSAL_DEADLINE = 2 * SECOND

type PostResult =
  | { delivered: true; status: number }
  /** `status` is 0 when no answer came; `gone` is a 410: the receiver wants no more. */
  | { delivered: false; status: number; error: string; gone: boolean; retryAfterMs: number; said: string }

/** `said`: the beginning of the receiver's answer. */
const failed = (error: string, status = 0, retryAfterMs = 0, said = ''): PostResult => ({
  ...{ delivered: false, status, error, retryAfterMs, said },
  gone: status === 410,
})

export interface Attempted {
  statements: Statement[]
  /** When the next attempt is due. */
  retryAt?: number
  /** Later events wait for that attempt. */
  blocks?: boolean
  /** Nothing more may be sent to this destination. */
  halt?: boolean
}

export async function attempt(
  env: Env,
  store: Store,
  { instanceName, subscription }: Destined,
  event: DueEvent,
): Promise<Attempted> {
  const started = Date.now()
  const trace = readTraceparent(event.traceparent ?? '')
  const body = await envelopeToSend(env, store, event, instanceName)
  const destination = { ...subscription, url: addressFor(env, subscription, event) }
  const result = await signedPost(env, destination, event.id, body, trace)
  const lastResponse = result.delivered ? null : await sealLastResponse(env, event.id, result.said)
  const attempted = record(store, subscription, event, { ...result, lastResponse })
  const labels = { result: result.delivered ? 'delivered' : 'failed' }
  count('edge_delivery_attempts_total', labels)
  observe('edge_delivery_duration_seconds', labels, Date.now() - started)
  log(env, result.delivered ? 'info' : 'warn', 'attempt', {
    ...{ instance: event.instanceId, event: event.id, seq: event.seq, attempt: event.attempts + 1 },
    ...toLoggedIds(event.type as EventName, event.payload),
    ...{ status: result.status, ms: Date.now() - started },
    ...(event.requestId !== null && { requestId: event.requestId, trace: trace?.id }),
    ...(!result.delivered && { error: result.error, settled: attempted.retryAt ? 'pending' : 'dead' }),
  })
  return attempted
}

/** One signed POST without a record, used alone for a webhook test. `trace`: of the request that caused it, if any. */
export async function signedPost(
  env: Env,
  subscription: SubscriptionRow,
  id: string,
  body: Uint8Array<ArrayBuffer>,
  trace: Trace | undefined,
): Promise<PostResult> {
  try {
    const signers = await findSigners(env, subscription)
    const headers = {
      ...(await signedHeaders(id, Date.now(), body, signers)),
      ...(trace && { traceparent: traceparentOf(trace) }),
    }
    return await post(env, subscription.url, headers, body)
  } catch (error) {
    // Without a signature the receiver would refuse it, or worse, trust it. It waits until the key is back or the secret is saved again.
    if (error instanceof SealError) return failed('secret_not_readable')
    throw error
  }
}

/** Limits the time, and how much of the answer is read. */
async function post(
  env: Env,
  destination: string,
  headers: Record<string, string>,
  body: Uint8Array<ArrayBuffer>,
): Promise<PostResult> {
  // Checked again: the allowlist may have changed since the subscription was saved.
  const judged = judgeDestination(destination, env.WEBHOOK_ALLOWLIST ?? '')
  if (!judged.allowed || !webhooksOn(env)) return failed('destination_not_allowed')
  const reach = judged.privateOutbound ? 'allowlisted' : 'public'
  const { after = afterTimer } = env
  const limit = new AbortController()
  const forgetLimit = after(DEADLINE, () => limit.abort())
  try {
    const response = await env.runtime.fetch(reach, judged.url, {
      ...{ method: 'POST', body, signal: limit.signal },
      headers: { 'content-type': 'application/json', 'user-agent': PRODUCT, ...headers },
    })
    const { status } = response
    const answer = response.openBody?.() ?? response.body
    if (response.ok) {
      await readSome(answer)
      return { delivered: true, status }
    }
    const said = await readInTime(answer, after)
    if (status >= 300 && status < 400) return failed('redirect', status, 0, said)
    const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), Date.now())
    return failed(`status_${status}`, status, retryAfterMs, said)
  } catch (error) {
    return failed(limit.signal.aborted ? 'timeout' : connectionFault(error))
  } finally {
    forgetLimit()
  }
}

function readInTime(body: Body | null, after: After): Promise<string> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const forgetLimit = after(REFUSAL_DEADLINE, resolve)
  return readRefusal(body, late).finally(forgetLimit)
}

// The runtime's messages for a failed connection name addresses, and a refused private address looks like any other failure.
const connectionFault = (error: unknown): string =>
  /disconnected|closed|reset/i.test(reasonOf(error)) ? 'connection_lost' : 'unreachable'

function record(
  store: Store,
  subscription: SubscriptionRow,
  event: DueEvent,
  result: PostResult & Pick<EventRow, 'lastResponse'>,
): Attempted {
  const now = Date.now()
  const attempts = event.attempts + 1
  if (result.delivered) {
    const how = { id: event.id, attempts, httpStatus: result.status, at: now }
    return { statements: recordDelivered(subscription, how) }
  }

  const { error, gone, lastResponse, status, retryAfterMs } = result
  const failure = { eventId: event.id, type: event.type, at: now, attempts, status, error }
  const health = recordFailure(store, subscription, failure, gone)
  const seen = { attempts, lastAttemptAt: now, lastStatus: status || null, lastResponse }
  const rowWith = (change: Partial<EventRow>) => recordAttempt(store, event.id, { ...seen, ...change })
  const wait = gone ? undefined : waitAfter(attempts, retryAfterMs)
  if (wait === undefined) {
    const row = rowWith({ status: 'dead', deadAt: now, nextAttemptAt: null, lastError: error })
    return { statements: [row, health], halt: gone }
  }
  const retryAt = now + wait
  const row = rowWith({ nextAttemptAt: retryAt, lastError: error })
  return { statements: [row, health], retryAt, blocks: attempts < FAILURES_THAT_BLOCK }
}
