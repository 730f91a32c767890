// One POST to a receiver: bounded in time and in what it reads, and classed by what came of it.

import { SECOND } from '../../shared/clock.ts'
import { PRODUCT } from '../../shared/contract/version.ts'
import { judgeDestination } from '../../shared/destination.ts'
import { afterTimer } from '../deadlines.ts'
import { type Env, webhooksOn } from '../env.ts'
import { reasonOf } from '../log.ts'
import { readSome } from './read-some.ts'
import { parseRetryAfter } from './schedule.ts'

/** Over connecting, headers and body together. */
const DEADLINE = 15 * SECOND

export type PostResult =
  | { delivered: true; status: number }
  /** `status` is 0 when no answer came; `gone` is a 410: the receiver wants no more. */
  | { delivered: false; status: number; error: string; gone: boolean; retryAfterMs: number }

export const failed = (error: string, status = 0, retryAfterMs = 0): PostResult => ({
  ...{ delivered: false, status, error, retryAfterMs },
  gone: status === 410,
})

export async function post(
  env: Env,
  destination: string,
  headers: Record<string, string>,
  body: Uint8Array<ArrayBuffer>,
): Promise<PostResult> {
  // Judged again: the allowlist may have changed since the subscription was saved.
  const judged = judgeDestination(destination, env.WEBHOOK_ALLOWLIST ?? '')
  if (!judged.allowed || !webhooksOn(env)) return failed('destination_not_allowed')
  const outbound = judged.privateOutbound && env.PRIVATE_OUTBOUND ? env.PRIVATE_OUTBOUND : globalThis
  const { after = afterTimer } = env
  const limit = new AbortController()
  const forgetLimit = after(DEADLINE, () => limit.abort())
  try {
    const response = await outbound.fetch(judged.url, {
      ...{ method: 'POST', body, redirect: 'manual', signal: limit.signal },
      headers: { 'content-type': 'application/json', 'user-agent': PRODUCT, ...headers },
    })
    const { status } = response
    if (response.ok) {
      await readSome(response.body)
      return { delivered: true, status }
    }
    // What a refusal says beside its status is not waited for.
    response.body?.cancel().catch(reasonOf)
    if (status >= 300 && status < 400) return failed('redirect', status)
    return failed(
      `status_${status}`,
      status,
      parseRetryAfter(response.headers.get('retry-after'), Date.now()),
    )
  } catch (error) {
    return failed(limit.signal.aborted ? 'timeout' : connectionFault(error))
  } finally {
    forgetLimit()
  }
}

// The runtime's words for a failed connection name addresses, and refusals of private ones look like any other failure.
const connectionFault = (error: unknown): string =>
  /disconnected|closed|reset/i.test(reasonOf(error)) ? 'connection_lost' : 'unreachable'
