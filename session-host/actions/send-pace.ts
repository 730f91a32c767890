// How fast an instance sends: what its callers send and what was scheduled share one rate.

import { MINUTE } from '@msgnet/shared/date-time.ts'
import { type Rate, RateLimiter } from '@msgnet/shared/rate-limiter.ts'
import type { Clock } from '../process/machine-clock.ts'

/** Callers send first, and a message that is due waits for them, but no longer than this. */
const MAX_YIELD_MS = MINUTE

interface Limiters {
  /** Of both: it never has more left than the other. */
  all: RateLimiter
  due: RateLimiter
}

export class SendPace {
  readonly #rate: Rate | undefined
  readonly #clock: Clock
  readonly #limiters = new Map<string, Limiters>()

  /** `rate`: undefined for no limit. */
  constructor(rate: Rate | undefined, clock: Clock) {
    this.#rate = rate
    this.#clock = clock
  }

  /** A caller sends so many now. The edge refuses what is too fast, so that nothing waits here. */
  countSends(instance: string, count: number): void {
    if (this.#rate && count > 0) this.#findLimiters(instance, this.#rate).all.acquire(count)
  }

  /** 0 if a message may leave that has been due for so long, or else the milliseconds to wait. */
  acquireDue(instance: string, lateMs: number): number {
    if (!this.#rate) return 0
    const { all, due } = this.#findLimiters(instance, this.#rate)
    const yieldMs = MAX_YIELD_MS - lateMs
    const [asked, other] = yieldMs > 0 ? [all, due] : [due, all]
    const waitMs = asked.acquire()
    if (waitMs === 0) other.acquire()
    return yieldMs > 0 ? Math.min(waitMs, yieldMs) : waitMs
  }

  #findLimiters(instance: string, rate: Rate): Limiters {
    for (const [other, { all }] of this.#limiters) if (all.isFull) this.#limiters.delete(other)
    const createLimiter = () => new RateLimiter(rate, () => this.#clock.now())
    const limiters = this.#limiters.get(instance) ?? { all: createLimiter(), due: createLimiter() }
    this.#limiters.set(instance, limiters)
    return limiters
  }
}
