// A token bucket: so many at once, and a refill after each interval.

export interface Rate {
  burst: number
  /** How many are added after each `everyMs`, up to `burst`; 1 by default. */
  refill?: number
  everyMs: number
}

/** As it is stored. */
export interface RateLimiterState {
  /** Below 0 if some were taken in advance. */
  left: number
  filledAt: number
}

export class RateLimiter {
  readonly #rate: Required<Rate>
  readonly #now: () => number
  #left: number
  #filledAt: number

  /** `now` in milliseconds; `stored` is the state of an earlier limiter. */
  constructor(rate: Rate, now: () => number, stored?: RateLimiterState) {
    this.#rate = { refill: 1, ...rate }
    this.#now = now
    this.#left = stored?.left ?? rate.burst
    this.#filledAt = stored?.filledAt ?? now()
  }

  /** Takes `count` if one is left, the rest of them in advance, and returns 0; or returns the milliseconds to wait. */
  acquire(count = 1): number {
    this.#refill()
    if (this.#left <= 0) {
      const intervals = Math.ceil((1 - this.#left) / this.#rate.refill)
      return Math.max(1, this.#filledAt + intervals * this.#rate.everyMs - this.#now())
    }
    this.#left -= count
    return 0
  }

  /** Nothing was taken lately, so a new limiter would be equal. */
  get isFull(): boolean {
    this.#refill()
    return this.#left === this.#rate.burst
  }

  get state(): RateLimiterState {
    return { left: this.#left, filledAt: this.#filledAt }
  }

  #refill(): void {
    const { burst, refill, everyMs } = this.#rate
    const now = this.#now()
    // Else nothing would be added until a clock that was set back is there again.
    this.#filledAt = Math.min(this.#filledAt, now)
    const intervals = Math.floor((now - this.#filledAt) / everyMs)
    this.#left = Math.min(burst, this.#left + intervals * refill)
    this.#filledAt = this.#left === burst ? now : this.#filledAt + intervals * everyMs
  }
}
