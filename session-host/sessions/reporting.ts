// Converts messages into records and events of the contract.

import { bounded, boundedText, NAME_BYTES } from '../../shared/bounds.ts'
import type { EventName, EventPayloads, MessagesUpdatePayload } from '../../shared/contract/events.ts'
import { emptyMessage, type MessageRecord } from '../../shared/contract/message.ts'
import type { Cause } from '../../shared/trace.ts'
import type { EventReport } from '../../shared/wire/reports.ts'
import type { NetworkMessage } from '../driver/driver.ts'
import type { MessageRow } from '../store/messages.ts'

export interface EventOf {
  type: EventName
  payload: EventReport['payload']
  /** Of an edit: the edited message, for receivers that take edits as messages. */
  also?: EventReport['payload']
  cause?: Cause
}

/** The limits of a payload: a whole record and a little more. */
const EVENT_LIMITS = { text: 264 * 1024, json: 544 * 1024 }
/** The limits of an edited message, so that it fits into one report together with its edit. */
const EDIT_LIMITS = { text: 72 * 1024, json: 160 * 1024 }
/** In characters. A text up to this length is repeated in `content`, where clients of the API family read it. */
const SAID_TWICE = 16_384
/** A larger encoded message is not kept: a database server takes no 5 MB, and every read of the row would load it. */
const ENCODED_BYTES = 1024 * 1024

/** `cut`: some of its content was cut before. */
export function event<Type extends keyof EventPayloads>(
  type: Type,
  payload: EventPayloads[Type],
  cut = false,
): EventOf {
  const { value, truncated } = bounded<object>(payload, EVENT_LIMITS)
  return { type, payload: { ...value, ...((cut || truncated) && { truncated: true }) } }
}

/** The record, cut to what is stored. */
export function boundedRecord(whole: MessageRecord): MessageRecord {
  const record = saidOnce(whole)
  const senderName = boundedText(record.senderName, NAME_BYTES)
  const groupName = boundedText(record.groupName, NAME_BYTES)
  const sameNames = senderName === record.senderName && groupName === record.groupName
  const { value, truncated } = bounded(sameNames ? record : { ...record, senderName, groupName })
  return truncated || !sameNames ? { ...value, truncated: true } : record
}

/** A long text is in `text` only: twice it would be too large. */
function saidOnce(record: MessageRecord): MessageRecord {
  if (record.text.length <= SAID_TWICE) return record
  const { text: _, caption: __, ...content } = record.content
  return { ...record, content }
}

/** The same message with another text. */
export function reworded(record: MessageRecord, text: string): MessageRecord {
  const { content } = record
  const word = record.type === 'text' ? 'text' : record.type === 'media' ? 'caption' : undefined
  return { ...record, text, content: word ? { ...content, [word]: text } : content }
}

export function toRow(
  message: NetworkMessage,
  { instance, owner, groupName }: { instance: string; owner: string; groupName: string },
): MessageRow {
  const { chat, sender } = message
  const record: MessageRecord = {
    ...emptyMessage,
    id: `${owner}:${message.messageid}`,
    messageid: message.messageid,
    chatid: chat.id,
    chatlid: chat.lid,
    sender: sender.id,
    senderName: message.senderName,
    sender_pn: sender.pn,
    sender_lid: sender.lid,
    isGroup: message.isGroup,
    groupName,
    fromMe: message.fromMe,
    messageType: message.messageType,
    type: message.type,
    mediaType: message.mediaType,
    messageTimestamp: message.at,
    status: message.progress === 'Played' ? 'Read' : (message.progress ?? ''),
    text: message.text,
    quoted: message.quoted,
    edited: message.type === 'edit' ? message.target : '',
    reaction: message.reaction,
    content: named.includes(message.type) ? { target: message.target } : message.content,
    owner,
    source: message.fromMe ? 'phone' : '',
    truncated: message.truncated === true,
  }
  return rowOf(record, instance, message.encoded)
}

/** Of these only the message that they name is kept as content. */
const named = ['delete', 'vote']
/** These are never marked as read. */
const quiet = ['edit', 'delete', 'reaction', 'vote']
/** These only change another message. */
const changes = ['edit', 'delete', 'vote']

export const rowOf = (
  whole: MessageRecord,
  instance: string,
  encoded: Uint8Array<ArrayBuffer>,
  cause?: Cause,
): MessageRow => {
  const record = boundedRecord(whole)
  return {
    instance,
    messageid: record.messageid,
    chatid: record.chatid,
    at: record.messageTimestamp,
    fromMe: record.fromMe,
    change: changes.includes(record.type),
    unread: !record.fromMe && !quiet.includes(record.type),
    trackId: record.track_id,
    record,
    encoded: keptEncoded(encoded),
    requestId: cause?.requestId ?? null,
    traceparent: cause?.traceparent ?? null,
  }
}

const keptEncoded = (encoded: Uint8Array<ArrayBuffer>): MessageRow['encoded'] =>
  encoded.length > ENCODED_BYTES ? null : encoded

export function messageEvent(message: MessageRecord): EventOf {
  const { chatid: id, isGroup, groupName, senderName, truncated } = message
  const chat = { id, name: isGroup ? groupName : senderName, isGroup }
  return event('messages', { message, chat }, truncated)
}

/** The edited message, for receivers that take edits as messages: of the original's kind, if that is known. */
export function editedAnew(edit: MessageRecord, original = unseen): EventReport['payload'] {
  const { type, messageType, mediaType, content } = original
  const message = reworded({ ...edit, type, messageType, mediaType, content }, edit.text)
  const { payload } = messageEvent(saidOnce(message))
  const { value, truncated } = bounded(payload, EDIT_LIMITS)
  return truncated ? { ...value, truncated: true } : value
}

/** Most edited messages are texts. */
const unseen = { ...emptyMessage, type: 'text', messageType: 'extendedTextMessage' }

/** The outcome of an unawaited send. */
export function outcomeEvent(record: MessageRecord): EventOf {
  const failed = record.status === 'Failed'
  const said = failed ? { Type: 'failed' as const, error: record.error } : { Type: 'sent' as const }
  return updateEvent({ type: 'SendReceipt', state: failed ? 'Failed' : 'Sent' }, record, record, said)
}

/** The unknown outcome of an unawaited send. Its late outcome may still be reported. */
export const unknownEvent = (record: MessageRecord): EventOf =>
  updateEvent({ type: 'SendReceipt', state: 'Pending' }, record, record, {
    ...{ Type: 'pending', error: 'outcome_unknown' },
  })

/** What the message `by` did to the message `of`: deleted it, or voted on it. */
export function updateEvent(
  what: Pick<MessagesUpdatePayload, 'type' | 'state'>,
  of: { messageid: string; chatid: string },
  by: MessageRecord,
  said: Pick<MessagesUpdatePayload['event'], 'Type' | 'vote' | 'error'>,
): EventOf {
  const { messageid, chatid } = of
  const { sender: Sender, sender_pn, sender_lid, fromMe: IsFromMe, isGroup: IsGroup } = by
  const author = { Sender, sender_pn, sender_lid, IsFromMe, IsGroup }
  const Timestamp = by.messageTimestamp
  return event('messages_update', {
    ...what,
    event: { MessageIDs: [messageid], chatid, Chat: chatid, ...author, Timestamp, ...said },
  })
}
