// How many messages each instance of a host may still send: counted where every act passes anyway.

import { SECOND } from '../../shared/clock.ts'
import { type Meter, makeMeter } from '../../shared/meter.ts'
import type { Act } from '../../shared/wire/frames.ts'
import { type Env, sendRateOf } from '../env.ts'
import { isSend, sendsAt } from '../quotas.ts'

/** Those who have not sent lately are forgotten: a new meter is full too. */
const FORGET_EVERY = 10 * SECOND

export class Sends {
  readonly #rate: ReturnType<typeof sendsAt>
  readonly #meters = new Map<string, Meter>()
  #forgottenAt = Date.now()

  constructor(env: Env) {
    this.#rate = sendsAt(sendRateOf(env))
  }

  /** 0 when the act may go on, else in how many milliseconds it may. */
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
