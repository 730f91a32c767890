// The filters of the deliveries, as they stand in the address and as the API takes them; and an event as one webhook sees it.

import type { EventFilter } from '@msgnet/client/instance-client.ts'
import { deliveredEvents, type EventName } from '@msgnet/shared/contract/event-names.ts'
import type { EventRecord } from '@msgnet/shared/contract/responses/event-responses.ts'

export const outcomes = ['pending', 'delivered', 'dead', 'unaddressed'] as const
export type Outcome = (typeof outcomes)[number]

export const ranges = ['any', 'hour', 'day', 'week', 'custom'] as const
export type Range = (typeof ranges)[number]

const HOUR_MS = 3_600_000
const lengths: Partial<Record<Range, number>> = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS }

export interface LogFilter {
  outcome: Outcome | ''
  type: EventName | ''
  range: Range
  /** Local times, for the range `custom`; as a field for date and time has them. */
  from: string
  to: string
  messageid: string
  /** The id of the webhook whose outcomes are asked for; empty for the first. */
  webhook: string
}

type Query = Readonly<Record<string, string>>

const pick = <Word extends string>(words: readonly Word[], text: string | undefined): Word | '' =>
  words.find((word) => word === text) ?? ''

export const parseFilter = (query: Query): LogFilter => ({
  outcome: pick(outcomes, query.status),
  type: pick(deliveredEvents, query.type),
  range: pick(ranges, query.range) || (query.from || query.to ? 'custom' : 'any'),
  from: query.from ?? '',
  to: query.to ?? '',
  messageid: query.messageid ?? '',
  webhook: query.webhook ?? '',
})

export const isFiltered = ({ outcome, type, range, messageid, webhook }: LogFilter): boolean =>
  [outcome, type, messageid, webhook].some((word) => word !== '') || range !== 'any'

/**
 * `now`: of the last choice, so that all pages of one list have the same limits. `isOther`: for a webhook beside the first, whose
 * outcomes the API lists and does not filter by.
 */
export function toEventFilter(
  { outcome, type, range, from, to, messageid, webhook }: LogFilter,
  now: number,
  isOther = false,
): EventFilter {
  const length = lengths[range]
  const since = length ? new Date(now - length).toISOString() : range === 'custom' ? toInstant(from) : ''
  const until = range === 'custom' ? toInstant(to) : ''
  return {
    payload: false,
    ...(!isOther && toOutcomeFilter(outcome, webhook !== '')),
    ...(type && { type }),
    ...(messageid && { messageid }),
    ...(since && { from: since }),
    ...(until && { to: until }),
  }
}

/** `isAddressed`: only events that are for the first webhook. */
function toOutcomeFilter(outcome: Outcome | '', isAddressed: boolean): EventFilter {
  if (outcome === 'unaddressed') return { unaddressed: true }
  const isForFirst = outcome === 'delivered' || isAddressed
  return { ...(outcome && { status: outcome }), ...(isForFirst && { unaddressed: false }) }
}

/** Of a time as an input of the browser has it. */
export function toInstant(local: string): string {
  const date = new Date(local)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}

/** What was not for the first webhook is settled at once, without a time. */
export const isForFirst = ({ status, deliveredAt }: EventRecord): boolean =>
  status !== 'delivered' || deliveredAt !== undefined

/** At the first webhook; of an event that is not for it, the worst at the others. What no webhook was to receive is not delivered. */
export function findOutcome(event: EventRecord): Outcome {
  if (isForFirst(event)) return event.status
  const elsewhere = event.deliveries.map(({ status }) => status)
  return (['dead', 'pending', 'delivered'] as const).find((each) => elsewhere.includes(each)) ?? 'unaddressed'
}

/** The worst at any of its webhooks. */
export function findWorstOutcome(event: EventRecord): Outcome {
  const outcomes = event.deliveries.map(({ status }) => status)
  return (['dead', 'pending'] as const).find((each) => outcomes.includes(each)) ?? findOutcome(event)
}

/** The event as it stands at this webhook beside the first; undefined if it is not for it. */
export function viewAt(event: EventRecord, webhookId: string): EventRecord | undefined {
  const delivery = event.deliveries.find((each) => each.webhookId === webhookId)
  const { id, instanceId, seq, type, messageid, payload, createdAt, deliveries } = event
  const known = { id, instanceId, seq, type, messageid, payload, createdAt, deliveries }
  return delivery && { ...known, ...delivery, unaddressed: false }
}
