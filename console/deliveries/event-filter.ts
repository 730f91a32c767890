// The filters of the deliveries, as they stand in the address and as the API takes them.

import type { EventFilter } from '../../client/instance-client.ts'
import { deliveredEvents, type EventName } from '../../shared/contract/event-names.ts'

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
})

export const isFiltered = ({ outcome, type, range, messageid }: LogFilter): boolean =>
  outcome !== '' || type !== '' || range !== 'any' || messageid !== ''

/** `now`: of the last choice, so that all pages of one list have the same limits. */
export function toEventFilter(
  { outcome, type, range, from, to, messageid }: LogFilter,
  now: number,
): EventFilter {
  const length = lengths[range]
  const since = length ? new Date(now - length).toISOString() : range === 'custom' ? toInstant(from) : ''
  const until = range === 'custom' ? toInstant(to) : ''
  return {
    payload: false,
    ...(outcome === 'unaddressed' && { unaddressed: true }),
    ...(outcome === 'delivered' && { status: 'delivered', unaddressed: false }),
    ...((outcome === 'pending' || outcome === 'dead') && { status: outcome }),
    ...(type && { type }),
    ...(messageid && { messageid }),
    ...(since && { from: since }),
    ...(until && { to: until }),
  }
}

function toInstant(local: string): string {
  const date = new Date(local)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}
