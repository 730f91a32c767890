// Finds the ids of the messages that an event is about, for the log and for searching events.

import type { EventName } from './event-names.ts'

/** Longer than any id of the network. */
const MAX_ID_LENGTH = 256

/** Empty for an event that is about no message, and for a payload that does not match its type. */
export function listMessageIds(type: EventName, payload: Record<string, unknown>): string[] {
  const { message, event } = payload as Partial<Record<'message' | 'event', Record<string, unknown> | null>>
  switch (type) {
    case 'messages':
      return filterIds([message?.messageid])
    case 'messages_edit':
    case 'undecryptable':
      return filterIds([event?.messageid])
    case 'messages_update':
      return filterIds(Array.isArray(event?.MessageIDs) ? event.MessageIDs : [])
    default:
      return []
  }
}

const filterIds = (values: unknown[]): string[] =>
  values.filter((id): id is string => typeof id === 'string' && id !== '' && id.length <= MAX_ID_LENGTH)

/** In a log line: an event may be about up to a hundred messages. */
const MAX_LOGGED_IDS = 10

/** The field of a log line; empty for an event that is about no message. */
export function formatLoggedIds(type: EventName, payload: Record<string, unknown>): { messageid?: string } {
  const ids = listMessageIds(type, payload)
  const more = ids.length > MAX_LOGGED_IDS ? ` and ${ids.length - MAX_LOGGED_IDS} more` : ''
  return ids.length > 0 ? { messageid: `${ids.slice(0, MAX_LOGGED_IDS).join(' ')}${more}` } : {}
}
