// Caches of all instances that outlive a socket but not the process: retry counters, device lists, calls, recipients of status posts.

import type { CacheStore } from 'baileys'
import { LRUCache } from 'lru-cache'
import { DAY, HOUR, MINUTE, SECOND } from '../../../../shared/clock.ts'

/** Enough for 500 sessions that each write to 40 people in five minutes; an entry takes about 300 bytes. */
const KEPT = 20_000

/** Calls that ring, and messages that the phone was asked for: of few sessions at a time. */
const KEPT_SHORTLY = 2000

/** People, over all status posts: each takes some 100 bytes. One post may have 50,000. */
const KEPT_VIEWERS = 100_000

/** The cache reads its clock at most this often, because each reading sets a timer that wakes the process. */
const CLOCK_MS = SECOND

/** The caches of one instance. */
export interface InstanceCaches {
  retries: CacheStore
  devices: CacheStore
  /** The library would make a cache of each kind for each socket: 10 KB of empty tables, and a timer. */
  calls: CacheStore
  requested: CacheStore
  /** Who was sent which status post, for as long as phones show it. */
  audiences: Audiences
}

export interface Audiences {
  keep(messageid: string, people: string[]): void
  /** By any of these ids. Empty after a start of the process. */
  includes(messageid: string, ids: string[]): boolean
}

export interface LastingCaches {
  of(instance: string): InstanceCaches
  forget(instance: string): void
}

type Cache = LRUCache<string, { value: unknown }>

export function makeLastingCaches(): LastingCaches {
  const retries: Cache = new LRUCache({ max: KEPT, ttl: HOUR, ttlResolution: CLOCK_MS })
  const devices: Cache = new LRUCache({ max: KEPT, ttl: 5 * MINUTE, ttlResolution: CLOCK_MS })
  const calls: Cache = new LRUCache({ max: KEPT_SHORTLY, ttl: 5 * MINUTE, ttlResolution: CLOCK_MS })
  const requested: Cache = new LRUCache({ max: KEPT_SHORTLY, ttl: HOUR, ttlResolution: CLOCK_MS })
  const audiences = new LRUCache<string, Set<string>>({
    ...{ maxSize: KEPT_VIEWERS, sizeCalculation: ({ size }) => Math.max(1, size) },
    ...{ ttl: DAY, ttlResolution: CLOCK_MS },
  })
  /** Part of the keys of an instance's entries: with a new number, all its old entries are unreachable. */
  const generations = new Map<string, number>()
  let latest = 0

  return {
    of(instance) {
      const generation = generations.get(instance) ?? ++latest
      generations.set(instance, generation)
      return {
        retries: partOf(retries, generation),
        devices: partOf(devices, generation),
        calls: partOf(calls, generation),
        requested: partOf(requested, generation),
        audiences: {
          keep: (messageid, people) => void audiences.set(`${generation} ${messageid}`, new Set(people)),
          includes(messageid, ids) {
            const people = audiences.get(`${generation} ${messageid}`)
            return people !== undefined && ids.some((id) => people.has(id))
          },
        },
      }
    },
    forget: (instance) => void generations.delete(instance),
  }
}

function partOf(cache: Cache, generation: number): CacheStore {
  const nameOf = (key: string) => `${generation} ${key}`
  return {
    get: <Value>(key: string) => cache.get(nameOf(key))?.value as Value | undefined,
    set: (key, value) => void cache.set(nameOf(key), { value }),
    del: (key) => void cache.delete(nameOf(key)),
    flushAll() {
      for (const name of cache.keys()) if (name.startsWith(nameOf(''))) cache.delete(name)
    },
  }
}
