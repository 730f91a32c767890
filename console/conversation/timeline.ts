// Builds the shown messages of a chat: changes, reactions and receipts are merged into their messages.

import type { MessageRecord, MessageStatus } from '../../shared/contract/responses/message-responses.ts'
import type { AnyEnvelope } from '../use-events.ts'

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

/** Records in any order; the newest of a message wins. */
export function mergeRecords({ messages, reactions }: Timeline, records: readonly MessageRecord[]): Timeline {
  const updated = new Map(messages)
  const updatedReactions = new Map(reactions)
  // Oldest first, because a reaction is removed after it was made.
  for (const record of [...records].sort((a, b) => a.messageTimestamp - b.messageTimestamp)) {
    if (record.reaction) {
      const senders = new Map(updatedReactions.get(record.reaction))
      if (record.text) senders.set(record.sender, record.text)
      else senders.delete(record.sender)
      updatedReactions.set(record.reaction, senders)
    } else if (record.type !== 'edit' && record.type !== 'delete') {
      const before = updated.get(record.messageid)
      const stored = readReactions(record)
      if (stored) updatedReactions.set(record.messageid, stored)
      const status = before && RANK[before.status] > RANK[record.status] ? before.status : record.status
      updated.set(record.messageid, { ...record, status })
    }
  }
  return { messages: updated, reactions: updatedReactions }
}

/** Those that are stored with the message; their own records may be on another page. Undefined if it has none. */
function readReactions({ content }: MessageRecord): ReadonlyMap<string, string> | undefined {
  const stored = (content.reactions ?? []) as { sender: string; text: string }[]
  return stored.length > 0 ? new Map(stored.map(({ sender, text }) => [sender, text])) : undefined
}

export function mergeEvent(timeline: Timeline, envelope: AnyEnvelope, chatid: string): Timeline {
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
