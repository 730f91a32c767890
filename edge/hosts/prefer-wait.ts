// `Prefer: wait=N` (RFC 7240) says how long a caller prefers to wait for the network.

import { MAX_PREFER_WAIT_SECONDS } from '@msgnet/shared/contract/limits.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import type { Context } from 'hono'
import type { EdgeEnv } from '../request/request-context.ts'

/** Seconds. Undefined if the value is not valid: a preference that cannot be applied is ignored. */
export function parsePreferWait(c: Context<EdgeEnv>): number | undefined {
  const header = c.req.header('prefer')
  if (header === undefined) return undefined
  // If a preference occurs more than once, the first counts.
  const [, seconds] =
    header
      .split(',')
      .map(matchWait)
      .find((found) => found !== null) ?? []
  const wait = /^\d{1,2}$/.test(seconds ?? '') ? Number(seconds) : 0
  return wait >= 1 && wait <= MAX_PREFER_WAIT_SECONDS ? wait : undefined
}

const matchWait = (preference: string) => /^\s*wait\s*=\s*"?([^;"]*?)"?\s*(?:;.*)?$/i.exec(preference)

/** Milliseconds that the caller waits for one more act of this request, at most `budget`. Sets Preference-Applied. */
export function applyPreferWait(c: Context<EdgeEnv>, budget: number): number {
  const wait = parsePreferWait(c)
  if (wait === undefined) return budget
  c.header('preference-applied', `wait=${wait}`)
  const until = c.get('answerBy') ?? Date.now() + wait * SECOND
  c.set('answerBy', until)
  return Math.max(1, Math.min(budget, until - Date.now()))
}
