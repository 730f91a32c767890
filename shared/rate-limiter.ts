// A token bucket: so many at once, and a refill after each interval.

export interface Rate {
  burst: number
  /** How many are added after each `everyMs`, up to `burst`; 1 by default. */
  refill?: number
  everyMs: number
}

export interface RateLimiterState {
  left: number
  filledAt: number
}

export interface RateLimiter {
  /** Takes one and returns 0, or returns the milliseconds to wait. */
  acquire(): number
  /** Nothing was taken lately, so a new meter would be equal. */
  readonly full: boolean
  readonly state: RateLimiterState
}

/** `now` in milliseconds, of a clock that does not run backwards; `kept` is the stored state of an earlier meter. */
export function createRateLimiter(
  { burst, refill = 1, everyMs }: Rate,
  now: () => number,
  stored: RateLimiterState = { left: burst, filledAt: now() },
): RateLimiter {
  let { left, filledAt } = stored

  function refillTokens(): void {
    const intervals = Math.max(0, Math.floor((now() - filledAt) / everyMs))
    left = Math.min(burst, left + intervals * refill)
    filledAt = left === burst ? now() : filledAt + intervals * everyMs
  }

  return {
    acquire() {
      refillTokens()
      if (left === 0) return Math.max(1, filledAt + everyMs - now())
      left -= 1
      return 0
    },
    get full() {
      refillTokens()
      return left === burst
    },
    get state() {
      return { left, filledAt }
    },
  }
}
