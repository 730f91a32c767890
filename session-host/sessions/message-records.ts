// Converts messages into records and events of the contract.

import type { EventName, EventPayloads, MessagesUpdatePayload } from '@msgnet/shared/contract/event-names.ts'
import { emptyMessage, type MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { STATUS_JID } from '@msgnet/shared/jid.ts'
import type { Cause } from '@msgnet/shared/trace-context.ts'
import { MAX_NAME_BYTES, truncateText, truncateToLimits } from '@msgnet/shared/truncation.ts'
import type { EventReport } from '@msgnet/shared/wire/host-reports.ts'
import type { MessageContent, NetworkMessage } from '../driver/driver.ts'
import type { MessageRow } from '../store/message-store.ts'
import type { NamedFields } from './named-people.ts'

export interface NewEvent {
  /** Chosen by who made it, if it has to be recognised later. */
  id?: string
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
const MAX_REPEATED_TEXT = 16_384
/** A larger encoded message is not stored: a database server takes no 5 MB, and every read of the row would load it. */
const MAX_ENCODED_BYTES = 1024 * 1024

/** `cut`: some of its content was cut before. */
export function createEvent<Type extends keyof EventPayloads>(
  type: Type,
  payload: EventPayloads[Type],
  cut = false,
): NewEvent {
  const { value, truncated } = truncateToLimits<object>(payload, EVENT_LIMITS)
  return { type, payload: { ...value, ...((cut || truncated) && { truncated: true }) } }
}

/** The record, cut to what is stored. */
export function limitRecord(whole: MessageRecord): MessageRecord {
  const record = removeRepeatedText(whole)
  const senderName = truncateText(record.senderName, MAX_NAME_BYTES)
  const groupName = truncateText(record.groupName, MAX_NAME_BYTES)
  const sameNames = senderName === record.senderName && groupName === record.groupName
  const { value, truncated } = truncateToLimits(sameNames ? record : { ...record, senderName, groupName })
  return truncated || !sameNames ? { ...value, truncated: true } : record
}

/** A long text is in `text` only: twice it would be too large. */
function removeRepeatedText(record: MessageRecord): MessageRecord {
  if (record.text.length <= MAX_REPEATED_TEXT) return record
  const { text: _, caption: __, ...content } = record.content
  return { ...record, content }
}

/** The same message with another text. */
export function replaceText(record: MessageRecord, text: string): MessageRecord {
  const { content } = record
  const word = record.type === 'text' ? 'text' : record.type === 'media' ? 'caption' : undefined
  return { ...record, text, content: word ? { ...content, [word]: text } : content }
}

export function toRow(
  message: NetworkMessage,
  {
    instance,
    owner,
    groupName,
    people,
  }: { instance: string; owner: string; groupName: string; people: NamedFields },
  source = message.fromMe ? 'phone' : '',
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
    ...(sender.username && { sender_username: sender.username }),
    isGroup: message.isGroup,
    groupName,
    fromMe: message.fromMe,
    ...getContentFields(message),
    content: addExpiry(chooseContent(message), message, message.at),
    messageTimestamp: message.at,
    status: message.progress === 'Played' ? 'Read' : (message.progress ?? ''),
    ...people,
    owner,
    source,
    late: message.late === true,
  }
  const row = createRow(record, instance, message.encoded)
  return message.sealed || chat.id === STATUS_JID ? { ...row, unread: false } : row
}

/** The fields of a record that say what the message says. */
export const getContentFields = (message: MessageContent) => ({
  messageType: message.messageType,
  type: message.type,
  mediaType: message.mediaType,
  text: message.text,
  quoted: message.quoted,
  edited: message.type === 'edit' ? message.target : '',
  reaction: message.reaction,
  vote: message.answer?.text ?? '',
  buttonOrListid: message.answer?.id ?? '',
  content: chooseContent(message),
  truncated: message.truncated === true,
})

/** `timer`: of the message, which was written at this time. */
export const addExpiry = (
  content: MessageRecord['content'],
  { type, timer }: Pick<MessageContent, 'type' | 'timer'>,
  at: number,
): MessageRecord['content'] =>
  timer && type !== 'timer' ? { ...content, disappearsAt: at + timer.seconds * SECOND } : content

/** Undefined for a message that stays. */
export const readExpiry = ({ content: { disappearsAt, kept } }: MessageRecord): number | undefined =>
  typeof disappearsAt === 'number' && kept !== true ? disappearsAt : undefined

function chooseContent({ type, target, content, sealed }: MessageContent): MessageRecord['content'] {
  if (targetOnly.includes(type)) return { target }
  return sealed ? { ...content, unreadable: true } : content
}

/** Of these only the message that they name is stored as content. */
const targetOnly = ['delete', 'vote']
/** These are never marked as read. */
const neverUnread = ['edit', 'delete', 'pin', 'keep', 'timer', 'reaction', 'vote']
/** These only change another message, or its chat. */
const changes = ['edit', 'delete', 'pin', 'keep', 'timer', 'vote']

export const createRow = (
  whole: MessageRecord,
  instance: string,
  encoded: Uint8Array<ArrayBuffer>,
  cause?: Cause,
): MessageRow => {
  const record = limitRecord(whole)
  return {
    instance,
    messageid: record.messageid,
    chatid: record.chatid,
    at: record.messageTimestamp,
    fromMe: record.fromMe,
    change: changes.includes(record.type),
    unread: !record.fromMe && !neverUnread.includes(record.type),
    trackId: record.track_id,
    record,
    encoded: limitEncoded(encoded),
    requestId: cause?.requestId ?? null,
    traceparent: cause?.traceparent ?? null,
    storedAt: null,
    expiresAt: readExpiry(record) ?? null,
  }
}

const limitEncoded = (encoded: Uint8Array<ArrayBuffer>): MessageRow['encoded'] =>
  encoded.length > MAX_ENCODED_BYTES ? null : encoded

export function createMessageEvent(message: MessageRecord): NewEvent {
  const { chatid: id, isGroup, groupName, senderName, truncated } = message
  const chat = { id, name: isGroup ? groupName : senderName, isGroup }
  return createEvent('messages', { message, chat }, truncated)
}

/** The edited message, for receivers that take edits as messages: of the original's kind, if that is known. */
export function createEditedMessage(edit: MessageRecord, original = unknownOriginal): EventReport['payload'] {
  const { type, messageType, mediaType, content } = original
  const message = replaceText({ ...edit, type, messageType, mediaType, content }, edit.text)
  const { payload } = createMessageEvent(removeRepeatedText(message))
  const { value, truncated } = truncateToLimits(payload, EDIT_LIMITS)
  return truncated ? { ...value, truncated: true } : value
}

/** Most edited messages are texts. */
const unknownOriginal = { ...emptyMessage, type: 'text', messageType: 'extendedTextMessage' }

/** The outcome of an unawaited send. */
export function createOutcomeEvent(record: MessageRecord): NewEvent {
  const failed = record.status === 'Failed'
  const details = failed ? { Type: 'failed' as const, error: record.error } : { Type: 'sent' as const }
  return createUpdateEvent(
    { type: 'SendReceipt', state: failed ? 'Failed' : 'Sent' },
    record,
    record,
    details,
  )
}

/** The unknown outcome of an unawaited send. Its late outcome may still be reported. */
export const createUnknownEvent = (record: MessageRecord): NewEvent =>
  createUpdateEvent({ type: 'SendReceipt', state: 'Pending' }, record, record, {
    Type: 'pending',
    error: 'outcome_unknown',
  })

/** The link as a host knows it: the edge adds its own address, and a seal for a day. */
export const formatFileLink = (messageid: string): string => `/media?id=${encodeURIComponent(messageid)}`

/** The file of a message that was reported without it. */
export function createFileEvent(record: MessageRecord): NewEvent {
  const details = { Type: 'media' as const, type: 'media' as const, fileURL: record.fileURL }
  return createUpdateEvent({ type: 'MediaStored', state: 'Stored' }, record, record, details)
}

/** Who made a change, where and when. */
export type ChangeAuthor = Pick<
  MessageRecord,
  'sender' | 'sender_pn' | 'sender_lid' | 'fromMe' | 'isGroup' | 'messageTimestamp'
>

/** What `by` did to the message `of`: deleted it, pinned it, kept it, starred it, or voted on it. */
export function createUpdateEvent(
  what: Pick<MessagesUpdatePayload, 'type' | 'state'>,
  of: { messageid: string; chatid: string; chatlid?: string },
  by: ChangeAuthor,
  details: Pick<
    MessagesUpdatePayload['event'],
    'Type' | 'vote' | 'unreadable' | 'error' | 'pinnedUntil' | 'seconds' | 'type' | 'fileURL'
  >,
): NewEvent {
  const { messageid, chatid, chatlid } = of
  const { sender: Sender, sender_pn, sender_lid, fromMe: IsFromMe, isGroup: IsGroup } = by
  const author = { Sender, sender_pn, sender_lid, IsFromMe, IsGroup }
  const Timestamp = by.messageTimestamp
  return createEvent('messages_update', {
    ...what,
    event: {
      MessageIDs: [messageid],
      chatid,
      ...(chatlid && { chatlid }),
      Chat: chatid,
      ...author,
      Timestamp,
      ...details,
    },
  })
}
