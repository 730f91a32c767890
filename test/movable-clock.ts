// A clock for the tests: it runs as the machine's does, can be held, and can be moved ahead in place of waiting.

import { setImmediate as turn } from 'node:timers/promises'
import type { Clock } from '@msgnet/session-host/process/machine-clock.ts'

interface Timer {
  due: number
  every?: number
  work(): void
}

export class MovableClock implements Clock {
  /** Milliseconds beyond the machine's clock, while this one runs. */
  #ahead = 0
  /** The time that it shows while it is held. */
  #stoppedAt: number | undefined
  #alarm: NodeJS.Timeout | undefined
  readonly #timers = new Set<Timer>()

  // Properties, because a test may copy a clock and replace one of them.
  now = () => this.#stoppedAt ?? performance.now() + this.#ahead
  runAfter = (ms: number, work: () => void) => this.#addTimer({ due: this.now() + ms, work })
  runEvery = (ms: number, work: () => void) => this.#addTimer({ due: this.now() + ms, every: ms, work })

  /** From now on time passes only when it is moved. */
  holdTime(): void {
    this.#stoppedAt = this.now()
    this.#setAlarm()
  }

  /** It runs again, from the time that it shows. */
  releaseTime(): void {
    if (this.#stoppedAt === undefined) return
    this.#ahead = this.#stoppedAt - performance.now()
    this.#stoppedAt = undefined
    this.#setAlarm()
  }

  /** So many milliseconds pass: every due timer fires, in order, each at its own time. */
  async moveTime(ms: number): Promise<void> {
    const until = this.now() + ms
    for (let next = this.#findFirst(); next && next.due <= until; next = this.#findFirst()) {
      this.#addTime(Math.max(0, next.due - this.now()))
      this.#fireTimer(next)
      // Promises that the timer resolved, and messages that it sent, have a turn too.
      await turn()
    }
    this.#addTime(Math.max(0, until - this.now()))
    this.#setAlarm()
  }

  /** They pass for a process that is stopped: no timer fires meanwhile. */
  standStill(ms: number): void {
    this.#addTime(ms)
    this.#setAlarm()
  }

  #addTime(ms: number): void {
    if (this.#stoppedAt === undefined) this.#ahead += ms
    else this.#stoppedAt += ms
  }

  #addTimer(timer: Timer) {
    this.#timers.add(timer)
    this.#setAlarm()
    return () => {
      this.#timers.delete(timer)
      this.#setAlarm()
    }
  }

  #findFirst(): Timer | undefined {
    return [...this.#timers].reduce<Timer | undefined>(
      (one, other) => (one && one.due <= other.due ? one : other),
      undefined,
    )
  }

  #fireTimer(timer: Timer): void {
    if (timer.every === undefined) this.#timers.delete(timer)
    else timer.due = this.now() + timer.every
    timer.work()
  }

  #fireDue(): void {
    const due = [...this.#timers]
      .filter((timer) => timer.due <= this.now())
      .sort((one, other) => one.due - other.due)
    // One may have cancelled another.
    for (const timer of due) if (this.#timers.has(timer)) this.#fireTimer(timer)
    this.#setAlarm()
  }

  #setAlarm(): void {
    clearTimeout(this.#alarm)
    const next = this.#findFirst()
    if (!next || this.#stoppedAt !== undefined) return
    this.#alarm = setTimeout(() => this.#fireDue(), Math.max(0, next.due - this.now()))
  }
}
