// Times of the network, as milliseconds. Strangers choose some of them.

import { DAY, SECOND } from '@msgnet/shared/date-time.ts'

/** The network is not older. */
const EARLIEST = Date.UTC(2009, 0)
/** The clocks of two machines may differ by so much. */
const AHEAD = DAY

/**
 * The time of something that has happened. The network counts seconds, as a number or a 64-bit object. A value that can be no such time
 * becomes the time of arrival.
 */
export function toMilliseconds(seconds: unknown): number {
  const at = Math.trunc(Number(seconds ?? 0)) * SECOND
  const now = Date.now()
  return at >= EARLIEST && at <= now + AHEAD ? at : now
}
