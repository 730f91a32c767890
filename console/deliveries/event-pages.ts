// Joins pages of events, newest first, into one list. Apart from event-log.ts, because it is pure and its tests run without a browser.

import type { EventList, EventRecord } from '@msgnet/shared/contract/responses/event-responses.ts'

export const PAGE = 100

/**
 * The `seq` above the next event that waits below `below`, or else above the first one; undefined if no event behind the newest
 * page waits.
 */
export function findPageToReload(events: readonly EventRecord[], below: number): number | undefined {
  const waiting = events.slice(PAGE).filter(isWaiting)
  const next = waiting.find(({ seq }) => seq < below) ?? waiting[0]
  return next && next.seq + 1
}

const isWaiting = ({ status, deliveries }: EventRecord): boolean =>
  [status, ...deliveries.map((delivery) => delivery.status)].includes('pending')

/** Events that no longer match disappear; if more are new than a page holds, the list begins again. */
export function mergeNewest(
  before: readonly EventRecord[],
  { events, hasMore }: EventList,
): readonly EventRecord[] {
  const lowest = events.at(-1)?.seq
  if (lowest === undefined || !hasMore || lowest > (before[0]?.seq ?? 0) + 1) return events
  return [...events, ...before.filter(({ seq }) => seq < lowest)]
}

/** The events below `upper`, as far down as the page goes, are those of the page. */
export function replaceRange(
  before: readonly EventRecord[],
  page: readonly EventRecord[],
  upper: number,
): EventRecord[] {
  const lowest = page.at(-1)?.seq ?? 0
  return [...before.filter(({ seq }) => seq >= upper), ...page, ...before.filter(({ seq }) => seq < lowest)]
}
