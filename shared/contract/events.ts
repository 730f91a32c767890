// Event names and what an event carries inside the gateway; the posted envelope is made from it (contract, "Events").

import type { DisconnectReason, Status } from './instance.ts'
import type { MessageRecord } from './message.ts'

export const deliveredEvents = [
  'connection',
  'messages',
  'messages_update',
  'messages_edit',
  'groups',
  'call',
  'limits',
  'undecryptable',
] as const
export type EventName = (typeof deliveredEvents)[number]

/** Accepted in `events` for clients of the API family, never delivered; they come back as `ignoredEvents`. */
export const ignoredEvents = [
  'qrcode',
  'chats',
  'history',
  'contacts',
  'presence',
  'labels',
  'chat_labels',
  'blocks',
  'leads',
  'sender',
  'newsletter_messages',
] as const

export const messageFilters = [
  'wasSentByApi',
  'wasNotSentByApi',
  'fromMeYes',
  'fromMeNo',
  'isGroupYes',
  'isGroupNo',
] as const
export type MessageFilter = (typeof messageFilters)[number]

export interface ConnectionPayload {
  status: Status
  lastDisconnectReason: DisconnectReason
}

export interface MessagesPayload {
  message: MessageRecord
  chat: { id: string; name: string; isGroup: boolean }
}

/** `Timestamp` in milliseconds. */
export interface MessagesUpdatePayload {
  type: 'ReadReceipt' | 'DeliveryReceipt' | 'DeletedMessage'
  state: 'Delivered' | 'Read' | 'Played' | 'Deleted'
  event: {
    MessageIDs: string[]
    chatid: string
    Sender: string
    sender_pn: string
    sender_lid: string
    IsFromMe: boolean
    IsGroup: boolean
    Timestamp: number
  }
}

/** What each event carries; names that nothing emits yet are added with what emits them. */
export interface EventPayloads {
  connection: ConnectionPayload
  messages: MessagesPayload
  messages_update: MessagesUpdatePayload
}
