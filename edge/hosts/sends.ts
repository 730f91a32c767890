// Counts the sends of each instance of a host against its quota, in the link object, which every act passes.

import { SECOND } from '../../shared/clock.ts'
import { type Meter, makeMeter } from '../../shared/meter.ts'
import type { Act } from '../../shared/wire/frames.ts'
import { type Env, sendRateOf } from '../env.ts'
import { isSend, sendsAt } from '../quotas.ts'

/** Instances that have not sent lately are forgotten: their meter is full, like a new one. */
const FORGET_EVERY = 10 * SECOND

export class Sends {
  readonly #rate: ReturnType<typeof sendsAt>
  readonly #meters = new Map<string, Meter>()
  #forgottenAt = Date.now()

  constructor(env: Env) {
    this.#rate = sendsAt(sendRateOf(env))
  }

  /** 0 if the act may go on, or else the milliseconds to wait. */
  take({ action, instance }: Act): number {
    if (!this.#rate || !isSend(action)) return 0
    const meter = this.#meters.get(instance) ?? makeMeter(this.#rate, Date.now)
    this.#meters.set(instance, meter)
    const wait = meter.take()
    this.#forget()
    return wait
  }

  #forget(): void {
    if (Date.now() - this.#forgottenAt < FORGET_EVERY) return
    this.#forgottenAt = Date.now()
    for (const [instance, meter] of this.#meters) if (meter.full) this.#meters.delete(instance)
  }
}
