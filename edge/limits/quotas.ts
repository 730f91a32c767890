// Quotas of an instance on shared resources, and the fault when a quota is used up.

import { limits, type TokenLimit, toSendBurst } from '@msgnet/shared/contract/limits.ts'
import { MINUTE, SECOND } from '@msgnet/shared/date-time.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import { type Rate, RateLimiter } from '@msgnet/shared/rate-limiter.ts'
import type { Act } from '@msgnet/shared/wire/link-frames.ts'
import { countSends } from '@msgnet/shared/wire/session-actions.ts'
import { count } from '../observability/counters.ts'
import { type Env, readSendBurst, readSendRate } from '../settings/env.ts'

const quotaMessages = {
  sends: 'The instance sends faster than it may.',
  webhook_tests: `A webhook may be tested ${limits.maxWebhookTestsPerMinute} times a minute.`,
  replays: 'Events of the instance are being replayed at the moment.',
  bodies: 'Reading large bodies of this token has taken all the time that it has in a minute.',
  body_bytes: 'The large bodies of this token have taken all the bytes that it has in a minute.',
  uploads: 'The files that this token has stored have taken all the bytes that it has in a minute.',
  pages: 'Large answers for this token are being made at the moment.',
  lists:
    'Lists of all instances for this token have taken all the time that it has in a minute, or too many wait.',
  fetches: `Files of ${limits.maxConcurrentUrlFetches} URLs are being fetched for the instance at the moment.`,
}

/** `waitMs`: milliseconds until the request would be accepted. */
export function createQuotaFault(quota: keyof typeof quotaMessages, waitMs: number): Fault {
  count('edge_rate_limited_total', { quota })
  return new Fault('quota_reached', quotaMessages[quota], toWholeSeconds(waitMs))
}

const limitMessages: Record<TokenLimit, (atMost: number) => string> = {
  REQUEST_RATE: (atMost) => `A token may make ${atMost} requests a minute.`,
  STREAM_RATE: (atMost) => `A token may open ${atMost} streams a minute.`,
  WEBHOOK_CHANGE_RATE: (atMost) => `A token may change webhooks ${atMost} times a minute.`,
  PAGE_MB: (atMost) => `A token may get ${atMost} MiB of pages a minute.`,
  OPEN_PAGE_MB: (atMost) => `An address may get ${atMost} MiB a minute of pages that need no token.`,
  INSTANCE_BODY_MB: (atMost) => `Bodies of one token may take ${atMost} MiB of memory at a time.`,
  BODY_MB: (atMost) => `Bodies of all callers may take ${atMost} MiB of memory at a time.`,
}

/** The same for a limit that the operator can set: the refusal names it. */
export function createLimitFault(limit: TokenLimit, atMost: number, waitMs: number): Fault {
  count('edge_rate_limited_total', { quota: limit.toLowerCase() })
  const message = limitMessages[limit](atMost)
  return new Fault('quota_reached', { message, details: { limit, atMost } }, toWholeSeconds(waitMs))
}

/** As `Retry-After` has them. */
export const toWholeSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / SECOND))

/** The whole quota is refilled at once: never more than so many within a minute of the first. */
export const webhookTests: Rate = {
  burst: limits.maxWebhookTestsPerMinute,
  refill: limits.maxWebhookTestsPerMinute,
  everyMs: MINUTE,
}

/** Undefined for a rate of 0, which means no limit. */
export const createSendRate = (perSecond: number, burst = toSendBurst(perSecond)): Rate | undefined =>
  perSecond > 0 ? { burst, everyMs: SECOND / perSecond } : undefined

/** Limiters of instances that have not sent recently are removed: they are full, like a new one. */
const CLEANUP_INTERVAL = 10 * SECOND

/** The sends of each instance of a host, counted in the link object, which every act passes. */
export class SendQuota {
  /** Undefined for no limit. */
  readonly #rate: Rate | undefined
  readonly #limiters = new Map<string, RateLimiter>()
  #cleanedAt = Date.now()

  constructor(env: Env) {
    this.#rate = createSendRate(readSendRate(env), readSendBurst(env))
  }

  /** 0 if the act may be sent, or else the milliseconds to wait. */
  acquireSend({ action, instance, input }: Act): number {
    const count = countSends(action, input)
    if (!this.#rate || count === 0) return 0
    const limiter = this.#limiters.get(instance) ?? new RateLimiter(this.#rate, Date.now)
    this.#limiters.set(instance, limiter)
    const wait = limiter.acquire(count)
    this.#removeFull()
    return wait
  }

  #removeFull(): void {
    if (Date.now() - this.#cleanedAt < CLEANUP_INTERVAL) return
    this.#cleanedAt = Date.now()
    for (const [instance, limiter] of this.#limiters) if (limiter.isFull) this.#limiters.delete(instance)
  }
}
