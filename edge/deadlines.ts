// Limits of time: each by a timer of its own in a request, all by one in a durable object.

import { SECOND } from '../shared/clock.ts'

/** Calls `late` in so many milliseconds, unless what it answers is called before. */
export type After = (ms: number, late: () => void) => () => void

export const afterTimer: After = (ms, late) => {
  const timer = setTimeout(late, ms)
  return () => clearTimeout(timer)
}

interface Clock {
  now(): number
  after(ms: number, work: () => void): unknown
}

const runtime: Clock = { now: Date.now, after: (ms, work) => setTimeout(work, ms) }

/**
 * For an object. The runtime keeps 256 bytes of each timer that is cancelled for as long as the object lives, and nothing of one
 * that went off. So none is cancelled here: while anything is waited for, one timer looks once a second at what is due, and an
 * object that waits for nothing is idle a second later.
 */
export function makeDeadlines(clock = runtime): After {
  const waiting = new Set<{ due: number; late: () => void }>()
  let looksAt = Number.POSITIVE_INFINITY

  function lookAt(time: number): void {
    looksAt = time
    clock.after(Math.max(1, time - clock.now()), () => {
      // Somebody who is due earlier may have set an earlier one since.
      if (time === looksAt) look()
    })
  }

  function look(): void {
    looksAt = Number.POSITIVE_INFINITY
    const now = clock.now()
    let next = now + SECOND
    let waits = false
    for (const one of waiting) {
      if (one.due <= now) {
        // Each by itself, as with timers of their own: one that fails takes no other along.
        queueMicrotask(() => {
          if (waiting.delete(one)) one.late()
        })
        continue
      }
      waits = true
      next = Math.min(next, one.due)
    }
    if (waits) lookAt(next)
  }

  return (ms, late) => {
    const now = clock.now()
    const one = { due: now + ms, late }
    waiting.add(one)
    const soon = Math.min(one.due, now + SECOND)
    if (soon < looksAt) lookAt(soon)
    return () => void waiting.delete(one)
  }
}
