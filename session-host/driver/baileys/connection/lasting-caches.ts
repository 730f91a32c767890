// Caches of all instances that outlive a socket but not the process: retry counters, device lists, calls, forms of numbers, recipients of status posts.

import { DAY, HOUR, MINUTE, SECOND } from '@msgnet/shared/date-time.ts'
import type { CacheStore } from 'baileys'
import { LRUCache } from 'lru-cache'

/** Enough for 500 sessions that each write to 40 people in five minutes; an entry takes about 300 bytes. */
const MAX_ENTRIES = 20_000

/** Calls that ring, and messages requested from the phone: of few sessions at a time. */
const MAX_SHORT_LIVED = 2000

/** People, over all status posts: each takes some 100 bytes. One post may have 50,000. */
const MAX_VIEWERS = 100_000

/** The cache reads its clock at most this often, because each reading sets a timer that wakes the process. */
const CLOCK_MS = SECOND

/** The caches of one instance. */
export type InstanceCaches = ReturnType<LastingCaches['getCaches']>

type Cache = LRUCache<string, { value: unknown }>

const createCache = (max: number, ttl: number): Cache => new LRUCache({ max, ttl, ttlResolution: CLOCK_MS })

export class LastingCaches {
  readonly #retries = createCache(MAX_ENTRIES, HOUR)
  readonly #devices = createCache(MAX_ENTRIES, 5 * MINUTE)
  readonly #calls = createCache(MAX_SHORT_LIVED, 5 * MINUTE)
  readonly #requested = createCache(MAX_SHORT_LIVED, HOUR)
  readonly #numberForms = new LRUCache<string, string>({
    max: MAX_ENTRIES,
    ttl: DAY,
    ttlResolution: CLOCK_MS,
  })
  readonly #audiences = new LRUCache<string, Set<string>>({
    maxSize: MAX_VIEWERS,
    sizeCalculation: ({ size }) => Math.max(1, size),
    ttl: DAY,
    ttlResolution: CLOCK_MS,
  })
  /** Part of the keys of an instance's entries: with a new number, all its old entries are unreachable. */
  readonly #generations = new Map<string, number>()
  #latest = 0

  getCaches(instance: string) {
    const generation = this.#generations.get(instance) ?? ++this.#latest
    this.#generations.set(instance, generation)
    return {
      retries: createPartition(this.#retries, generation),
      devices: createPartition(this.#devices, generation),
      // The library would make a cache of each kind for each socket: 10 KB of empty tables, and a timer.
      calls: createPartition(this.#calls, generation),
      requested: createPartition(this.#requested, generation),
      /** For numbers whose account has the other form of their country: that form. */
      numberForms: {
        get: (jid: string) => this.#numberForms.get(`${generation} ${jid}`),
        set: (jid: string, registered: string) =>
          void this.#numberForms.set(`${generation} ${jid}`, registered),
        delete: (jid: string) => void this.#numberForms.delete(`${generation} ${jid}`),
      },
      /** The people that each status post was sent to, for as long as phones show it. */
      audiences: {
        addViewers: (messageid: string, people: string[]) =>
          void this.#audiences.set(`${generation} ${messageid}`, new Set(people)),
        /** By any of these ids. Empty after a start of the process. */
        includesAny: (messageid: string, ids: string[]) => {
          const people = this.#audiences.get(`${generation} ${messageid}`)
          return people !== undefined && ids.some((id) => people.has(id))
        },
      },
    }
  }

  dropCaches(instance: string): void {
    this.#generations.delete(instance)
  }
}

function createPartition(cache: Cache, generation: number): CacheStore {
  const toKey = (key: string) => `${generation} ${key}`
  return {
    get: <Value>(key: string) => cache.get(toKey(key))?.value as Value | undefined,
    set: (key, value) => void cache.set(toKey(key), { value }),
    del: (key) => void cache.delete(toKey(key)),
    flushAll() {
      for (const name of cache.keys()) if (name.startsWith(toKey(''))) cache.delete(name)
    },
  }
}
