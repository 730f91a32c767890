// Message records, and the response to marking a chat as read (open points, "Messages and chats").

import * as z from 'zod'
import { DateTime, Milliseconds, Username } from './response-fields.ts'

export const MessageStatus = z.enum([
  ...(['', 'Scheduled', 'Pending', 'Sent', 'Delivered', 'Read', 'Failed', 'Deleted'] as const),
])
export type MessageStatus = z.infer<typeof MessageStatus>

export const MentionedPerson = z.object({
  jid: z.string().describe("The person's phone number id; empty if it is not known."),
  lid: z.string().describe("The person's `@lid`; empty if it is not known."),
  name: z
    .string()
    .describe('The name in the address book, or the one that the person chose; empty if none is known.'),
})
export type MentionedPerson = z.infer<typeof MentionedPerson>

/** A field that does not apply is empty, never absent. */
export const MessageRecord = z.object({
  id: z.string().describe('`owner:messageid`.'),
  messageid: z.string().describe('The id of the message on the network.'),
  chatid: z.string(),
  chatlid: z.string(),
  sender: z.string(),
  senderName: z.string(),
  sender_pn: z.string().describe("The sender's phone number id, if the network has sent it."),
  sender_lid: z.string().describe("The sender's `@lid`, if the network has sent it."),
  sender_username: Username,
  isGroup: z.boolean(),
  groupName: z.string(),
  fromMe: z.boolean(),
  messageType: z.string(),
  type: z.string(),
  mediaType: z.string(),
  messageTimestamp: Milliseconds,
  status: MessageStatus,
  text: z.string(),
  quoted: z.string().describe('The messageid of the message that this one replies to.'),
  quotedSender: z.string().describe('The author of that message, by number if it is known, else by `@lid`.'),
  repliesToMe: z.boolean().describe('A received message that replies to one of the account.'),
  mentions: z
    .array(MentionedPerson)
    .describe('The people whom the text mentions, there as `@` and the digits of their number or `@lid`.'),
  mentionsMe: z
    .boolean()
    .describe(
      'A received message that mentions the account, by number or `@lid`, or all members of its group.',
    ),
  edited: z
    .string()
    .describe(
      'The messageid of the original; in a stored message that was edited, its own, and `text` is the newest one.',
    ),
  reaction: z.string().describe('The messageid of the message that this one reacts to.'),
  vote: z
    .string()
    .describe('For a poll, the choices of the last vote; for a vote, its choices. Commas separate them.'),
  buttonOrListid: z.string(),
  owner: z.string().describe('Digits of the linked account.'),
  source: z.string(),
  wasSentByApi: z.boolean(),
  fileURL: z.string(),
  track_id: z.string(),
  track_source: z.string(),
  error: z.string(),
  scheduledFor: DateTime.optional().describe('When a message with `sendAt` is due; absent in any other.'),
  late: z
    .boolean()
    .describe(
      '`true` if it came long after it was sent: from a gap that a new linking has filled, more than a minute late from the queue of the network, or when it was recovered. A program that answers messages can leave these out.',
    ),
  content: z.record(z.string(), z.unknown()),
  truncated: z
    .boolean()
    .describe(
      '`true` if the message had more than 256 KiB of text, or more parts than a message has, and is not complete here.',
    ),
})
export type MessageRecord = z.infer<typeof MessageRecord>

export const MenuSent = MessageRecord.extend({
  response: z.object({ status: z.literal('success'), message: z.string() }),
})
export type MenuSent = z.infer<typeof MenuSent>

export const AlbumSent = MessageRecord.extend({
  sent: z.int().min(0).describe('How many of its files the network confirmed.'),
  unsent: z.int().min(0).describe('How many were not sent: those after the first that failed.'),
  messages: z
    .array(MessageRecord)
    .describe(
      'The files that were tried, in order. `Failed` was not sent; `Pending` may have been, and its outcome arrives as an event.',
    ),
})
export type AlbumSent = z.infer<typeof AlbumSent>

export const ReadResult = z.object({
  success: z.boolean(),
  marked: z.int().describe('The number of messages that were marked now.'),
  note: z.string().optional(),
})
export type ReadResult = z.infer<typeof ReadResult>

export const HistoryRequested = z.object({ requested: z.literal(true) })
