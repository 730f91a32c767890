// Keys that a session uses again and again, kept opened in memory: each message asks for some ten of them.

import { LRUCache } from 'lru-cache'
import type { CredentialChange, CredentialStore } from './credentials.ts'

/** For all sessions together; a key takes about 1 KB. */
const KEPT = 5000

/** The others are used once, or are there by the hundred. */
const KINDS = [
  'session',
  'identity-key',
  'sender-key',
  'sender-key-memory',
  'lid-mapping',
  'device-list',
  'tctoken',
]

/** What is not there is remembered too. */
const NOTHING = new Uint8Array()

export interface CachedCredentials extends CredentialStore {
  /** The instance is about to connect: another host may have written its keys since it was last here. */
  begin(instance: string): void
}

/** Answers what the store answers, as long as nobody else writes the keys of an instance between two calls of `begin`. */
export function cachedCredentials(store: CredentialStore): CachedCredentials {
  const cache = new LRUCache<string, Uint8Array<ArrayBuffer>>({ max: KEPT })
  /** Names the entries of an instance: under another number, all that was kept of it is out of reach. */
  const generations = new Map<string, number>()
  let begun = 0
  /** Grows before and after each write: what was read across one is not kept. */
  const writes = new Map<string, number>()

  const keyOf = (instance: string, kind: string, id: string) => `${generations.get(instance)} ${kind} ${id}`
  const countWrite = (instance: string) => writes.set(instance, (writes.get(instance) ?? 0) + 1)
  const begin = (instance: string) => void generations.set(instance, ++begun)

  function keep(instance: string, { kind, id, value }: CredentialChange): void {
    if (KINDS.includes(kind)) cache.set(keyOf(instance, kind, id), value ?? NOTHING)
  }

  return {
    begin,
    all: store.all,
    // None of the kinds that are kept here is forgotten so.
    forget: store.forget,
    async read(instance, kind, ids) {
      if (!KINDS.includes(kind) || !generations.has(instance)) return store.read(instance, kind, ids)
      const found = new Map<string, Uint8Array<ArrayBuffer>>()
      const missing: string[] = []
      for (const id of ids) {
        const known = cache.get(keyOf(instance, kind, id))
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
        const asItIs = writes.get(instance) === before && generations.get(instance) === generation
        if (asItIs) keep(instance, { kind, id, value: value ?? null })
      }
      return found
    },
    async write(instance, changes) {
      countWrite(instance)
      try {
        await store.write(instance, changes)
        for (const change of changes) keep(instance, change)
      } catch (thrown) {
        // It may be there all the same: everything is read again.
        begin(instance)
        throw thrown
      } finally {
        countWrite(instance)
      }
    },
    async clear(instance) {
      await store.clear(instance)
      begin(instance)
    },
  }
}
