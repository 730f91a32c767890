// A clock for the tests: it runs as the machine's does, can be held, and can be moved ahead in place of waiting.

import { setImmediate as turn } from 'node:timers/promises'
import type { Clock } from '../session-host/clock.ts'

export interface MovableClock extends Clock {
  /** From now on time passes only when it is moved. */
  hold(): void
  /** It runs again, from where it stands. */
  run(): void
  /** So many milliseconds pass: whatever is due has its turn, in order, each at its own time. */
  move(ms: number): Promise<void>
  /** They pass for a process that stands still: no timer has a turn meanwhile. */
  standStill(ms: number): void
}

interface Timer {
  due: number
  every?: number
  work(): void
}

export function movableClock(): MovableClock {
  /** What it shows is this beyond the machine's clock; or, while it is held, the time it is held at. */
  let ahead = 0
  let heldAt: number | undefined
  let alarm: NodeJS.Timeout | undefined
  const timers = new Set<Timer>()

  const now = () => heldAt ?? performance.now() + ahead
  const pass = (ms: number) => {
    if (heldAt === undefined) ahead += ms
    else heldAt += ms
  }
  const first = () =>
    [...timers].reduce<Timer | undefined>(
      (one, other) => (one && one.due <= other.due ? one : other),
      undefined,
    )

  function fire(timer: Timer): void {
    if (timer.every === undefined) timers.delete(timer)
    else timer.due = now() + timer.every
    timer.work()
  }

  function setAlarm(): void {
    clearTimeout(alarm)
    const next = first()
    if (next && heldAt === undefined) alarm = setTimeout(ring, Math.max(0, next.due - now()))
  }

  function ring(): void {
    const due = [...timers].filter((timer) => timer.due <= now()).sort((one, other) => one.due - other.due)
    // One may have cancelled another.
    for (const timer of due) if (timers.has(timer)) fire(timer)
    setAlarm()
  }

  function add(timer: Timer) {
    timers.add(timer)
    setAlarm()
    return () => {
      timers.delete(timer)
      setAlarm()
    }
  }

  return {
    now,
    after: (ms, work) => add({ due: now() + ms, work }),
    every: (ms, work) => add({ due: now() + ms, every: ms, work }),
    hold() {
      heldAt = now()
      setAlarm()
    },
    run() {
      if (heldAt === undefined) return
      ahead = heldAt - performance.now()
      heldAt = undefined
      setAlarm()
    },
    async move(ms) {
      const until = now() + ms
      for (let next = first(); next && next.due <= until; next = first()) {
        pass(Math.max(0, next.due - now()))
        fire(next)
        // Whoever hears of it, and whoever is asked, has a turn too.
        await turn()
      }
      pass(Math.max(0, until - now()))
      setAlarm()
    },
    standStill(ms) {
      pass(ms)
      setAlarm()
    },
  }
}
