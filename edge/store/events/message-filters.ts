// Finds the `excludeMessages` filters that match an event.

import type { EventName, MessageFilter, MessagesPayload } from '../../../shared/contract/event-names.ts'

/** Only new messages are filtered; other events match no filter. */
export function matchFilters(type: EventName, payload: Record<string, unknown>): MessageFilter[] {
  const message = (payload as Partial<MessagesPayload>).message
  if (type !== 'messages' || !message) return []
  return [
    message.wasSentByApi ? 'wasSentByApi' : 'wasNotSentByApi',
    message.fromMe ? 'fromMeYes' : 'fromMeNo',
    message.isGroup ? 'isGroupYes' : 'isGroupNo',
  ]
}
