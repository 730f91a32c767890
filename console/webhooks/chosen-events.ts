// The events that a webhook asked for, as its form and the list show them.

import { deliveredEvents, type serverEvents } from '@msgnet/shared/contract/event-names.ts'

export interface EventChoice {
  events?: readonly string[] | undefined
  /** Names that were accepted and are not delivered, or not yet: `history` until the instance asks for its past. */
  ignoredEvents?: readonly string[] | undefined
}

export type OfferedEvent = (typeof serverEvents)[number]

/** Those that were chosen; all of a webhook that is not saved yet. `offered`: those of an instance, or of the server. */
export function listChosenEvents(
  { events, ignoredEvents = [] }: EventChoice,
  offered: readonly OfferedEvent[] = deliveredEvents,
): OfferedEvent[] {
  if (!events) return [...offered]
  return offered.filter((name) => events.includes(name) || ignoredEvents.includes(name))
}

/** Names that no webhook gets. They are not shown, and are kept. */
export const listHiddenEvents = ({ ignoredEvents = [] }: EventChoice): string[] =>
  ignoredEvents.filter((name) => !(deliveredEvents as readonly string[]).includes(name))

export const hasAllEvents = (
  chosen: readonly string[],
  offered: readonly OfferedEvent[] = deliveredEvents,
): boolean => chosen.length === offered.length
