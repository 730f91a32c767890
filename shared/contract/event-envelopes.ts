// The envelopes that are posted to receivers, by type (open points, "Webhooks").

import * as z from 'zod'
import { Span } from './coverage.ts'
import { DisconnectReason, Status } from './instance-requests.ts'
import { ChatRecord } from './responses/chat-responses.ts'
import { MessageRecord } from './responses/message-responses.ts'
import { Milliseconds } from './responses/response-fields.ts'

/** The fields that every envelope has. */
export const envelopeHead = {
  eventId: z.uuid().describe('The same on every attempt: an id that was received before is a duplicate.'),
  seq: z.int().describe('The number of the event of this instance, from 1 and without gaps.'),
  instanceId: z.uuid(),
  instanceName: z.string(),
  owner: z.string().describe('Digits of the account that was linked at the time of the event.'),
  timestamp: Milliseconds,
  truncated: z
    .boolean()
    .optional()
    .describe(
      '`true` if the event had more than 256 KiB of text, or more parts than a message has, and is not complete; absent otherwise.',
    ),
}

const Connection = z.object({ status: Status, lastDisconnectReason: DisconnectReason })
const absence = {
  gap: Span.optional().describe(
    'Present if the account is connected again: the time in which it was not. After an absence of the same device its messages come from the queue of the network; after a new linking see `coverage`.',
  ),
}
export type ConnectionPayload = z.infer<typeof Connection> & { gap?: Span }

export const ConnectionEnvelope = z.object({
  EventType: z.literal('connection'),
  ...envelopeHead,
  instance: z.object({ id: z.uuid(), name: z.string(), ...Connection.shape }),
  ...absence,
})

/** Fields of the chat for clients of the API family, which the host adds as it stores the event. */
const chatFields = ChatRecord.pick({
  ...({ wa_chatid: true, wa_chatlid: true, wa_fastid: true, wa_name: true, wa_contactName: true } as const),
  ...({ wa_isGroup: true, wa_lastMsgTimestamp: true, wa_archived: true } as const),
  ...({ wa_isPinned: true, wa_muteEndTime: true, phone: true } as const),
}).extend({
  wa_unreadCount: z.int().describe('At most 100; `/chat/find` counts all.'),
  wa_lastMessageTextVote: z.string().describe('The first 4,096 characters of the last message.'),
  wa_isBlocked: z.boolean().describe('The last state that the network sent.'),
  image: z.string().describe('Empty; `/chat/details` requests it.'),
})

const Chat = z.object({ id: z.string(), name: z.string(), isGroup: z.boolean() })
const Messages = z.object({ message: MessageRecord, chat: Chat })
export type MessagesPayload = z.infer<typeof Messages>

export const MessagesEnvelope = z.object({
  EventType: z.literal('messages'),
  ...envelopeHead,
  message: MessageRecord,
  chat: Chat.extend(chatFields.shape),
})

const MessagesUpdate = z.object({
  type: z.enum([
    ...(['ReadReceipt', 'DeliveryReceipt', 'DeletedMessage', 'PollVote', 'SendReceipt'] as const),
    ...(['PinnedMessage', 'KeptMessage', 'StarredMessage', 'MediaStored', 'ChatTimer'] as const),
  ]),
  state: z.enum([
    ...(['Delivered', 'Read', 'Played', 'Deleted', 'Voted', 'Sent', 'Failed', 'Pending'] as const),
    ...(['Pinned', 'Unpinned', 'Starred', 'Unstarred', 'Stored'] as const),
    ...(['Kept', 'Unkept', 'Changed'] as const),
  ]),
  event: z.object({
    MessageIDs: z.array(z.string()),
    chatid: z.string(),
    chatlid: z.string().optional().describe('The LID of a person, if it is known.'),
    Chat: z.string().describe('The same as `chatid`, for clients of the API family.'),
    Type: z
      .enum([
        ...(['', 'read', 'played', 'Deleted', 'vote', 'sent', 'failed', 'pending'] as const),
        ...(['pinned', 'unpinned', 'starred', 'unstarred', 'media'] as const),
        ...(['kept', 'unkept', 'timer'] as const),
      ])
      .describe('The state in the terms of the API family; empty for delivered.'),
    Sender: z.string(),
    sender_pn: z.string(),
    sender_lid: z.string(),
    IsFromMe: z.boolean(),
    IsGroup: z.boolean(),
    Timestamp: Milliseconds,
    error: z
      .string()
      .optional()
      .describe(
        "For an `async` send that failed, or one whose caller left by `Prefer: wait`: the network's code, or the reason. `outcome_unknown` with the state `Pending` means that the outcome is not known; if it becomes known, another update reports it.",
      ),
    pinnedUntil: Milliseconds.optional().describe(
      'For a pinned message; 0 if its sender does not say until when.',
    ),
    seconds: z
      .int()
      .optional()
      .describe('Of a `ChatTimer`: after how many seconds messages of the chat disappear; 0 if they stay.'),
    type: z
      .literal('media')
      .optional()
      .describe('The file of a message was stored after the message was reported.'),
    fileURL: z.string().optional().describe('Of a file: as in the record of its message.'),
    vote: z
      .array(z.string())
      .optional()
      .describe(
        'For a vote in a poll: the selected choices. They replace the previous choices of the same person.',
      ),
    unreadable: z
      .literal(true)
      .optional()
      .describe('For a vote in place of `vote`: it cannot be decrypted, or its poll is not here.'),
  }),
})
export type MessagesUpdatePayload = z.infer<typeof MessagesUpdate>

export const MessagesUpdateEnvelope = z.object({
  EventType: z.literal('messages_update'),
  ...envelopeHead,
  ...MessagesUpdate.shape,
})

/** Sent by `POST /webhook/test` only; its `seq` is 0. */
export const TestEnvelope = z.object({ EventType: z.literal('test'), ...envelopeHead })

export type Envelope =
  | z.infer<typeof ConnectionEnvelope>
  | z.infer<typeof MessagesEnvelope>
  | z.infer<typeof MessagesUpdateEnvelope>
