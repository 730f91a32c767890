// Builds the shown messages of a chat: changes, reactions and receipts are merged into their messages.

import type { ChangeEnvelope } from '@msgnet/shared/contract/change-envelopes.ts'
import type { Envelope } from '@msgnet/shared/contract/event-envelopes.ts'
import type { MessageRecord, MessageStatus } from '@msgnet/shared/contract/responses/message-responses.ts'

export interface Reaction {
  /** An emoji. */
  text: string
  senderName: string
  fromMe: boolean
}

export interface Timeline {
  readonly messages: ReadonlyMap<string, MessageRecord>
  /** By message and sender. */
  readonly reactions: ReadonlyMap<string, ReadonlyMap<string, Reaction>>
}

export const emptyTimeline: Timeline = { messages: new Map(), reactions: new Map() }

/** Messages that only change another one. */
export const UNLISTED = ['edit', 'delete', 'pin', 'vote']

/** A late receipt does not lower the status. */
const RANK: Record<MessageStatus, number> = {
  '': 0,
  Scheduled: 0,
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
  for (const record of [...page].reverse().sort(compareTimes)) {
    if (record.reaction) {
      const senders = new Map(updatedReactions.get(record.reaction))
      const { text, senderName, fromMe } = record
      if (text) senders.set(record.sender, { text, senderName, fromMe })
      else senders.delete(record.sender)
      updatedReactions.set(record.reaction, senders)
    } else if (!UNLISTED.includes(record.type)) {
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
function readReactions({ content }: MessageRecord): ReadonlyMap<string, Reaction> | undefined {
  const stored = (content.reactions ?? []) as (Partial<Reaction> & { sender: string; text: string })[]
  if (stored.length === 0) return undefined
  return new Map(
    stored.map(({ sender, text, senderName = '', fromMe = false }) => [sender, { text, senderName, fromMe }]),
  )
}

/** The newest `max` of the messages, or the oldest. */
export function trimTimeline(timeline: Timeline, max: number, end: 'newest' | 'oldest'): Timeline {
  const sorted = sortMessages(timeline)
  if (sorted.length <= max) return timeline
  const messages = end === 'newest' ? sorted.slice(-max) : sorted.slice(0, max)
  const ids = new Map(messages.map((record) => [record.messageid, record]))
  const reactions = new Map([...timeline.reactions].filter(([id]) => ids.has(id)))
  return { messages: ids, reactions }
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
    // Votes, pins and stars say nothing about the delivery of the message.
    const status = state === 'Played' ? 'Read' : state in RANK ? (state as MessageRecord['status']) : ''
    for (const id of event.MessageIDs) {
      const record = updated.get(id)
      // Only our messages that others have read; messages that our own phone has read show no tick.
      if (!record) continue
      const marks = readMarks(envelope)
      if (marks) updated.set(id, { ...record, content: { ...record.content, ...marks } })
      else if (RANK[status] > RANK[record.status]) updated.set(id, { ...record, status })
    }
  } else if (envelope.EventType === 'messages_edit') {
    const { messageid, text, mentions, unreadable } = envelope.event
    const record = updated.get(messageid)
    // Of an edit that cannot be read, the words before it remain.
    if (record && !unreadable) updated.set(messageid, { ...record, text, mentions, edited: messageid })
  }
  return { ...timeline, messages: updated }
}

/** What a pin or a star changes in a message. */
function readMarks({ state, event }: Extract<Envelope, { EventType: 'messages_update' }>) {
  if (state === 'Pinned' || state === 'Unpinned')
    return { pinned: state === 'Pinned', pinnedUntil: event.pinnedUntil ?? 0 }
  if (state === 'Starred' || state === 'Unstarred') return { starred: state === 'Starred' }
  return undefined
}

export const sortMessages = ({ messages }: Timeline): MessageRecord[] =>
  [...messages.values()].sort(compareTimes)

const compareTimes = (one: MessageRecord, other: MessageRecord) =>
  one.messageTimestamp - other.messageTimestamp
