// Apart from apply-patches.ts, because each patch is removed alone. Patch: a socket's cache of phone numbers and LIDs is bounded by a
// number of entries, without timers.

import { LIDMappingStore } from 'baileys/lib/Signal/lid-mapping.js'
import { createGrowingCache } from '../../../process/growing-cache.ts'
import type { Patch } from './patch.ts'

/** Entries per socket. Other pairs are read from the store. */
const MAX_PAIRS = 500

export const lastingMappings: Patch = {
  name: 'lasting-mappings',
  library: 'baileys@7.0.0-rc14',
  fault:
    'LIDMappingStore keeps an unlimited number of pairs for three days each, and sets a new timer for a pair at each lookup.',
  why: 'A send looked up nine pairs: nine timers, and one more a millisecond later that wakes the process only to say what time it is.',
  upstream:
    'To file with WhiskeySockets/Baileys: "LIDMappingStore: ttlAutopurge with updateAgeOnGet sets a timer for each look-up". With a count of the timers that a send sets.',
  until: 'LIDMappingStore limits the number of its entries, or its cache can be passed in.',
  apply() {
    // The constructor assigns its own cache, which then stays empty and sets no timer.
    Object.defineProperty(LIDMappingStore.prototype, 'mappingCache', {
      configurable: true,
      set(this: LIDMappingStore) {
        Object.defineProperty(this, 'mappingCache', { value: createGrowingCache<string, string>(MAX_PAIRS) })
      },
    })
  },
}
