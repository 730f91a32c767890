// How many of one sender's undecryptable messages a socket asks for again: garbage is not answered without end.

import type { WAMessageKey, WASocket } from 'baileys'
import { MINUTE } from '../../../../shared/clock.ts'
import type { Clock } from '../../../clock.ts'
import { makeGrowingCache } from '../../../growing-cache.ts'
import { inward } from '../ids.ts'

/** More than a phone has on its way when its session is lost: what is not asked for again is lost for good. */
const AT_ONCE = 100
const A_MINUTE = 10
const SENDERS = 1000

interface Bucket {
  left: number
  at: number
}

export interface RetryQuota {
  /** The library decrypts this message next. */
  decrypting(key: WAMessageKey): void
  /** Whether the message may be asked for again; counts it. */
  take(messageid: string): boolean
}

export function makeRetryQuota(clock: Pick<Clock, 'now'>): RetryQuota {
  const buckets = makeGrowingCache<string, Bucket>(SENDERS)
  /** The library decrypts one message at a time, and asks for it again before the next. */
  let current: WAMessageKey = {}

  return {
    decrypting(key) {
      current = key
    },
    take(messageid) {
      // What was not decrypted, because of its form, is counted for all senders together.
      const sender = current.id === messageid ? inward(current.participant || current.remoteJid) : ''
      const now = clock.now()
      const { left, at } = buckets.get(sender) ?? { left: AT_ONCE, at: now }
      const filled = Math.min(AT_ONCE, left + ((now - at) / MINUTE) * A_MINUTE)
      const allowed = filled >= 1
      buckets.set(sender, { left: allowed ? filled - 1 : filled, at: now })
      return allowed
    },
  }
}

/** Above the quota a message counts as one that was asked for too often: it is acknowledged, and reported as undecryptable. */
export function limitRetries({ messageRetryManager: manager }: WASocket, quota: RetryQuota): void {
  if (!manager) return
  const exceeded = manager.hasExceededMaxRetries.bind(manager)
  manager.hasExceededMaxRetries = (messageid) => exceeded(messageid) || !quota.take(messageid)
}
