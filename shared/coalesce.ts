// Coalesces requests for the same work: requests during a run cause one more run, and never two at a time.

export interface Coalesced<Args extends unknown[]> {
  /** Resolves when there was no request since the last run began; rejects with its error. The work gets the `args` of the call that starts it. */
  run(...args: Args): Promise<void>
  /** The same if this call starts the work; undefined if a run is under way, which then runs again. */
  lead(...args: Args): Promise<void> | undefined
}

interface Underway {
  heardAt: number
  end: Promise<void>
}

/**
 * `lostAfter`: work that has not called `goesOn` for so many milliseconds has ended with its request, and the next call starts
 * it again.
 */
export function coalesce<Args extends unknown[] = []>(
  work: (goesOn: () => void, ...args: Args) => Promise<void>,
  lostAfter = Number.POSITIVE_INFINITY,
): Coalesced<Args> {
  let asked = 0
  let current: Underway | undefined

  async function runAll(mine: Underway, args: Args): Promise<void> {
    try {
      for (let seen = -1; seen !== asked && current === mine; ) {
        seen = asked
        const goesOn = () => {
          mine.heardAt = Date.now()
        }
        await work(goesOn, ...args)
      }
    } finally {
      // In the same turn as the last check of `asked`, so that no request in between is missed.
      if (current === mine) current = undefined
    }
  }

  function lead(...args: Args): Promise<void> | undefined {
    asked++
    if (current && Date.now() <= current.heardAt + lostAfter) return undefined
    current = { heardAt: Date.now(), end: Promise.resolve() }
    current.end = runAll(current, args)
    return current.end
  }

  return { lead, run: (...args) => lead(...args) ?? current?.end ?? Promise.resolve() }
}
