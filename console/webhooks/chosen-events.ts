// The events that a webhook asked for, as its form and the list show them.

import { namedOnlyEvents, type serverEvents, webhookEvents } from '@msgnet/shared/contract/event-names.ts'

export interface EventChoice {
  events?: readonly string[] | undefined
  /** Names that were accepted and are not delivered, or not yet: `history` until the instance asks for its past. */
  ignoredEvents?: readonly string[] | undefined
}

export type OfferedEvent = (typeof serverEvents)[number]

const mustBeNamed = (name: string): boolean => (namedOnlyEvents as readonly string[]).includes(name)

/** Those that were chosen; all of a webhook that is not saved yet, but those that must be named. `offered`: those of an instance, or of the server. */
export function listChosenEvents(
  { events, ignoredEvents = [] }: EventChoice,
  offered: readonly OfferedEvent[] = webhookEvents,
): OfferedEvent[] {
  if (!events) return offered.filter((name) => !mustBeNamed(name))
  return offered.filter((name) => events.includes(name) || ignoredEvents.includes(name))
}

/** Names that no webhook gets. They are not shown, and are kept. */
export const listHiddenEvents = ({ ignoredEvents = [] }: EventChoice): string[] =>
  ignoredEvents.filter((name) => !(webhookEvents as readonly string[]).includes(name))

export const hasAllEvents = (
  chosen: readonly string[],
  offered: readonly OfferedEvent[] = webhookEvents,
): boolean => offered.every((name) => chosen.includes(name) !== mustBeNamed(name))
