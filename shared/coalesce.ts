// Requests for the same work, coalesced: it is done again for whoever asked while it was under way, and never twice at a time.

export interface Coalesced<Args extends unknown[]> {
  /** Resolves when nobody has asked since the work began; rejects with what it threw. `args` are of whoever has it begin. */
  run(...args: Args): Promise<void>
  /** The same for whoever has it begin; undefined where it is under way and will be done again. */
  lead(...args: Args): Promise<void> | undefined
}

interface Underway {
  heardAt: number
  end: Promise<void>
}

/**
 * `lostAfter`: work that has not called `goesOn` for so many milliseconds was lost with the request that it ran in, and is begun
 * anew for the next who asks.
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
      // In the turn of the last look at what was asked: nobody can ask in between and be missed.
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
