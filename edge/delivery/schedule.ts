// When a failed event is tried again.

import { DAY, SECOND } from '../../shared/clock.ts'
import { DELIVERY_SPREAD, deliveryWaits } from '../../shared/delivery-schedule.ts'

/**
 * Milliseconds from the `attempts`-th failed attempt to the next, spread by a fifth either way so that many events
 * do not come back at once; undefined when it was the last. A receiver's Retry-After may only make it later.
 */
export function waitAfter(
  attempts: number,
  retryAfterMs = 0,
  random: () => number = Math.random,
): number | undefined {
  const wait = deliveryWaits[attempts - 1]
  if (wait === undefined) return undefined
  const spread = wait * (1 - DELIVERY_SPREAD + 2 * DELIVERY_SPREAD * random())
  return Math.round(Math.max(spread, retryAfterMs))
}

/** A `Retry-After` header, seconds or a date, in milliseconds held within [1 s, 24 h]; 0 when there is none. */
export function parseRetryAfter(header: string | null, now: number): number {
  if (!header) return 0
  const text = header.trim()
  const ms = /^\d+$/.test(text) ? Number(text) * SECOND : Date.parse(text) - now
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, SECOND), DAY)
}
