// Event names, and the payload of each event inside the gateway, from which the envelope is made (contract, "Events").

import type {
  CallPayload,
  GroupsPayload,
  HistoryPayload,
  LimitsPayload,
  MessagesEditPayload,
  PresencePayload,
  UndecryptablePayload,
} from './change-envelopes.ts'
import type { ConnectionPayload, MessagesPayload, MessagesUpdatePayload } from './event-envelopes.ts'

export type { ConnectionPayload, MessagesPayload, MessagesUpdatePayload } from './event-envelopes.ts'

export const deliveredEvents = [
  'connection',
  'messages',
  'messages_update',
  'messages_edit',
  'groups',
  'call',
  'limits',
  'undecryptable',
  'history',
  'presence',
] as const
export type EventName = (typeof deliveredEvents)[number]

/** Events `messages` that a webhook gets only if it names them: `all` is without them. */
export const namedOnlyEvents = ['status_posts'] as const

/** What `events` of a webhook may have. */
export const webhookEvents = [...deliveredEvents, ...namedOnlyEvents] as const
export type WebhookEvent = (typeof webhookEvents)[number]

/** Of the gateway itself, for its operator: only the webhook of the server gets them. */
export const operatorEvents = ['webhook'] as const

/** What the webhook of the server may name. */
export const serverEvents = [...webhookEvents, ...operatorEvents] as const

/** Accepted in `events` for clients of the API family, never delivered; they come back as `ignoredEvents`. */
export const ignoredEvents = [
  'qrcode',
  'chats',
  'contacts',
  'labels',
  'chat_labels',
  'blocks',
  'leads',
  'sender',
  'newsletter_messages',
] as const
export type IgnoredEvent = (typeof ignoredEvents)[number]

export const messageFilters = [
  'wasSentByApi',
  'wasNotSentByApi',
  'fromMeYes',
  'fromMeNo',
  'isGroupYes',
  'isGroupNo',
] as const
export type MessageFilter = (typeof messageFilters)[number]

/** The payload of each event. */
export interface EventPayloads {
  connection: ConnectionPayload
  messages: MessagesPayload
  messages_update: MessagesUpdatePayload
  messages_edit: MessagesEditPayload
  groups: GroupsPayload
  call: CallPayload
  limits: LimitsPayload
  undecryptable: UndecryptablePayload
  history: HistoryPayload
  presence: PresencePayload
}
