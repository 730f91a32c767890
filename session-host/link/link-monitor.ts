// Detects a dead link, and a process that was frozen. It uses monotonic time only, which no change of the wall clock moves.

import { SECOND } from '../../shared/date-time.ts'
import type { Clock } from '../machine-clock.ts'

const TICK_MS = 500
/** A longer gap between two ticks means that the process was frozen. */
const FROZEN_MS = 2 * SECOND
/** After this long without a frame the link is dead, even if the socket looks open. */
const MAX_SILENCE_MS = 20 * SECOND

export interface LinkMonitor {
  recordFrame(): void
  /** Milliseconds that a frame read now may have waited while the process was frozen. */
  estimateDelay(): number
  /** Called when the edge has answered a frame that was sent after the process was frozen. */
  clearDelay(): void
  stop(): void
}

export function startLinkMonitor(clock: Clock, onUnresponsive: () => void): LinkMonitor {
  let lastFrameAt = clock.now()
  let lastTickAt = lastFrameAt
  let frozenFor = 0

  const stop = clock.runEvery(TICK_MS, () => {
    const now = clock.now()
    const gap = now - lastTickAt
    lastTickAt = now
    if (gap > FROZEN_MS) frozenFor = Math.max(frozenFor, gap)
    if (now - lastFrameAt > MAX_SILENCE_MS) onUnresponsive()
  })

  return {
    recordFrame() {
      lastFrameAt = clock.now()
    },
    // Until the timers have run, the gap is still growing.
    estimateDelay: () => Math.max(frozenFor, clock.now() - lastTickAt - FROZEN_MS, 0),
    clearDelay() {
      frozenFor = 0
    },
    stop,
  }
}
