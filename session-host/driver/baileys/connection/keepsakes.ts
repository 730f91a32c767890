// What must outlive a socket but not the process: retry counters and other devices' lists, an instance's own, bounded.

import type { CacheStore } from 'baileys'
import { HOUR, MINUTE } from '../../../../shared/clock.ts'

export interface Keepsakes {
  retries: CacheStore
  devices: CacheStore
}

export const makeKeepsakes = (): Keepsakes => ({
  retries: boundedCache(500, HOUR),
  devices: boundedCache(1000, 5 * MINUTE),
})

function boundedCache(most: number, keepMs: number): CacheStore {
  const entries = new Map<string, { value: unknown; until: number }>()
  return {
    get<T>(key: string) {
      const entry = entries.get(key)
      if (entry && entry.until > performance.now()) return entry.value as T
      entries.delete(key)
      return undefined
    },
    set(key, value) {
      entries.delete(key)
      entries.set(key, { value, until: performance.now() + keepMs })
      // A Map lists its oldest entry first.
      const oldest = entries.keys().next().value
      if (entries.size > most && oldest !== undefined) entries.delete(oldest)
    },
    del: (key) => void entries.delete(key),
    flushAll: () => entries.clear(),
  }
}
