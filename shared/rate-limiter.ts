// A token bucket: so many at once, and a refill after each interval.

export interface Rate {
  burst: number
  /** How many are added after each `everyMs`, up to `burst`; 1 by default. */
  refill?: number
  everyMs: number
}

/** As it is stored. */
export interface RateLimiterState {
  left: number
  filledAt: number
}

export class RateLimiter {
  readonly #rate: Required<Rate>
  readonly #now: () => number
  #left: number
  #filledAt: number

  /** `now` in milliseconds, of a clock that does not run backwards; `stored` is the state of an earlier limiter. */
  constructor(rate: Rate, now: () => number, stored?: RateLimiterState) {
    this.#rate = { refill: 1, ...rate }
    this.#now = now
    this.#left = stored?.left ?? rate.burst
    this.#filledAt = stored?.filledAt ?? now()
  }

  /** Takes one and returns 0, or returns the milliseconds to wait. */
  acquire(): number {
    this.#refill()
    if (this.#left === 0) return Math.max(1, this.#filledAt + this.#rate.everyMs - this.#now())
    this.#left -= 1
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
    const intervals = Math.max(0, Math.floor((this.#now() - this.#filledAt) / everyMs))
    this.#left = Math.min(burst, this.#left + intervals * refill)
    this.#filledAt = this.#left === burst ? this.#now() : this.#filledAt + intervals * everyMs
  }
}
