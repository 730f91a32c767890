// Messages in the contract's shapes.

import type { EventName, EventPayloads } from '../../shared/contract/events.ts'
import { emptyMessage, type MessageRecord } from '../../shared/contract/message.ts'
import type { EventReport } from '../../shared/wire/reports.ts'
import type { NetworkMessage } from '../driver/driver.ts'
import type { MessageRow } from '../store/messages.ts'

export interface EventOf {
  type: EventName
  payload: EventReport['payload']
}

export const event = <Type extends keyof EventPayloads>(
  type: Type,
  payload: EventPayloads[Type],
): EventOf => ({
  type,
  payload: { ...payload },
})

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
    content: message.type === 'delete' ? { target: message.target } : message.content,
    owner,
    source: message.fromMe ? 'phone' : '',
  }
  return rowOf(record, instance, message.wire)
}

/** Nobody marks these as read. */
const quiet = ['edit', 'delete', 'reaction']

export const rowOf = (
  record: MessageRecord,
  instance: string,
  wire: Uint8Array<ArrayBuffer>,
): MessageRow => ({
  instance,
  messageid: record.messageid,
  chatid: record.chatid,
  at: record.messageTimestamp,
  fromMe: record.fromMe,
  change: record.type === 'edit' || record.type === 'delete',
  unread: !record.fromMe && !quiet.includes(record.type),
  trackId: record.track_id,
  record,
  wire,
})

export const messageEvent = (message: MessageRecord): EventOf =>
  event('messages', {
    message,
    chat: {
      id: message.chatid,
      name: message.isGroup ? message.groupName : message.senderName,
      isGroup: message.isGroup,
    },
  })
