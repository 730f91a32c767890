// Apart from apply-patches.ts, because each patch is removed alone. Patch: the caches of a socket's retries take memory only for what is
// in them.

import { MessageRetryManager } from 'baileys/lib/Utils/message-retry-manager.js'
import type { LRUCache } from 'lru-cache'
import { createGrowingCache } from '../../../process/growing-cache.ts'
import type { Patch } from './patch.ts'

/** The caches that the library creates with a number of entries. Its other two grow already. */
const FIXED = ['recentMessagesMap', 'baseKeys'] as const

type Cache = LRUCache<string, object>

/** With the same limits as the library's own. */
const toGrowingCache = ({ max, ttl, ttlAutopurge, dispose }: Cache): Cache =>
  createGrowingCache(max, { ttl, ttlAutopurge, ...(dispose && { dispose }) })

export const growingRetryCaches: Patch = {
  name: 'growing-retry-caches',
  library: 'baileys@7.0.0-rc14',
  fault:
    'MessageRetryManager allocates space for 512 messages and 1,024 keys with their times as soon as a socket is created, and hardly ever uses it.',
  why: 'It was 75 KB of each session, a fifth of what an idle one took in a host.',
  upstream:
    'To file with WhiskeySockets/Baileys: "MessageRetryManager takes 75 KB a socket for empty caches: give lru-cache maxSize in place of max". With the heap of a process before and after a thousand of them.',
  until:
    'MessageRetryManager creates its caches at their first use or without max, or they can be passed in.',
  apply() {
    // The constructor assigns its own caches, which are dropped with all their room.
    for (const name of FIXED)
      Object.defineProperty(MessageRetryManager.prototype, name, {
        configurable: true,
        set(this: MessageRetryManager, own: Cache) {
          Object.defineProperty(this, name, { value: toGrowingCache(own) })
        },
      })
  },
}
