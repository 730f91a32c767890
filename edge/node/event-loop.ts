// How late the event loop is: a timer notes by how much it was kept waiting. Any event may come at the same moment as the timer.

import { SECOND } from '../../shared/date-time.ts'
import { createObserver } from '../histograms.ts'

/** Rarely, because each wake-up of an idle process costs 0.15 ms; a hold that began before the timer was due is told shorter by that. */
const INTERVAL_MS = 250
/** Each hold is told for at least so long, which is the time between two scrapes. */
const WINDOW_MS = 15 * SECOND

const observeDelay = createObserver('edge_event_loop_delay_seconds')

export interface EventLoop {
  /** Milliseconds, in the last 15 to 30 seconds. */
  readLongestDelay(): number
}

export function watchEventLoop(): EventLoop {
  let due = performance.now() + INTERVAL_MS
  let windowStart = due
  let longest = 0
  let previousLongest = 0
  const timer = setInterval(() => {
    const now = performance.now()
    const delay = Math.max(0, now - due)
    due = now + INTERVAL_MS
    observeDelay(delay)
    if (now - windowStart > WINDOW_MS) {
      previousLongest = longest
      longest = 0
      windowStart = now
    }
    longest = Math.max(longest, delay)
  }, INTERVAL_MS)
  timer.unref()
  return { readLongestDelay: () => Math.max(longest, previousLongest) }
}
