// Whether the other side is still there, and whether we were: monotonic time only, which a frozen process cannot fake.

import { SECOND } from '../../shared/clock.ts'
import type { Clock } from '../clock.ts'

const TICK_MS = 500
/** Longer than this between two ticks, and the process was not running. */
const FROZEN_MS = 2 * SECOND
/** Nothing heard for this long: the link is dead, whatever the socket says. */
const SILENCE_MS = 20 * SECOND

export interface Heartbeat {
  heard(): void
  /** Milliseconds that a frame read now may have waited for us, because the process stood still. */
  late(): number
  /** The other side has answered something that was sent after the process stood still. */
  caughtUp(): void
  stop(): void
}

export function startHeartbeat(clock: Clock, onSilence: () => void): Heartbeat {
  let heardAt = clock.now()
  let tickedAt = heardAt
  let frozenFor = 0

  const stop = clock.every(TICK_MS, () => {
    const now = clock.now()
    const gap = now - tickedAt
    tickedAt = now
    if (gap > FROZEN_MS) frozenFor = Math.max(frozenFor, gap)
    if (now - heardAt > SILENCE_MS) onSilence()
  })

  return {
    heard() {
      heardAt = clock.now()
    },
    // Before the timers had their turn the gap is still running.
    late: () => Math.max(frozenFor, clock.now() - tickedAt - FROZEN_MS, 0),
    caughtUp() {
      frozenFor = 0
    },
    stop,
  }
}
