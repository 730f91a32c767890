// The courier of one instance: takes its due events to the receiver. All it must remember is in the database.

import { DurableObject } from 'cloudflare:workers'
import { SECOND } from '../../shared/clock.ts'
import { type Env, webhooksOn } from '../env.ts'
import { log, reasonOf } from '../log.ts'
import { openStore, type Store } from '../store/database.ts'
import { activeDestination, type Lane, nextInLane } from '../store/deliveries.ts'
import { deliver } from './deliver.ts'

const PAGE = 32
const lanes: readonly Lane[] = ['orderly', 'overdue']
/** When the database failed us. */
const TRY_AGAIN_IN = 5 * SECOND

export class Courier extends DurableObject<Env> {
  #instanceId = ''
  #running: Promise<void> | undefined
  /** Raised by each wake: a round that began before it may have missed what is new. */
  #wakes = 0
  /** Raised when the subscription changed: nothing more goes out by what was read before. */
  #changes = 0

  /** Something became due. Returns at once; the round goes on by itself. */
  async wake(instanceId: string): Promise<void> {
    if (!this.#instanceId) {
      this.#instanceId = instanceId
      // An alarm knows the object only by its hash.
      await this.ctx.storage.put('instance', instanceId)
    }
    this.#wakes++
    this.#run()
  }

  async subscriptionChanged(instanceId: string): Promise<void> {
    this.#changes++
    await this.wake(instanceId)
  }

  override async alarm(): Promise<void> {
    this.#instanceId ||= (await this.ctx.storage.get<string>('instance')) ?? ''
    if (!this.#instanceId) return
    this.#wakes++
    this.#run()
    await this.#running
  }

  /** The instance was deleted. */
  async forget(): Promise<void> {
    this.#changes++
    await this.ctx.storage.deleteAlarm()
    await this.ctx.storage.deleteAll()
    this.#instanceId = ''
  }

  #run(): void {
    if (this.#running) return
    this.#running = this.#rounds().finally(() => {
      this.#running = undefined
    })
    this.ctx.waitUntil(this.#running)
  }

  async #rounds(): Promise<void> {
    try {
      let next: number | undefined
      for (let seen = -1; seen !== this.#wakes; ) {
        seen = this.#wakes
        next = await this.#round()
      }
      if (next !== undefined && this.#instanceId) await this.ctx.storage.setAlarm(next)
    } catch (error) {
      log(this.env, 'error', 'courier failed', { instance: this.#instanceId, reason: reasonOf(error) })
      if (this.#instanceId) await this.ctx.storage.setAlarm(Date.now() + TRY_AGAIN_IN)
    }
  }

  /** Answers when the next event is due. */
  async #round(): Promise<number | undefined> {
    if (!webhooksOn(this.env)) return undefined
    const store = openStore(this.env)
    // Side by side, so that a receiver that hangs on what failed before does not hold back what is new.
    const dues = await Promise.all(lanes.map((lane) => this.#walk(store, lane)))
    const known = dues.filter((due) => due !== undefined)
    return known.length > 0 ? Math.min(...known) : undefined
  }

  /** Delivers a lane as far as it is due; answers when its next event is. */
  async #walk(store: Store, lane: Lane): Promise<number | undefined> {
    for (;;) {
      const changes = this.#changes
      const destined = await activeDestination(store, this.#instanceId)
      if (!destined) return undefined
      const page = await nextInLane(store, this.#instanceId, lane, PAGE)
      if (page.length === 0) return undefined
      for (const event of page) {
        const due = event.nextAttemptAt ?? 0
        if (due > Date.now()) return due
        const { blockedUntil, halt } = await deliver(this.env, store, destined, event)
        if (halt) return undefined
        if (lane === 'orderly' && blockedUntil !== undefined) return blockedUntil
        if (this.#changes !== changes) break
      }
    }
  }
}
