// Messages and receipts in the contract's shapes.

import type { EventName, EventPayloads, MessagesUpdatePayload } from '../../shared/contract/events.ts'
import { emptyMessage, type MessageRecord } from '../../shared/contract/message.ts'
import { phoneOf } from '../../shared/jid.ts'
import type { EventReport } from '../../shared/wire/reports.ts'
import type { NetworkMessage, Receipt } from '../driver/driver.ts'
import type { MessageRow } from '../store/messages.ts'

export interface EventOf {
  type: EventName
  payload: EventReport['payload']
}

const event = <Type extends keyof EventPayloads>(type: Type, payload: EventPayloads[Type]): EventOf => ({
  type,
  payload: { ...payload },
})

export function toRow(message: NetworkMessage, instance: string, owner: string): MessageRow {
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
    fromMe: message.fromMe,
    messageType: message.messageType,
    type: message.type,
    mediaType: message.mediaType,
    messageTimestamp: message.at,
    status: message.progress === 'Played' ? 'Read' : (message.progress ?? ''),
    text: message.text,
    quoted: message.quoted,
    reaction: message.reaction,
    owner,
    source: message.fromMe ? 'phone' : '',
  }
  return rowOf(record, instance, message.wire)
}

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
  unread: !record.fromMe,
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

/** A receipt may come under another spelling than the message: it is told under the message's own. */
export function inChatOf({ chatid, chatlid, isGroup }: MessageRecord, receipt: Receipt): Receipt {
  const pn = phoneOf(chatid) && chatid
  const chat = { id: chatid, pn, lid: chatlid }
  if (isGroup) return { ...receipt, chat }
  const { by } = receipt
  return { ...receipt, chat, by: { id: by.id, pn: by.pn || pn, lid: by.lid || chatlid } }
}

/** One event for what the same person did at once to several messages of a chat. */
export function receiptEvents(receipts: Receipt[]): EventOf[] {
  const together = Map.groupBy(receipts, ({ chat, by, progress }) => `${chat.id} ${by.id} ${progress}`)
  return [...together.values()].flatMap((group) => {
    const [first] = group
    const state = first && progressState(first.progress)
    if (!state) return []
    const payload: MessagesUpdatePayload = {
      type: state === 'Delivered' ? 'DeliveryReceipt' : 'ReadReceipt',
      state,
      event: {
        MessageIDs: group.map(({ messageid }) => messageid),
        chatid: first.chat.id,
        Sender: first.by.id,
        sender_pn: first.by.pn,
        sender_lid: first.by.lid,
        // Whose receipt it is, not whose message: ours are not told.
        IsFromMe: false,
        IsGroup: first.isGroup,
        Timestamp: first.at,
      },
    }
    return [event('messages_update', payload)]
  })
}

const progressState = (progress: Receipt['progress']) =>
  progress === 'Delivered' || progress === 'Read' || progress === 'Played' ? progress : undefined
