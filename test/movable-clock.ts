// A clock for the tests: it runs as the machine's does, can be held, and can be moved ahead in place of waiting.

import { setImmediate as turn } from 'node:timers/promises'
import type { Clock } from '../session-host/machine-clock.ts'

export interface MovableClock extends Clock {
  /** From now on time passes only when it is moved. */
  holdTime(): void
  /** It runs again, from where it stands. */
  releaseTime(): void
  /** So many milliseconds pass: whatever is due has its turn, in order, each at its own time. */
  moveTime(ms: number): Promise<void>
  /** They pass for a process that stands still: no timer has a turn meanwhile. */
  standStill(ms: number): void
}

interface Timer {
  due: number
  every?: number
  work(): void
}

export function createMovableClock(): MovableClock {
  /** What it shows is this beyond the machine's clock; or, while it is held, the time it is held at. */
  let ahead = 0
  let stoppedAt: number | undefined
  let alarm: NodeJS.Timeout | undefined
  const timers = new Set<Timer>()

  const readTime = () => stoppedAt ?? performance.now() + ahead
  const addTime = (ms: number) => {
    if (stoppedAt === undefined) ahead += ms
    else stoppedAt += ms
  }
  const findFirst = () =>
    [...timers].reduce<Timer | undefined>(
      (one, other) => (one && one.due <= other.due ? one : other),
      undefined,
    )

  function fireTimer(timer: Timer): void {
    if (timer.every === undefined) timers.delete(timer)
    else timer.due = readTime() + timer.every
    timer.work()
  }

  function setAlarm(): void {
    clearTimeout(alarm)
    const next = findFirst()
    if (next && stoppedAt === undefined) alarm = setTimeout(fireDue, Math.max(0, next.due - readTime()))
  }

  function fireDue(): void {
    const due = [...timers]
      .filter((timer) => timer.due <= readTime())
      .sort((one, other) => one.due - other.due)
    // One may have cancelled another.
    for (const timer of due) if (timers.has(timer)) fireTimer(timer)
    setAlarm()
  }

  function addTimer(timer: Timer) {
    timers.add(timer)
    setAlarm()
    return () => {
      timers.delete(timer)
      setAlarm()
    }
  }

  return {
    now: readTime,
    runAfter: (ms, work) => addTimer({ due: readTime() + ms, work }),
    runEvery: (ms, work) => addTimer({ due: readTime() + ms, every: ms, work }),
    holdTime() {
      stoppedAt = readTime()
      setAlarm()
    },
    releaseTime() {
      if (stoppedAt === undefined) return
      ahead = stoppedAt - performance.now()
      stoppedAt = undefined
      setAlarm()
    },
    async moveTime(ms) {
      const until = readTime() + ms
      for (let next = findFirst(); next && next.due <= until; next = findFirst()) {
        addTime(Math.max(0, next.due - readTime()))
        fireTimer(next)
        // Whoever hears of it, and whoever is asked, has a turn too.
        await turn()
      }
      addTime(Math.max(0, until - readTime()))
      setAlarm()
    },
    standStill(ms) {
      addTime(ms)
      setAlarm()
    },
  }
}
