// A cache of opened keys in memory: each message reads about ten of them.

import { LRUCache } from 'lru-cache'
import type { CredentialChange, CredentialStore } from './credential-store.ts'

/** Entries for all sessions together; a key takes about 1 KB. */
const MAX_KEYS = 5000

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

export interface CachedCredentials extends CredentialStore {
  /** Called before an instance connects: another host may have written its keys since it was last here. */
  startGeneration(instance: string): void
}

/** Gives the same answers as the store, if no other host writes the keys of an instance between two calls of `begin`. */
export function createCachedCredentials(store: CredentialStore): CachedCredentials {
  const cache = new LRUCache<string, Uint8Array<ArrayBuffer>>({ max: MAX_KEYS })
  /** Part of the keys of an instance's entries: with a new number, all its old entries are unreachable. */
  const generations = new Map<string, number>()
  let lastGeneration = 0
  /** Grows before and after each write: a value that was read during one is not cached. */
  const writes = new Map<string, number>()

  const buildKey = (instance: string, kind: string, id: string) =>
    `${generations.get(instance)} ${kind} ${id}`
  const countWrite = (instance: string) => writes.set(instance, (writes.get(instance) ?? 0) + 1)
  const startGeneration = (instance: string) => void generations.set(instance, ++lastGeneration)

  function cacheValue(instance: string, { kind, id, value }: CredentialChange): void {
    if (KINDS.includes(kind)) cache.set(buildKey(instance, kind, id), value ?? NOTHING)
  }

  return {
    startGeneration,
    readAll: store.readAll,
    // Not used for the cached kinds.
    deleteLater: store.deleteLater,
    async read(instance, kind, ids) {
      if (!KINDS.includes(kind) || !generations.has(instance)) return store.read(instance, kind, ids)
      const found = new Map<string, Uint8Array<ArrayBuffer>>()
      const missing: string[] = []
      for (const id of ids) {
        const known = cache.get(buildKey(instance, kind, id))
        if (known === undefined) missing.push(id)
        else if (known !== NOTHING) found.set(id, known)
      }
      if (missing.length === 0) return found
      const before = writes.get(instance)
      const generation = generations.get(instance)
      const read = await store.read(instance, kind, missing)
      for (const id of missing) {
        const value = read.get(id)
        if (value) found.set(id, value)
        const unchanged = writes.get(instance) === before && generations.get(instance) === generation
        if (unchanged) cacheValue(instance, { kind, id, value: value ?? null })
      }
      return found
    },
    async write(instance, changes) {
      countWrite(instance)
      try {
        await store.write(instance, changes)
        for (const change of changes) cacheValue(instance, change)
      } catch (error) {
        // A failed write may have taken effect all the same, so everything is read again.
        startGeneration(instance)
        throw error
      } finally {
        countWrite(instance)
      }
    },
    async deleteAll(instance) {
      await store.deleteAll(instance)
      startGeneration(instance)
    },
  }
}
