// Apart from attempt-delivery.ts, because it is pure: how long to wait after a failed attempt.

import { DAY, SECOND } from '@msgnet/shared/date-time.ts'
import { DELIVERY_JITTER, deliveryDelays } from '@msgnet/shared/delivery-schedule.ts'

/**
 * Milliseconds from the `attempts`-th failed attempt to the next, with up to a fifth of jitter either way so that many
 * events do not return at once; undefined if it was the last. A receiver's Retry-After may only make it later.
 */
export function computeRetryDelay(
  attempts: number,
  retryAfterMs = 0,
  random: () => number = Math.random,
): number | undefined {
  const wait = deliveryDelays[attempts - 1]
  if (wait === undefined) return undefined
  const spread = wait * (1 - DELIVERY_JITTER + 2 * DELIVERY_JITTER * random())
  return Math.round(Math.max(spread, retryAfterMs))
}

/** A `Retry-After` header, seconds or a date, in milliseconds, limited to 1 s to 24 h; 0 if there is none. */
export function parseRetryAfter(header: string | null, now: number): number {
  if (!header) return 0
  const text = header.trim()
  const ms = /^\d+$/.test(text) ? Number(text) * SECOND : Date.parse(text) - now
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, SECOND), DAY)
}
