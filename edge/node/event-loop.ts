// How late the event loop is: a timer notes by how much it was kept waiting. Any event may come at the same moment as the timer.

import { SECOND } from '../../shared/clock.ts'
import { makeObserver } from '../histograms.ts'

/** Rarely, because each wake-up of an idle process costs 0.15 ms; a hold that began before the timer was due is told shorter by that. */
const EVERY_MS = 250
/** Each hold is told for at least so long, which is the time between two scrapes. */
const TOLD_FOR = 15 * SECOND

const observeDelay = makeObserver('edge_event_loop_delay_seconds')

export interface EventLoop {
  /** Milliseconds, in the last 15 to 30 seconds. */
  longestDelay(): number
}

export function watchEventLoop(): EventLoop {
  let due = performance.now() + EVERY_MS
  let began = due
  let longest = 0
  let longestBefore = 0
  const timer = setInterval(() => {
    const now = performance.now()
    const delay = Math.max(0, now - due)
    due = now + EVERY_MS
    observeDelay(delay)
    if (now - began > TOLD_FOR) {
      longestBefore = longest
      longest = 0
      began = now
    }
    longest = Math.max(longest, delay)
  }, EVERY_MS)
  timer.unref()
  return { longestDelay: () => Math.max(longest, longestBefore) }
}
