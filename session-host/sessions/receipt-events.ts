// Converts receipts into events of the contract.

import type { MessagesUpdatePayload } from '@msgnet/shared/contract/event-names.ts'
import type { MessageStatus } from '@msgnet/shared/contract/message-requests.ts'
import { extractPhone, isGroup } from '@msgnet/shared/jid.ts'
import type { Progress, Receipt } from '../driver/driver.ts'
import type { MessageRow } from '../store/message-store.ts'
import { createEvent, type NewEvent } from './message-records.ts'

/** In the order in which a message goes through them. */
export const statusRanks: Record<MessageStatus, number> = {
  '': 0,
  Scheduled: 0,
  Pending: 1,
  Failed: 1,
  Sent: 2,
  Delivered: 3,
  Read: 4,
  Deleted: 5,
}

export const toStatus = (progress: Progress): MessageStatus => (progress === 'Played' ? 'Read' : progress)

/** The receipt with the message's form of the chat, and of the person in it: the network may use another one. */
export function useMessageForms({ messageid, record }: MessageRow, receipt: Receipt): Receipt {
  const { chatid, chatlid, isGroup } = record
  const pn = extractPhone(chatid) && chatid
  const chat = { id: chatid, pn, lid: chatlid }
  if (isGroup) return { ...receipt, messageid, chat }
  const { by } = receipt
  const reader = { pn: by.pn || pn, lid: by.lid || chatlid }
  return { ...receipt, messageid, chat, by: { id: reader.pn || by.id, ...reader } }
}

/** One event for all receipts of one person and one kind in a chat. */
export function createReceiptEvents(receipts: Receipt[]): NewEvent[] {
  const groups = Map.groupBy(receipts, ({ chat, by, progress }) => `${chat.id} ${by.id} ${progress}`)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    const state = first && toReceiptState(first.progress)
    if (!state) return []
    const payload: MessagesUpdatePayload = {
      type: state === 'Delivered' ? 'DeliveryReceipt' : 'ReadReceipt',
      state,
      event: {
        MessageIDs: group.map(({ messageid }) => messageid),
        chatid: first.chat.id,
        ...(first.chat.lid && { chatlid: first.chat.lid }),
        Chat: first.chat.id,
        Type: ({ Delivered: '', Read: 'read', Played: 'played' } as const)[state],
        Sender: first.by.id,
        sender_pn: first.by.pn,
        sender_lid: first.by.lid,
        // Whose receipt it is, not whose message. Our own receipts are not reported.
        IsFromMe: false,
        IsGroup: isGroup(first.chat.id),
        Timestamp: first.at,
      },
    }
    return [createEvent('messages_update', payload)]
  })
}

const toReceiptState = (progress: Receipt['progress']) =>
  progress === 'Delivered' || progress === 'Read' || progress === 'Played' ? progress : undefined
