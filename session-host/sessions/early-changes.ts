// Changes that arrived before the message that they change: stored, and applied when it arrives.

import {
  deleteEarlyChange,
  type EarlyChange,
  listEarlyChanges,
  storeEarlyChange,
} from '../store/early-change-store.ts'
import type { Store } from '../store/host-store.ts'
import type { MessageRow } from '../store/message-store.ts'
import type { Batch } from './intake-batch.ts'
import { readTargetId } from './sealed-changes.ts'

/** Anybody can send changes of messages that never come. Beyond these the oldest one is dropped: of its chat, or of all. */
const MAX_OF_CHAT = 64
const MAX_OF_ALL = 512

export class EarlyChanges {
  readonly #store: Store
  readonly #instance: string
  /** By their messageids, the oldest first; undefined until they are read from disk. A few, so that no message has to be looked up. */
  #changes: Map<string, EarlyChange> | undefined

  constructor(store: Store, instance: string) {
    this.#store = store
    this.#instance = instance
  }

  async add(batch: Batch, { messageid, chatid, record }: MessageRow): Promise<void> {
    const changes = await this.#load()
    const target = record.reaction || readTargetId(record)
    if (target === '') return
    if (!changes.has(messageid)) this.#makeRoom(batch, changes, chatid)
    const change = { instance: this.#instance, messageid, chatid, target }
    changes.set(messageid, change)
    batch.addStatement(storeEarlyChange(this.#store, change))
  }

  /** In memory at once, because one batch may add many. Where that is not stored, the disk has more until the next start and addition. */
  #makeRoom(batch: Batch, changes: Map<string, EarlyChange>, chatid: string): void {
    const ofChat = [...changes.values()].filter((one) => one.chatid === chatid)
    const dropped = ofChat.slice(0, Math.max(0, ofChat.length + 1 - MAX_OF_CHAT))
    if (dropped.length === 0)
      dropped.push(...[...changes.values()].slice(0, Math.max(0, changes.size + 1 - MAX_OF_ALL)))
    for (const { messageid } of dropped) {
      batch.addStatement(deleteEarlyChange(this.#store, this.#instance, messageid))
      changes.delete(messageid)
    }
  }

  /** The messageids of the changes of the message that has this id. */
  async list(target: string): Promise<string[]> {
    const changes = await this.#load()
    if (changes.size === 0) return []
    return [...changes.values()].flatMap((change) => (change.target === target ? change.messageid : []))
  }

  remove(batch: Batch, messageid: string): void {
    batch.addStatement(deleteEarlyChange(this.#store, this.#instance, messageid))
    batch.onCommitted(() => this.#changes?.delete(messageid))
  }

  /** Another host may change them from now on. */
  clear(): void {
    this.#changes = undefined
  }

  async #load(): Promise<Map<string, EarlyChange>> {
    if (!this.#changes) {
      const stored = await listEarlyChanges(this.#store, this.#instance)
      this.#changes = new Map(stored.map((change) => [change.messageid, change]))
    }
    return this.#changes
  }
}
