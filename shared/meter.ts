// How often something may be done: so many at once, and some more after each while.

export interface Rate {
  burst: number
  /** So many more after each `everyMs`, up to `burst`; 1 unless given. */
  refill?: number
  everyMs: number
}

export interface MeterState {
  left: number
  filledAt: number
}

export interface Meter {
  /** Counts it and answers 0, or answers in how many milliseconds it may be done. */
  take(): number
  /** Nothing was taken lately: a new meter would be the same. */
  readonly full: boolean
  readonly state: MeterState
}

/** `now` in milliseconds, of a clock that does not run backwards; `kept` is the state of an earlier life. */
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
