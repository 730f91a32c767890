// One attempt to deliver an event: signs, posts, classifies the result, and returns it as statements for the delivery's row and the health.

import { PRODUCT } from '@msgnet/shared/contract/contract-version.ts'
import type { EventName } from '@msgnet/shared/contract/event-names.ts'
import { formatLoggedIds } from '@msgnet/shared/contract/message-ids.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { FAILURES_THAT_BLOCK } from '@msgnet/shared/delivery-schedule.ts'
import { checkDestination } from '@msgnet/shared/destination.ts'
import { SealError } from '@msgnet/shared/seal.ts'
import { formatTraceparent, parseTraceparent, type Trace } from '@msgnet/shared/trace-context.ts'
import type { Signing } from '../dialect/event-format.ts'
import type { DueEvent, FailedAttempt, LaneRow, LaneTarget, PostDestination } from '../objects/due-events.ts'
import { count } from '../observability/counters.ts'
import { describeError, log } from '../observability/edge-log.ts'
import { observeDuration } from '../observability/histograms.ts'
import type { Body } from '../runtime/body-reader.ts'
import { type SetDeadline, setTimerDeadline } from '../runtime/deadlines.ts'
import { isTlsFailure } from '../runtime/tls-failure.ts'
import { sealLastResponse } from '../sealed/last-responses.ts'
import { areWebhooksEnabled, type Env } from '../settings/env.ts'
import type { Store } from '../store/database/open-store.ts'
import { writeWithRetries } from '../store/database/write-with-retries.ts'
import { recordDelivered, recordFailure, recordParts, recordPassed } from '../store/events/lane-results.ts'
import { readBeginning, readRefusal } from './read-response.ts'
import { computeRetryDelay, parseRetryAfter } from './retry-delay.ts'
import { standardSigning } from './signature.ts'
import { tryToWrite } from './try-to-write.ts'
import { openHeaders } from './webhook-headers.ts'
import { findSigners, toDestination } from './webhook-secrets.ts'

/** For connecting, headers and body together. */
const POST_TIMEOUT = 15 * SECOND
/** For the body of a refusal, which is only shown. */
const REFUSAL_TIMEOUT = 2 * SECOND

type PostResult =
  | { delivered: true; status: number }
  /** `status` is 0 without a response; `gone` is a 410: the receiver accepts no more events. */
  | {
      delivered: false
      status: number
      error: string
      gone: boolean
      retryAfterMs: number
      refusalText: string
    }

/** `refusalText`: the beginning of the receiver's response. */
const createFailure = (error: string, status = 0, retryAfterMs = 0, refusalText = ''): PostResult => ({
  delivered: false,
  status,
  error,
  retryAfterMs,
  refusalText,
  gone: status === 410,
})

export interface AttemptResult {
  statements: Statement[]
  /** When the next attempt is due. */
  retryAt?: number
  /** Later events wait until that attempt. */
  blocks?: boolean
  /** Nothing more may be sent to this destination. */
  halt?: boolean
}

export async function attemptDelivery(
  env: Env,
  store: Store,
  target: LaneTarget,
  event: DueEvent,
): Promise<AttemptResult> {
  const { webhook } = target
  const startedAt = Date.now()
  const trace = parseTraceparent(event.traceparent ?? '')
  const result = await postParts(env, store, target, event)
  if (!result) return { statements: recordPassed(webhook, event) }
  const duration = Date.now() - startedAt
  const lastResponse = result.delivered ? null : await sealLastResponse(env, event.id, result.refusalText)
  const attemptResult = recordResult(webhook, event, { ...result, duration, lastResponse })
  const labels = { result: result.delivered ? 'delivered' : 'failed' }
  count('edge_delivery_attempts_total', labels)
  observeDuration('edge_delivery_duration_seconds', labels, duration)
  log(env, result.delivered ? 'info' : 'warn', 'delivery attempted', {
    instance: event.instanceId,
    webhook: webhook.id,
    event: event.id,
    seq: event.seq,
    attempt: event.attempts + 1,
    ...formatLoggedIds(event.type as EventName, event.payload),
    status: result.status,
    ms: duration,
    ...(event.requestId !== null && { requestId: event.requestId, trace: trace?.id }),
    ...(!result.delivered && { code: result.error, state: attemptResult.retryAt ? 'pending' : 'dead' }),
  })
  return attemptResult
}

/** The parts that were not delivered before, one after the other. Undefined if there are none. */
async function postParts(
  env: Env,
  store: Store,
  { instanceName, handle, webhook }: LaneTarget,
  event: DueEvent,
): Promise<PostResult | undefined> {
  const format = env.dialects.findFormat(webhook.format)
  // It waits until the operator serves that form again, or the webhook gets another.
  if (!format) return createFailure('format_not_served')
  const destination = toDestination(webhook)
  const parts = await tryToWrite(env, event, () =>
    format.toParts(event, { store, instanceName, handle, receiver: webhook }),
  )
  if (!parts) return createFailure('event_not_writable')
  const trace = parseTraceparent(event.traceparent ?? '')
  let result: PostResult | undefined
  for (const [place, part] of parts.entries()) {
    if (place < event.partsDone) continue
    try {
      const body = await tryToWrite(env, event, () => part.createBody())
      if (!body) return createFailure('event_not_writable')
      if (body === 'expired') continue
      if (result) await writeWithRetries(store, [recordParts(webhook, event, place)])
      if (body === 'unavailable') return createFailure('file_unavailable')
      if (part.notBefore !== undefined) await waitUntil(env, part.notBefore)
      result = await postSigned(env, { ...destination, url: part.url }, part.id, body, trace, format.signing)
    } finally {
      part.releaseBody?.()
    }
    if (!result.delivered) return result
  }
  return result
}

/** The clock of a host may be ahead, so that it waits for no longer than a part may ask for. */
function waitUntil({ setDeadline = setTimerDeadline }: Env, at: number): Promise<void> | undefined {
  const left = Math.min(at - Date.now(), SECOND)
  if (left <= 0) return undefined
  const { promise, resolve } = Promise.withResolvers<void>()
  setDeadline(left, resolve)
  return promise
}

/** One signed POST without a record, used alone for a webhook test. `trace`: of the request that caused it, if any. */
export async function postSigned(
  env: Env,
  destination: PostDestination,
  id: string,
  body: Uint8Array<ArrayBuffer>,
  trace: Trace | undefined,
  signing: Signing = standardSigning,
): Promise<PostResult> {
  try {
    const signers = await findSigners(env, destination, signing)
    const at = Date.now()
    const own = await openHeaders(env, destination.owner, destination.headers)
    const headers = {
      ...toLowerCaseNames((await signing.convertHeaders?.(own, at)) ?? own),
      ...(await signing.createHeaders(id, at, body, signers)),
      ...(trace && { traceparent: formatTraceparent(trace) }),
    }
    return await postBody(env, destination.url, headers, body)
  } catch (error) {
    // Without a signature the receiver would refuse it, or worse, trust it. It waits until the key is back or the secret is saved again.
    if (error instanceof SealError) return createFailure('secret_not_readable')
    throw error
  }
}

/** As the gateway writes those that a caller may replace. */
const toLowerCaseNames = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** Limits the time, and how much of the response is read. */
async function postBody(
  env: Env,
  destination: string,
  headers: Record<string, string>,
  body: Uint8Array<ArrayBuffer>,
): Promise<PostResult> {
  // Checked again: the allowlist may have changed since the subscription was saved.
  const checked = checkDestination(destination, env.WEBHOOK_ALLOWLIST ?? '')
  if (!checked.allowed || !areWebhooksEnabled(env)) return createFailure('destination_not_allowed')
  const reach = checked.privateOutbound ? 'allowlisted' : 'public'
  const { setDeadline = setTimerDeadline } = env
  const abortController = new AbortController()
  const cancelDeadline = setDeadline(POST_TIMEOUT, () => abortController.abort())
  try {
    const response = await env.runtime.fetch(reach, checked.url, {
      method: 'POST',
      body,
      signal: abortController.signal,
      headers: { 'content-type': 'application/json', 'user-agent': PRODUCT, ...headers },
    })
    const { status } = response
    const responseBody = response.openBody?.() ?? response.body
    if (response.ok) {
      await readBeginning(responseBody)
      return { delivered: true, status }
    }
    const refusalText = await readRefusalInTime(responseBody, setDeadline)
    if (status >= 300 && status < 400) return createFailure('redirect', status, 0, refusalText)
    const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), Date.now())
    return createFailure(`status_${status}`, status, retryAfterMs, refusalText)
  } catch (error) {
    return createFailure(abortController.signal.aborted ? 'timeout' : classifyConnectionError(error))
  } finally {
    cancelDeadline()
  }
}

function readRefusalInTime(body: Body | null, setDeadline: SetDeadline): Promise<string> {
  const { promise: expired, resolve } = Promise.withResolvers<void>()
  const cancelDeadline = setDeadline(REFUSAL_TIMEOUT, resolve)
  return readRefusal(body, expired).finally(cancelDeadline)
}

// The runtime's messages for a failed connection name addresses, and a refused private address looks like any other failure.
function classifyConnectionError(error: unknown): string {
  if (isTlsFailure(error)) return 'tls_failed'
  return /disconnected|closed|reset/i.test(describeError(error)) ? 'connection_lost' : 'unreachable'
}

function recordResult(
  webhook: LaneRow,
  event: DueEvent,
  result: PostResult & Pick<FailedAttempt, 'lastResponse'> & { duration: number },
): AttemptResult {
  const now = Date.now()
  const attempts = event.attempts + 1
  const { duration } = result
  if (result.delivered) {
    const delivered = { attempts, httpStatus: result.status, at: now, duration }
    return { statements: recordDelivered(webhook, event, delivered) }
  }

  const { error, gone, lastResponse, status, retryAfterMs } = result
  const failure = { eventId: event.id, type: event.type, at: now, attempts, status, error }
  const attempt = {
    attempts,
    lastAttemptAt: now,
    lastDuration: duration,
    lastStatus: status || null,
    lastResponse,
    lastError: error,
  }
  const delay = gone ? undefined : computeRetryDelay(attempts, retryAfterMs)
  if (delay === undefined) {
    const change: FailedAttempt = { ...attempt, status: 'dead', deadAt: now, nextAttemptAt: null }
    const state = { gone, blocks: false }
    return { statements: recordFailure(webhook, event, change, failure, state), halt: gone }
  }
  const retryAt = now + delay
  const blocks = attempts < FAILURES_THAT_BLOCK
  const change: FailedAttempt = { ...attempt, status: 'pending', deadAt: null, nextAttemptAt: retryAt }
  return { statements: recordFailure(webhook, event, change, failure, { gone, blocks }), retryAt, blocks }
}
