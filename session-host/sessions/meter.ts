// How often something may be done: so many at once, and one more after each while.

export interface Meter {
  /** Whether it may be done now; if so, it counts. */
  take(): boolean
}

export function makeMeter({ burst, everyMs }: { burst: number; everyMs: number }): Meter {
  let left = burst
  let filledAt = performance.now()
  return {
    take() {
      const more = Math.floor((performance.now() - filledAt) / everyMs)
      left = Math.min(burst, left + more)
      filledAt += more * everyMs
      if (left === 0) return false
      left -= 1
      return true
    },
  }
}
