// Responses with chats, with pages of messages or chats, and about numbers (open points, "Messages and chats").

import * as z from 'zod'
import { MessageRecord, MessageStatus } from './message-responses.ts'
import { Pagination } from './pagination.ts'
import { Milliseconds, Username } from './response-fields.ts'

const page = {
  limit: z.int(),
  offset: z.int(),
  nextOffset: z.int().describe('The offset of the next page. A page of long texts may end before `limit`.'),
  hasMore: z.boolean(),
}

export const MessagePage = z.object({
  messages: z.array(MessageRecord).describe('Newest first.'),
  complete: z.boolean().optional().describe('Of a search: `false` while older messages are not indexed yet.'),
  returnedMessages: z.int().describe('The number of messages in this page.'),
  ...page,
})
export type MessagePage = z.infer<typeof MessagePage>
/** The form that a host returns. */
export type FoundMessages = Omit<MessagePage, 'returnedMessages'>

export const LastMessage = z
  .object({
    type: z.string(),
    mediaType: z.string(),
    fromMe: z.boolean(),
    sender: z.string(),
    senderName: z.string(),
    status: MessageStatus,
  })
  .describe(
    'The last message; its text is `wa_lastMessageTextVote`. All fields are empty when it is no longer stored.',
  )

export const emptyLastMessage: z.infer<typeof LastMessage> = {
  type: '',
  mediaType: '',
  fromMe: false,
  sender: '',
  senderName: '',
  status: '',
}

export const ChatRecord = z.object({
  id: z.string(),
  lid: z.string(),
  name: z.string(),
  isGroup: z.boolean(),
  unreadCount: z.int(),
  lastMessageId: z.string(),
  lastMessageTimestamp: Milliseconds.describe(
    'Of a group without messages: when the account came into it, or when it was founded if it was one of the account’s before.',
  ),
  lastMessage: LastMessage,
  wa_chatid: z
    .string()
    .describe('The same as `id`. This field and the fields below are for clients of the API family.'),
  wa_chatlid: z.string(),
  wa_fastid: z.string().describe('`owner:id`.'),
  wa_name: z
    .string()
    .describe('The name in the address book of the phone, otherwise the name that the chat itself has.'),
  wa_contactName: z.string().describe('The name in the address book.'),
  wa_isGroup: z.boolean(),
  wa_unreadCount: z.int(),
  wa_lastMsgTimestamp: Milliseconds,
  wa_lastMessageTextVote: z.string().describe('The text of the last message.'),
  wa_lastMessageType: z.string().describe('The `messageType` of the last message.'),
  wa_lastMessageSender: z.string(),
  wa_label: z.array(z.string()).describe('The ids of its labels.'),
  wa_archived: z.boolean(),
  wa_isPinned: z.boolean(),
  wa_muteEndTime: z.int().describe('Milliseconds since the epoch; 0 for not muted, -1 for ever.'),
  ephemeral: z.int().describe('Seconds after which new messages disappear; 0 if they stay.'),
  wa_isBlocked: z.boolean().describe('Also `false` while the instance is not connected.'),
  phone: z.string().describe('`+` and digits; empty for a group and if it is not known.'),
  image: z.string().describe('Only `/chat/details` requests it.'),
  username: Username,
})
export type ChatRecord = z.infer<typeof ChatRecord>

export const ChatPage = z.object({
  chats: z.array(ChatRecord).describe('Newest first, unless the request sets another order.'),
  nextBefore: z.string().optional().describe('As `before` it begins the next page.'),
  ...page,
  pagination: Pagination,
})
export type ChatPage = z.infer<typeof ChatPage>
/** The form that a host returns. */
export type FoundChats = Omit<ChatPage, 'pagination'> & { total: number }

export const NumberCheck = z.object({
  query: z.string().describe('The entry of the request.'),
  jid: z.string(),
  lid: z.string(),
  isInMsgnet: z.boolean().describe('The number has an account. For a group: the linked account is in it.'),
  verifiedName: z.string(),
  groupName: z.string(),
  error: z
    .string()
    .describe(
      'Why the entry could not be checked; empty if it was. `username_key_required`: its owner gives the ids only to those who know a key. `username_key_wrong`: this is not its key. `too_many_usernames`: ask for it in another request.',
    ),
  username: Username,
})
export type NumberCheck = z.infer<typeof NumberCheck>

export const NumberChecks = z.array(NumberCheck)
export type NumberChecks = z.infer<typeof NumberChecks>

export const Deleted = z.object({
  id: z.string().describe('`owner:messageid` of the deleted message.'),
  timestamp: Milliseconds,
})
export type Deleted = z.infer<typeof Deleted>

export const ChatSubscribed = z.object({
  response: z.string(),
  subscriptions: z.int().describe('How many chats are subscribed now.'),
  online: z
    .boolean()
    .describe('Whether the account is shown as online: the network shows others only to those who are.'),
})
export type ChatSubscribed = z.infer<typeof ChatSubscribed>

export const TextResponse = z.object({ response: z.string() })
export type TextResponse = z.infer<typeof TextResponse>
