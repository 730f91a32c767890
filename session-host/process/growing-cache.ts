// A cache with a limit that takes memory only for what is in it, for what every session has of its own.

import { LRUCache } from 'lru-cache'

/** With `max` the package sets aside room for all entries at once: 50 KB of a thousand with their times, empty or not. */
export const createGrowingCache = <Key extends string, Value extends string | object>(
  max: number,
  options: Pick<LRUCache.OptionsBase<Key, Value, unknown>, 'ttl' | 'ttlAutopurge' | 'dispose'> = {},
): LRUCache<Key, Value> => new LRUCache<Key, Value>({ ...options, maxSize: max, sizeCalculation: () => 1 })
