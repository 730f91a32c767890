// How often an address may do something that needs no credential, or a caller something that is not counted otherwise, in this isolate.

import { Fault } from '@msgnet/shared/fault-table.ts'
import { type Rate, RateLimiter } from '@msgnet/shared/rate-limiter.ts'
import { toWholeSeconds } from './quotas.ts'

const MAX_REMEMBERED = 1000

export class AddressRates {
  readonly #rate: Rate
  readonly #limiters = new Map<string, RateLimiter>()

  constructor(rate: Rate) {
    this.#rate = rate
  }

  /** 0, or the milliseconds to wait. */
  acquire(address: string): number {
    const limiter = this.#limiters.get(address) ?? new RateLimiter(this.#rate, Date.now)
    this.#limiters.set(address, limiter)
    if (this.#limiters.size > MAX_REMEMBERED)
      for (const [each, { isFull }] of this.#limiters) if (isFull) this.#limiters.delete(each)
    return limiter.acquire()
  }

  /** Throws if the address has used up its rate. */
  take(address: string): void {
    const wait = this.acquire(address)
    if (wait > 0) throw createTooManyFault(wait)
  }
}

export const createTooManyFault = (waitMs: number) =>
  new Fault('quota_reached', 'Too many attempts. Wait a minute.', toWholeSeconds(waitMs))
