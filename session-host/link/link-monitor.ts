// Detects a dead link, and a process that was frozen. It uses monotonic time only, which no change of the wall clock moves.

import { SECOND } from '@msgnet/shared/date-time.ts'
import type { Cancel, Clock } from '../process/machine-clock.ts'

const TICK_MS = 500
/** A longer gap between two ticks means that the process was frozen. */
const FROZEN_MS = 2 * SECOND
/** After this long without a frame the link is dead, even if the socket looks open. */
const MAX_SILENCE_MS = 20 * SECOND

export class LinkMonitor {
  readonly #clock: Clock
  readonly #onUnresponsive: () => void
  readonly #cancel: Cancel
  #lastFrameAt: number
  #lastTickAt: number
  #frozenFor = 0

  constructor(clock: Clock, onUnresponsive: () => void) {
    this.#clock = clock
    this.#onUnresponsive = onUnresponsive
    this.#lastFrameAt = this.#lastTickAt = clock.now()
    this.#cancel = clock.runEvery(TICK_MS, () => this.#tick())
  }

  recordFrame(): void {
    this.#lastFrameAt = this.#clock.now()
  }

  /** Milliseconds that a frame read now may have waited while the process was frozen. */
  estimateDelay(): number {
    // Until the timers have run, the gap is still growing.
    return Math.max(this.#frozenFor, this.#clock.now() - this.#lastTickAt - FROZEN_MS, 0)
  }

  /** Called when the edge has answered a frame that was sent after the process was frozen. */
  clearDelay(): void {
    this.#frozenFor = 0
  }

  stop(): void {
    this.#cancel()
  }

  #tick(): void {
    const now = this.#clock.now()
    const gap = now - this.#lastTickAt
    this.#lastTickAt = now
    if (gap > FROZEN_MS) this.#frozenFor = Math.max(this.#frozenFor, gap)
    if (now - this.#lastFrameAt > MAX_SILENCE_MS) this.#onUnresponsive()
  }
}
