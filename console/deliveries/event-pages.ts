// Joins pages of events, newest first, into one list. Apart from event-log.ts, because it is pure and its tests run without a browser.

import type { EventRecord } from '../../shared/contract/responses/event-responses.ts'

export const PAGE = 100

/** The `seq` above the page; undefined if no older page has events that wait. */
export function findPageToReload(events: readonly EventRecord[], turn: number): number | undefined {
  const waiting: number[] = []
  for (let at = PAGE; at < events.length; at += PAGE)
    if (events.slice(at, at + PAGE).some(isWaiting)) waiting.push(events[at - 1]?.seq ?? 0)
  return waiting[turn % waiting.length]
}

const isWaiting = ({ status, deliveries }: EventRecord): boolean =>
  [status, ...deliveries.map((delivery) => delivery.status)].includes('pending')

/** Events that no longer match disappear; if more are new than a page holds, the list begins again. */
export function mergeNewest(before: readonly EventRecord[], page: EventRecord[]): EventRecord[] {
  const lowest = page.at(-1)?.seq
  if (lowest === undefined) return page
  if (page.length < PAGE || lowest > (before[0]?.seq ?? 0) + 1) return page
  return [...page, ...before.filter(({ seq }) => seq < lowest)]
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
