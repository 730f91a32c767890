// Counts the sends of each instance of a host against its quota, in the link object, which every act passes.

import { SECOND } from '../../shared/date-time.ts'
import { createRateLimiter, type RateLimiter } from '../../shared/rate-limiter.ts'
import type { Act } from '../../shared/wire/link-frames.ts'
import { type Env, readSendRate } from '../env.ts'
import { createSendRate, isSendAction } from '../quotas.ts'

/** Instances that have not sent lately are forgotten: their meter is full, like a new one. */
const FORGET_EVERY = 10 * SECOND

export class SendQuota {
  readonly #rate: ReturnType<typeof createSendRate>
  readonly #meters = new Map<string, RateLimiter>()
  #forgottenAt = Date.now()

  constructor(env: Env) {
    this.#rate = createSendRate(readSendRate(env))
  }

  /** 0 if the act may go on, or else the milliseconds to wait. */
  takeSend({ action, instance }: Act): number {
    if (!this.#rate || !isSendAction(action)) return 0
    const meter = this.#meters.get(instance) ?? createRateLimiter(this.#rate, Date.now)
    this.#meters.set(instance, meter)
    const wait = meter.acquire()
    this.#forget()
    return wait
  }

  #forget(): void {
    if (Date.now() - this.#forgottenAt < FORGET_EVERY) return
    this.#forgottenAt = Date.now()
    for (const [instance, meter] of this.#meters) if (meter.full) this.#meters.delete(instance)
  }
}
