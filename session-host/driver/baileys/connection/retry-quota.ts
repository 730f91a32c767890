// How many of one sender's undecryptable messages a socket asks for again: garbage is not answered without end.

import type { WAMessageKey, WASocket } from 'baileys'
import { MINUTE } from '../../../../shared/date-time.ts'
import { createGrowingCache } from '../../../growing-cache.ts'
import type { Clock } from '../../../machine-clock.ts'
import { toGatewayJid } from '../ids.ts'

/** More than a phone has on its way when its session is lost: what is not asked for again is lost for good. */
const MAX_BURST = 100
const RETRIES_PER_MINUTE = 10
const MAX_SENDERS = 1000

interface Bucket {
  left: number
  at: number
}

export interface RetryQuota {
  /** The library decrypts this message next. */
  beginMessage(key: WAMessageKey): void
  /** Whether the message may be asked for again; counts it. */
  allowRetry(messageid: string): boolean
}

export function createRetryQuota(clock: Pick<Clock, 'now'>): RetryQuota {
  const buckets = createGrowingCache<string, Bucket>(MAX_SENDERS)
  /** The library decrypts one message at a time, and asks for it again before the next. */
  let current: WAMessageKey = {}

  return {
    beginMessage(key) {
      current = key
    },
    allowRetry(messageid) {
      // What was not decrypted, because of its form, is counted for all senders together.
      const sender = current.id === messageid ? toGatewayJid(current.participant || current.remoteJid) : ''
      const now = clock.now()
      const { left, at } = buckets.get(sender) ?? { left: MAX_BURST, at: now }
      const filled = Math.min(MAX_BURST, left + ((now - at) / MINUTE) * RETRIES_PER_MINUTE)
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
  manager.hasExceededMaxRetries = (messageid) => exceeded(messageid) || !quota.allowRetry(messageid)
}
