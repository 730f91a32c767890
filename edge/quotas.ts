// Quotas of an instance: what it may ask of everybody's resources, and what it is told when it has asked for more.

import { MINUTE, SECOND } from '../shared/clock.ts'
import { limits, sendRate } from '../shared/contract/version.ts'
import { Fault } from '../shared/faults.ts'
import type { Rate } from '../shared/meter.ts'
import type { ActionName } from '../shared/wire/actions.ts'
import { count } from './metrics.ts'

const says = {
  sends: 'The instance sends faster than it may.',
  webhook_tests: `A webhook may be tested ${limits.webhookTestsPerMinute} times a minute.`,
  replays: 'Events of the instance are being replayed at the moment.',
  fetches: `Files of ${limits.urlFetchesAtOnce} URLs are being fetched for the instance at the moment.`,
}

/** `waitMs`: until it would be let through. */
export function overQuota(quota: keyof typeof says, waitMs: number): Fault {
  count('edge_rate_limited_total', { quota })
  return new Fault('quota_reached', says[quota], Math.max(1, Math.ceil(waitMs / SECOND)))
}

/** All of them come back together: never more than so many within a minute of the first. */
export const webhookTests: Rate = {
  burst: limits.webhookTestsPerMinute,
  refill: limits.webhookTestsPerMinute,
  everyMs: MINUTE,
}

/** Undefined for a rate of 0: nothing is counted. */
export const sendsAt = (perSecond: number): Rate | undefined =>
  perSecond > 0 ? { burst: sendRate.burstSeconds * perSecond, everyMs: SECOND / perSecond } : undefined

/** Each of them makes the network carry a message. */
const sends: ActionName[] = [
  ...(['message.sendText', 'message.sendMedia', 'message.sendLocation', 'message.sendContact'] as const),
  ...(['message.sendMenu', 'message.sendStatus'] as const),
  ...(['message.forward', 'message.react', 'message.edit', 'message.delete'] as const),
]
export const isSend = (action: ActionName): boolean => sends.includes(action)
