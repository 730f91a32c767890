// Time limits: a request has one timer for each, a durable object one timer for all.

import { SECOND } from '@msgnet/shared/date-time.ts'

/** Calls `onExpired` after so many milliseconds, unless the returned function is called before. */
export type SetDeadline = (ms: number, onExpired: () => void) => () => void

export const setTimerDeadline: SetDeadline = (ms, onExpired) => {
  const timer = setTimeout(onExpired, ms)
  return () => clearTimeout(timer)
}

const realClock = {
  now: Date.now,
  setTimer: (ms: number, work: () => void): unknown => setTimeout(work, ms),
}

/**
 * For an object. The runtime keeps 256 bytes of each cancelled timer as long as the object lives, and nothing of a timer that
 * has run. So none is cancelled here: while there are deadlines, one timer checks them once a second, and an object without
 * deadlines is idle a second later.
 */
export function createDeadlines(clock = realClock): SetDeadline {
  const waiting = new Set<{ due: number; onExpired: () => void }>()
  let nextCheckAt = Number.POSITIVE_INFINITY

  function scheduleCheck(time: number): void {
    nextCheckAt = time
    clock.setTimer(Math.max(1, time - clock.now()), () => {
      // An earlier deadline may have set an earlier timer since.
      if (time === nextCheckAt) checkDeadlines()
    })
  }

  function checkDeadlines(): void {
    nextCheckAt = Number.POSITIVE_INFINITY
    const now = clock.now()
    let nextDue = now + SECOND
    let isWaiting = false
    for (const deadline of waiting) {
      if (deadline.due <= now) {
        // Each in its own task, so that an error in one does not stop the others.
        queueMicrotask(() => {
          if (waiting.delete(deadline)) deadline.onExpired()
        })
        continue
      }
      isWaiting = true
      nextDue = Math.min(nextDue, deadline.due)
    }
    if (isWaiting) scheduleCheck(nextDue)
  }

  return (ms, onExpired) => {
    const now = clock.now()
    const deadline = { due: now + ms, onExpired }
    waiting.add(deadline)
    const checkAt = Math.min(deadline.due, now + SECOND)
    if (checkAt < nextCheckAt) scheduleCheck(checkAt)
    return () => void waiting.delete(deadline)
  }
}
