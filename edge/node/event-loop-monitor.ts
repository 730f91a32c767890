// Measures how late the event loop is: by how much a timer was delayed. Any event may come at the same moment as the timer.

import { SECOND } from '@msgnet/shared/date-time.ts'
import { createObserver } from '../observability/histograms.ts'

/** Rarely, because each wake-up of an idle process costs 0.15 ms. A delay that began before the timer was due is measured shorter by that. */
const INTERVAL_MS = 250
/** Each delay is shown for at least so long, which is the time between two scrapes. */
const WINDOW_MS = 15 * SECOND

const observeDelay = createObserver('edge_event_loop_delay_seconds')

export class EventLoopMonitor {
  #due = performance.now() + INTERVAL_MS
  #windowStart = this.#due
  #longest = 0
  #previousLongest = 0

  constructor() {
    setInterval(() => this.#measure(), INTERVAL_MS).unref()
  }

  /** Milliseconds, in the last 15 to 30 seconds. */
  readLongestDelay(): number {
    return Math.max(this.#longest, this.#previousLongest)
  }

  #measure(): void {
    const now = performance.now()
    const delay = Math.max(0, now - this.#due)
    this.#due = now + INTERVAL_MS
    observeDelay(delay)
    if (now - this.#windowStart > WINDOW_MS) {
      this.#previousLongest = this.#longest
      this.#longest = 0
      this.#windowStart = now
    }
    this.#longest = Math.max(this.#longest, delay)
  }
}
