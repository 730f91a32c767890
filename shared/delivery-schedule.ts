// The waits between attempts to deliver an event. The courier uses them and the documentation shows them.

import { HOUR, MINUTE, SECOND } from './date-time.ts'

/** Milliseconds after the first, second, … failed attempt. The attempt after the last of them is the final one. */
export const deliveryDelays: readonly number[] = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]

/** Jitter: each wait is longer or shorter by up to this share, so that many events do not return at once. */
export const DELIVERY_JITTER = 0.2

/** An event blocks the later ones of its instance until it has failed this often. */
export const FAILURES_THAT_BLOCK = 3
