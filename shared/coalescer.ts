// Coalesces requests for the same work: requests during a run cause one more run, and never two at a time.

export interface Coalescer<Args extends unknown[]> {
  /** Resolves when there was no request since the last run began; rejects with its error. The work gets the `args` of the call that starts it. */
  run(...args: Args): Promise<void>
  /** The same if this call starts the work; undefined if a run is under way, which then runs again. */
  startUnlessRunning(...args: Args): Promise<void> | undefined
}

interface ActiveRun {
  progressAt: number
  end: Promise<void>
}

/**
 * `stalledAfter`: work that has not called `reportProgress` for so many milliseconds has ended with its request, and the next call starts
 * it again.
 */
export function createCoalescer<Args extends unknown[] = []>(
  work: (reportProgress: () => void, ...args: Args) => Promise<void>,
  stalledAfter = Number.POSITIVE_INFINITY,
): Coalescer<Args> {
  let requestCount = 0
  let current: ActiveRun | undefined

  async function runAll(own: ActiveRun, args: Args): Promise<void> {
    try {
      for (let seenCount = -1; seenCount !== requestCount && current === own; ) {
        seenCount = requestCount
        const reportProgress = () => {
          own.progressAt = Date.now()
        }
        await work(reportProgress, ...args)
      }
    } finally {
      // In the same turn as the last check of `requestCount`, so that no request in between is missed.
      if (current === own) current = undefined
    }
  }

  function startUnlessRunning(...args: Args): Promise<void> | undefined {
    requestCount++
    if (current && Date.now() <= current.progressAt + stalledAfter) return undefined
    current = { progressAt: Date.now(), end: Promise.resolve() }
    current.end = runAll(current, args)
    return current.end
  }

  return {
    startUnlessRunning,
    run: (...args) => startUnlessRunning(...args) ?? current?.end ?? Promise.resolve(),
  }
}
