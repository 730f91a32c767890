// A cache of opened keys in memory: each message reads about ten of them.

import { LRUCache } from 'lru-cache'
import type { CredentialChange, CredentialStore } from './credential-store.ts'

/** Of all sessions together. Most keys take about 1 KB. */
const MAX_KEYS = 5000
/** Records of sessions and senders grow by what strangers send, so their number alone is no bound. */
const MAX_BYTES = 16 * 2 ** 20
/** What an entry takes beside its value: its key, and its place in the cache. */
const ENTRY_BYTES = 256

/** The cached kinds. Other keys are used once, or exist by the hundred. */
const KINDS = [
  'session',
  'identity-key',
  'sender-key',
  'sender-key-memory',
  'lid-mapping',
  'device-list',
  'tctoken',
]

/** Stands for a key that is known not to exist. */
const NOTHING = new Uint8Array()

type Bytes = Uint8Array<ArrayBuffer>

/** Returns the same as the store, if no other host writes the keys of an instance between two calls of `startGeneration`. */
export class CachedCredentials implements CredentialStore {
  readonly #store: CredentialStore
  readonly #cache = new LRUCache<string, Bytes>({
    max: MAX_KEYS,
    maxSize: MAX_BYTES,
    sizeCalculation: ({ length }) => ENTRY_BYTES + length,
  })
  /** Part of the keys of an instance's entries: with a new number, all its old entries are unreachable. */
  readonly #generations = new Map<string, number>()
  #lastGeneration = 0
  /** Grows before and after each write: a value that was read during one is not cached. */
  readonly #writes = new Map<string, number>()

  constructor(store: CredentialStore) {
    this.#store = store
  }

  /** Called before an instance connects: another host may have written its keys since it was last here. */
  startGeneration(instance: string): void {
    this.#lastGeneration += 1
    this.#generations.set(instance, this.#lastGeneration)
  }

  readAll(instance: string, kind: string): Promise<Map<string, Bytes>> {
    return this.#store.readAll(instance, kind)
  }

  /** Not used for the cached kinds. */
  deleteLater(instance: string, kind: string, listIds: () => string[]): Promise<void> {
    return this.#store.deleteLater(instance, kind, listIds)
  }

  async read(instance: string, kind: string, ids: string[]): Promise<Map<string, Bytes>> {
    if (!KINDS.includes(kind) || !this.#generations.has(instance))
      return this.#store.read(instance, kind, ids)
    const found = new Map<string, Bytes>()
    const missing: string[] = []
    for (const id of ids) {
      const known = this.#cache.get(this.#buildKey(instance, kind, id))
      if (known === undefined) missing.push(id)
      else if (known !== NOTHING) found.set(id, known)
    }
    if (missing.length > 0) await this.#readMissing(instance, kind, missing, found)
    return found
  }

  async write(instance: string, changes: CredentialChange[]): Promise<void> {
    this.#countWrite(instance)
    try {
      await this.#store.write(instance, changes)
      for (const change of changes) this.#cacheValue(instance, change)
    } catch (error) {
      // A failed write may have taken effect all the same, so everything is read again.
      this.startGeneration(instance)
      throw error
    } finally {
      this.#countWrite(instance)
    }
  }

  async deleteAll(instance: string): Promise<void> {
    await this.#store.deleteAll(instance)
    this.startGeneration(instance)
  }

  async #readMissing(instance: string, kind: string, missing: string[], found: Map<string, Bytes>) {
    const writes = this.#writes.get(instance)
    const generation = this.#generations.get(instance)
    const read = await this.#store.read(instance, kind, missing)
    for (const id of missing) {
      const value = read.get(id)
      if (value) found.set(id, value)
      const unchanged =
        this.#writes.get(instance) === writes && this.#generations.get(instance) === generation
      if (unchanged) this.#cacheValue(instance, { kind, id, value: value ?? null })
    }
  }

  #buildKey(instance: string, kind: string, id: string): string {
    return `${this.#generations.get(instance)} ${kind} ${id}`
  }

  #cacheValue(instance: string, { kind, id, value }: CredentialChange): void {
    if (KINDS.includes(kind)) this.#cache.set(this.#buildKey(instance, kind, id), value ?? NOTHING)
  }

  #countWrite(instance: string): void {
    this.#writes.set(instance, (this.#writes.get(instance) ?? 0) + 1)
  }
}
