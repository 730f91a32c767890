// What must outlive a socket but not the process: retry counters and other devices' lists, of all instances together.

import type { CacheStore } from 'baileys'
import { LRUCache } from 'lru-cache'
import { HOUR, MINUTE, SECOND } from '../../../../shared/clock.ts'

/** As much as 500 sessions need that each write to 40 people in five minutes; an entry takes some 300 bytes. */
const KEPT = 20_000

/** The cache reads its clock no more often, and a timer wakes the process after each reading. */
const CLOCK_MS = SECOND

/** Of one instance. */
export interface InstanceCaches {
  retries: CacheStore
  devices: CacheStore
}

export interface LastingCaches {
  of(instance: string): InstanceCaches
  forget(instance: string): void
}

type Cache = LRUCache<string, { value: unknown }>

export function makeLastingCaches(): LastingCaches {
  const retries: Cache = new LRUCache({ max: KEPT, ttl: HOUR, ttlResolution: CLOCK_MS })
  const devices: Cache = new LRUCache({ max: KEPT, ttl: 5 * MINUTE, ttlResolution: CLOCK_MS })
  /** Names the entries of an instance: under another number, all that was kept of it is out of reach. */
  const generations = new Map<string, number>()
  let latest = 0

  return {
    of(instance) {
      const generation = generations.get(instance) ?? ++latest
      generations.set(instance, generation)
      return { retries: partOf(retries, generation), devices: partOf(devices, generation) }
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
