// A token bucket: so many at once, and a refill after each interval.

export interface Rate {
  burst: number
  /** How many are added after each `everyMs`, up to `burst`; 1 by default. */
  refill?: number
  everyMs: number
}

export interface MeterState {
  left: number
  filledAt: number
}

export interface Meter {
  /** Takes one and returns 0, or returns the milliseconds to wait. */
  take(): number
  /** Nothing was taken lately, so a new meter would be equal. */
  readonly full: boolean
  readonly state: MeterState
}

/** `now` in milliseconds, of a clock that does not run backwards; `kept` is the stored state of an earlier meter. */
export function makeMeter(
  { burst, refill = 1, everyMs }: Rate,
  now: () => number,
  kept: MeterState = { left: burst, filledAt: now() },
): Meter {
  let { left, filledAt } = kept

  function fill(): void {
    const whiles = Math.max(0, Math.floor((now() - filledAt) / everyMs))
    left = Math.min(burst, left + whiles * refill)
    filledAt = left === burst ? now() : filledAt + whiles * everyMs
  }

  return {
    take() {
      fill()
      if (left === 0) return Math.max(1, filledAt + everyMs - now())
      left -= 1
      return 0
    },
    get full() {
      fill()
      return left === burst
    },
    get state() {
      return { left, filledAt }
    },
  }
}
