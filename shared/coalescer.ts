// Coalesces requests for the same work: requests during a run cause one more run, and never two at a time.

interface ActiveRun {
  progressAt: number
  end: Promise<void>
}

export class Coalescer<Args extends unknown[] = []> {
  readonly #work: (reportProgress: () => void, ...args: Args) => Promise<void>
  readonly #stalledAfterMs: number
  #requestCount = 0
  #current: ActiveRun | undefined

  /**
   * `stalledAfterMs`: work that has not called `reportProgress` for so long has ended with its request, and the next call starts
   * it again.
   */
  constructor(
    work: (reportProgress: () => void, ...args: Args) => Promise<void>,
    stalledAfterMs = Number.POSITIVE_INFINITY,
  ) {
    this.#work = work
    this.#stalledAfterMs = stalledAfterMs
  }

  /** Resolves when there was no request since the last run began; rejects with its error. The work gets the `args` of the call that starts it. */
  run(...args: Args): Promise<void> {
    return this.startUnlessRunning(...args) ?? this.#current?.end ?? Promise.resolve()
  }

  /** The same if this call starts the work; undefined if a run is under way, which then runs again. */
  startUnlessRunning(...args: Args): Promise<void> | undefined {
    this.#requestCount++
    if (this.#current && Date.now() <= this.#current.progressAt + this.#stalledAfterMs) return undefined
    const run: ActiveRun = { progressAt: Date.now(), end: Promise.resolve() }
    this.#current = run
    run.end = this.#runUntilSettled(run, args)
    return run.end
  }

  async #runUntilSettled(run: ActiveRun, args: Args): Promise<void> {
    const reportProgress = () => {
      run.progressAt = Date.now()
    }
    try {
      for (let seenCount = -1; seenCount !== this.#requestCount && this.#current === run; ) {
        seenCount = this.#requestCount
        await this.#work(reportProgress, ...args)
      }
    } finally {
      // In the same turn as the last check of the count, so that no request in between is missed.
      if (this.#current === run) this.#current = undefined
    }
  }
}
