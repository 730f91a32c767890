// The clock of the modules: the machine's own, or one that a test can move.

export interface Clock {
  /** Monotonic milliseconds, as in `performance.now()`, independent of the wall clock. */
  now(): number
  /** Runs `work` once, `ms` milliseconds from now, unless it is cancelled. */
  runAfter(ms: number, work: () => void): Cancel
  /** Runs `work` every `ms` milliseconds until it is cancelled. */
  runEvery(ms: number, work: () => void): Cancel
}

export type Cancel = () => void

export const machineClock: Clock = {
  now: () => performance.now(),
  runAfter(ms, work) {
    const timer = setTimeout(work, ms)
    return () => clearTimeout(timer)
  },
  runEvery(ms, work) {
    const timer = setInterval(work, ms)
    return () => clearInterval(timer)
  },
}
