// Limits the fetches of callers' URLs: each instance may have a few at a time in this isolate.

import { SECOND } from '../../shared/clock.ts'
import { limits } from '../../shared/contract/version.ts'
import { overQuota } from '../quotas.ts'

/** An aborted request may never end its fetch here, so a fetch without progress for this long counts as ended. */
const STILL_FOR = 20 * SECOND

export interface Fetching {
  /** Called when bytes have arrived. */
  goesOn(): void
  end(): void
}

const under = new Map<string, Set<{ until: number }>>()

/** Throws if the instance has the most fetches under way. */
export function beginFetch(instance: string): Fetching {
  const now = Date.now()
  const fetches = under.get(instance) ?? new Set()
  for (const each of fetches) if (each.until <= now) fetches.delete(each)
  if (fetches.size >= limits.urlFetchesAtOnce) throw overQuota('fetches', SECOND)
  const own = { until: now + STILL_FOR }
  under.set(instance, fetches.add(own))
  return {
    goesOn() {
      own.until = Date.now() + STILL_FOR
    },
    end() {
      fetches.delete(own)
      if (fetches.size === 0 && under.get(instance) === fetches) under.delete(instance)
    },
  }
}
