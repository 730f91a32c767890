// Posts presence to the webhooks of one instance, independently of each other: one request at a time, each state once. While a state waits, a newer one of the same person replaces it.

import type { PresenceItem } from '@msgnet/shared/contract/presence-event.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import type { EnvelopeSource } from '../dialect/envelope.ts'
import type { PostDestination, PresenceBatch } from '../objects/due-events.ts'
import { count } from '../observability/counters.ts'
import type { Env } from '../settings/env.ts'
import { openStore } from '../store/database/open-store.ts'
import { postSigned } from './attempt-delivery.ts'
import { tryToWrite } from './try-to-write.ts'

/** A state that waited longer is worth nothing. */
const MAX_AGE = 30 * SECOND
/** After a request that failed. */
const PAUSE = 5 * SECOND
/** The most states that wait; the oldest is dropped. */
const MAX_WAITING = 1000

interface PresenceTarget extends Pick<PresenceBatch, 'instanceName' | 'handle'> {
  destination: PostDestination
}

/** One for each webhook, so that none delays another. */
export class PresenceSenders {
  readonly #env: Env
  readonly #senders = new Map<string, PresenceSender>()

  constructor(env: Env) {
    this.#env = env
  }

  send(target: PresenceTarget, items: PresenceItem[]): Promise<void> {
    const { id } = target.destination
    const sender = this.#senders.get(id) ?? new PresenceSender(this.#env)
    this.#senders.set(id, sender)
    return sender.send(target, items)
  }

  /** The webhooks have changed: what waits was for those before. */
  clear(): void {
    for (const sender of this.#senders.values()) sender.clear()
    this.#senders.clear()
  }
}

class PresenceSender {
  readonly #env: Env
  /** By chat and person, the one that has waited longest first. */
  readonly #waiting = new Map<string, PresenceItem>()
  #target: PresenceTarget | undefined
  #running: Promise<void> | undefined
  #pausedUntil = 0

  constructor(env: Env) {
    this.#env = env
  }

  /** Returns when nothing waits, or a request has failed. The target is as it was when these states arrived. */
  send(target: PresenceTarget, items: PresenceItem[]): Promise<void> {
    this.#target = target
    for (const item of items) this.#addWaiting(item)
    this.#running ??= this.#sendWaiting().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** The webhook has changed: what waits was for the one before. */
  clear(): void {
    this.#waiting.clear()
  }

  #addWaiting(item: PresenceItem): void {
    this.#waiting.set(`${item.event.number} ${item.event.Sender}`, item)
    const [oldest] = this.#waiting.keys()
    if (this.#waiting.size > MAX_WAITING && oldest !== undefined) this.#waiting.delete(oldest)
  }

  async #sendWaiting(): Promise<void> {
    while (Date.now() >= this.#pausedUntil) {
      const [next] = this.#waiting
      if (!next || !this.#target) return
      const [key, item] = next
      this.#waiting.delete(key)
      if (Date.now() - item.at > MAX_AGE) continue
      const isDelivered = await this.#post(this.#target, item)
      count('edge_presence_total', { result: isDelivered ? 'delivered' : 'failed' })
      if (!isDelivered) this.#pausedUntil = Date.now() + PAUSE
    }
  }

  /** Presence has one part, or none in a form that has no words for it. */
  async #post({ destination, ...target }: PresenceTarget, item: PresenceItem): Promise<boolean> {
    const { dialects } = this.#env
    const format = dialects.findFormat(destination.format)
    if (!format) return false
    const store = openStore(this.#env)
    const source = toEnvelopeSource(item)
    const written = await tryToWrite(this.#env, source, async () => {
      const [part] = await format.toParts(source, { ...target, store, receiver: destination })
      return part && { ...part, body: await part.createBody() }
    })
    if (!written || typeof written.body === 'string') return true
    const { id, url, body } = written
    const address = { ...destination, url }
    const { delivered } = await postSigned(this.#env, address, id, body, undefined, format.signing)
    return delivered
  }
}

/** Its `seq` is 0, because it is not stored. */
export const toEnvelopeSource = ({ id, instance, owner, at, event }: PresenceItem): EnvelopeSource => ({
  id,
  instanceId: instance,
  seq: 0,
  type: 'presence',
  owner,
  at,
  payload: { event },
})
