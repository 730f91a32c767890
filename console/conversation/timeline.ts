// Builds the shown messages of a chat: changes, reactions and receipts are merged into their messages.

import type { ChangeEnvelope } from '../../shared/contract/change-envelopes.ts'
import type { Envelope } from '../../shared/contract/event-envelopes.ts'
import type { MessageRecord, MessageStatus } from '../../shared/contract/responses/message-responses.ts'

export interface Timeline {
  readonly messages: ReadonlyMap<string, MessageRecord>
  /** Message → sender → emoji. */
  readonly reactions: ReadonlyMap<string, ReadonlyMap<string, string>>
}

export const emptyTimeline: Timeline = { messages: new Map(), reactions: new Map() }

/** A late receipt does not lower the status. */
const RANK: Record<MessageStatus, number> = {
  '': 0,
  Pending: 1,
  Failed: 2,
  Sent: 2,
  Delivered: 3,
  Read: 4,
  Deleted: 5,
}

/** A page of records, newest first; the newest of a message wins. `isEarlier`: they were stored before all that are there. */
export function mergeRecords(
  { messages, reactions }: Timeline,
  page: readonly MessageRecord[],
  { isEarlier = false } = {},
): Timeline {
  const updated = new Map(isEarlier ? [] : messages)
  const updatedReactions = new Map(reactions)
  // Oldest first, because a reaction is removed after it was made, and messages of one second stay as they were stored.
  for (const record of [...page].reverse().sort((a, b) => a.messageTimestamp - b.messageTimestamp)) {
    if (record.reaction) {
      const senders = new Map(updatedReactions.get(record.reaction))
      if (record.text) senders.set(record.sender, record.text)
      else senders.delete(record.sender)
      updatedReactions.set(record.reaction, senders)
    } else if (record.type !== 'edit' && record.type !== 'delete') {
      const before = messages.get(record.messageid)
      const stored = readReactions(record)
      if (stored) updatedReactions.set(record.messageid, stored)
      const status = before && RANK[before.status] > RANK[record.status] ? before.status : record.status
      updated.set(record.messageid, { ...record, status })
    }
  }
  if (isEarlier) for (const [id, record] of messages) updated.set(id, record)
  return { messages: updated, reactions: updatedReactions }
}

/** Those that are stored with the message; their own records may be on another page. Undefined if it has none. */
function readReactions({ content }: MessageRecord): ReadonlyMap<string, string> | undefined {
  const stored = (content.reactions ?? []) as { sender: string; text: string }[]
  return stored.length > 0 ? new Map(stored.map(({ sender, text }) => [sender, text])) : undefined
}

export function mergeEvent(
  timeline: Timeline,
  envelope: Envelope | ChangeEnvelope,
  chatid: string,
): Timeline {
  if (envelope.EventType === 'messages')
    return envelope.message.chatid === chatid ? mergeRecords(timeline, [envelope.message]) : timeline
  const updated = new Map(timeline.messages)
  if (envelope.EventType === 'messages_update') {
    const { state, event } = envelope
    // A vote says nothing about the delivery of the poll.
    const status = state === 'Played' ? 'Read' : state === 'Voted' ? '' : state
    for (const id of event.MessageIDs) {
      const record = updated.get(id)
      // Only our messages that others have read; messages that our own phone has read show no tick.
      if (record && RANK[status] > RANK[record.status]) updated.set(id, { ...record, status })
    }
  } else if (envelope.EventType === 'messages_edit') {
    const { messageid, text } = envelope.event
    const record = updated.get(messageid)
    if (record) updated.set(messageid, { ...record, text, edited: messageid })
  }
  return { ...timeline, messages: updated }
}

export const sortMessages = ({ messages }: Timeline): MessageRecord[] =>
  [...messages.values()].sort((a, b) => a.messageTimestamp - b.messageTimestamp)
