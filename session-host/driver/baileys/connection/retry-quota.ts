// How many of one sender's undecryptable messages a socket requests again: garbage does not cause requests without end.

import { MINUTE } from '@msgnet/shared/date-time.ts'
import type { WAMessageKey, WASocket } from 'baileys'
import { createGrowingCache } from '../../../process/growing-cache.ts'
import type { Clock } from '../../../process/machine-clock.ts'
import { toGatewayJid } from '../ids.ts'

/** More than the messages of a phone that are in transit when its session is lost: a message not requested again is lost. */
const MAX_BURST = 100
const RETRIES_PER_MINUTE = 10
const MAX_SENDERS = 1000

interface Bucket {
  left: number
  at: number
}

export class RetryQuota {
  readonly #clock: Pick<Clock, 'now'>
  readonly #buckets = createGrowingCache<string, Bucket>(MAX_SENDERS)
  /** The library decrypts one message at a time, and requests it again before the next. */
  #current: WAMessageKey = {}

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** The library decrypts this message next. */
  beginMessage(key: WAMessageKey): void {
    this.#current = key
  }

  /** Whether the message may be requested again; counts it. */
  allowRetry(messageid: string): boolean {
    // What was not decrypted, because of its form, is counted for all senders together.
    const { id, participant, remoteJid } = this.#current
    const sender = id === messageid ? toGatewayJid(participant || remoteJid) : ''
    const now = this.#clock.now()
    const { left, at } = this.#buckets.get(sender) ?? { left: MAX_BURST, at: now }
    const filled = Math.min(MAX_BURST, left + ((now - at) / MINUTE) * RETRIES_PER_MINUTE)
    const allowed = filled >= 1
    this.#buckets.set(sender, { left: allowed ? filled - 1 : filled, at: now })
    return allowed
  }
}

/** Above the quota a message counts as one that was requested too often: it is acknowledged, and reported as undecryptable. */
export function limitRetries({ messageRetryManager: manager }: WASocket, quota: RetryQuota): void {
  if (!manager) return
  const exceeded = manager.hasExceededMaxRetries.bind(manager)
  // The phone is asked later, and once, also by the next connection: `sessions/lost-messages.ts`.
  manager.schedulePhoneRequest = () => undefined
  manager.hasExceededMaxRetries = (messageid) => exceeded(messageid) || !quota.allowRetry(messageid)
}
