// Time limits: a request has one timer for each, a durable object one timer for all.

import { SECOND } from '../shared/clock.ts'

/** Calls `late` after so many milliseconds, unless the returned function is called before. */
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
 * For an object. The runtime keeps 256 bytes of each cancelled timer as long as the object lives, and nothing of a timer that
 * went off. So none is cancelled here: while there are deadlines, one timer checks them once a second, and an object without
 * deadlines is idle a second later.
 */
export function makeDeadlines(clock = runtime): After {
  const waiting = new Set<{ due: number; late: () => void }>()
  let looksAt = Number.POSITIVE_INFINITY

  function lookAt(time: number): void {
    looksAt = time
    clock.after(Math.max(1, time - clock.now()), () => {
      // An earlier deadline may have set an earlier timer since.
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
        // Each in its own task, so that an error in one does not stop the others.
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
