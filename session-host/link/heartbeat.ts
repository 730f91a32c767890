// Detects a dead link, and a process that was frozen. It uses monotonic time only, which no change of the wall clock moves.

import { SECOND } from '../../shared/clock.ts'
import type { Clock } from '../clock.ts'

const TICK_MS = 500
/** A longer gap between two ticks means that the process was frozen. */
const FROZEN_MS = 2 * SECOND
/** After this long without a frame the link is dead, even if the socket looks open. */
const SILENCE_MS = 20 * SECOND

export interface Heartbeat {
  heard(): void
  /** Milliseconds that a frame read now may have waited while the process was frozen. */
  late(): number
  /** Called when the edge has answered a frame that was sent after the process was frozen. */
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
    // Until the timers have run, the gap is still growing.
    late: () => Math.max(frozenFor, clock.now() - tickedAt - FROZEN_MS, 0),
    caughtUp() {
      frozenFor = 0
    },
    stop,
  }
}
