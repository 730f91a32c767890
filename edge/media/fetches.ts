// Fetches of URLs that callers gave: each instance has a few at once, in this isolate.

import { SECOND } from '../../shared/clock.ts'
import { limits } from '../../shared/contract/version.ts'
import { overQuota } from '../quotas.ts'

/** A request that was given up may never come to say that its fetch is over: what is still for so long is. */
const STILL_FOR = 20 * SECOND

export interface Fetching {
  /** Something has come. */
  goesOn(): void
  end(): void
}

const under = new Map<string, Set<{ until: number }>>()

/** Throws when the instance has as many under way as it may. */
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
