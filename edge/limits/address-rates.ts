// How often an address may do something that needs no credential, or a caller something that is not counted otherwise, in this isolate.

import { Fault } from '@msgnet/shared/fault-table.ts'
import { type Rate, RateLimiter } from '@msgnet/shared/rate-limiter.ts'
import { toWholeSeconds } from './quotas.ts'

/** An attacker with more networks than this does more than one address may. */
const MAX_REMEMBERED = 10_000

export class AddressRates {
  readonly #rate: Rate
  /** The one that was used last is the last. */
  readonly #limiters = new Map<string, RateLimiter>()

  constructor(rate: Rate) {
    this.#rate = rate
  }

  /** 0, or the milliseconds to wait. */
  acquire(address: string): number {
    const limiter = this.#limiters.get(address) ?? new RateLimiter(this.#rate, Date.now)
    this.#limiters.delete(address)
    this.#limiters.set(address, limiter)
    const [oldest] = this.#limiters.keys()
    if (oldest !== undefined && this.#limiters.size > MAX_REMEMBERED) this.#limiters.delete(oldest)
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
