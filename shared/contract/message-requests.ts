// Requests for messages, and the message record (open points, "Messages and chats").

import * as z from 'zod'
import { parseNumber } from '../jid.ts'
import { limits } from './limits.ts'
import type { MessageRecord } from './responses/message-responses.ts'

export type { MessageRecord, MessageStatus } from './responses/message-responses.ts'

const NUMBER_EXPECTED =
  'must be digits with country code (8 to 15), or an id ending in @s.msgnet.net, @g.us or @lid'

/** Takes a phone number or an id, and returns the id. */
export const NetworkNumber = z.string().transform((text, context) => {
  const jid = parseNumber(text)
  if (jid) return jid
  context.addIssue(NUMBER_EXPECTED)
  return z.NEVER
})

export const numberDescription =
  'Digits with country code (8 to 15), or an id ending in `@s.msgnet.net`, `@g.us` or `@lid`. What people write around digits is dropped.'

/** In `mentions` of a message to a group: all its members. */
export const ALL_MEMBERS = 'all'

const Mention = z.string().transform((text, context) => {
  const jid = text === ALL_MEMBERS ? ALL_MEMBERS : parseNumber(text)
  if (jid) return jid
  context.addIssue(`${NUMBER_EXPECTED}, or "${ALL_MEMBERS}"`)
  return z.NEVER
})
/** Takes a list, or one text with commas, and returns the list. */
const Mentions = z.union([
  z.array(Mention).max(1024),
  z
    .string()
    .max(32_768)
    .transform((text) =>
      text
        .split(',')
        .map((one) => one.trim())
        .filter(Boolean),
    )
    .pipe(z.array(Mention).max(1024)),
])

/** Fields that every send route takes. `delay` in milliseconds, shown as typing. */
export const sendOptions = {
  replyid: z.string().max(256).optional().describe('The message that this one answers, by its messageid.'),
  mentions: Mentions.optional().describe(
    'Who is named in the text: a list, or one text with commas. `all` names everybody in a group.',
  ),
  delay: z
    .int()
    .min(0)
    .max(limits.maxSendDelayMs)
    .optional()
    .describe('Milliseconds to wait before sending, shown to the other side as typing.'),
  readchat: z.boolean().optional().describe('Marks the chat read before sending.'),
  readmessages: z.boolean().optional().describe('The same as `readchat`.'),
  forward: z.boolean().optional().describe('Phones show it as forwarded.'),
  async: z
    .boolean()
    .optional()
    .describe(
      'Answers at once, with `Pending`; what became of it comes as `messages_update` of `type` `SendReceipt`.',
    ),
  track_id: z
    .string()
    .max(256)
    .optional()
    .describe('An id of yours; it comes back in the record and its events.'),
  track_source: z.string().max(256).optional().describe('Where `track_id` comes from, in your words.'),
}

export const SendText = z.object({
  number: NetworkNumber.describe(numberDescription),
  text: z.string().min(1).max(limits.maxTextLength),
  linkPreview: z
    .boolean()
    .optional()
    .describe(
      'Taken, and without effect: a preview would have the gateway fetch the link, and it fetches no link of a text. The phone shows it as text.',
    ),
  ...sendOptions,
})

export const ChatRead = z.object({
  number: NetworkNumber.describe(numberDescription),
  read: z
    .boolean()
    .default(true)
    .describe('`false` marks nothing: marking as unread is not supported, and a note says so.'),
})

export const emptyMessage: MessageRecord = {
  id: '',
  messageid: '',
  chatid: '',
  chatlid: '',
  sender: '',
  senderName: '',
  sender_pn: '',
  sender_lid: '',
  isGroup: false,
  groupName: '',
  fromMe: false,
  messageType: '',
  type: '',
  mediaType: '',
  messageTimestamp: 0,
  status: '',
  text: '',
  quoted: '',
  edited: '',
  reaction: '',
  vote: '',
  buttonOrListid: '',
  owner: '',
  source: '',
  wasSentByApi: false,
  fileURL: '',
  track_id: '',
  track_source: '',
  error: '',
  content: {},
  truncated: false,
}
