// Requests for messages, and the message record (open points, "Messages and chats").

import * as z from 'zod'
import { parseNumber, patterns, STATUS_JID } from '../jid.ts'
import { applyIf } from './field-rules.ts'
import { limits } from './limits.ts'
import { previewLimits } from './link-preview.ts'
import type { MessageRecord } from './responses/message-responses.ts'
import { SendAt } from './send-time.ts'
import { limitText, OptionalFileText } from './text-fields.ts'

export type { MessageRecord, MessageStatus } from './responses/message-responses.ts'

const NUMBER_EXPECTED =
  'must be digits with country code (8 to 15), or an id ending in @s.msgnet.net, @g.us or @lid'

/** Takes a phone number or an id, and returns the id. */
export const NetworkNumber = z
  .string()
  .transform((text, context) => {
    const jid = parseNumber(text)
    if (jid) return jid
    context.addIssue(NUMBER_EXPECTED)
    return z.NEVER
  })
  .meta({ pattern: patterns.number })

/** The same, or the chat of status posts. */
export const ListedChat = z
  .string()
  .transform((text, context) => {
    const jid = text === STATUS_JID ? text : parseNumber(text)
    if (jid) return jid
    context.addIssue(NUMBER_EXPECTED)
    return z.NEVER
  })
  .meta({ pattern: `${patterns.number}|^${STATUS_JID}$` })

export const numberDescription =
  'Digits with country code (8 to 15), or an id ending in `@s.msgnet.net`, `@g.us` or `@lid`. Characters that people write around digits are dropped.'

/** In `mentions` of a message to a group: all its members. */
export const ALL_MEMBERS = 'all'

const Mention = z
  .string()
  .transform((text, context) => {
    const jid = text === ALL_MEMBERS ? ALL_MEMBERS : parseNumber(text)
    if (jid) return jid
    context.addIssue(`${NUMBER_EXPECTED}, or "${ALL_MEMBERS}"`)
    return z.NEVER
  })
  .meta({ pattern: patterns.mention })
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
    .pipe(z.array(Mention).max(1024))
    .meta({ pattern: patterns.mentions }),
])

/** `all` in mentions names the members of a group. */
export const mentionRule = applyIf(
  {
    required: ['mentions'],
    properties: {
      mentions: {
        if: { type: 'string' },
        // biome-ignore lint/suspicious/noThenProperty: the word of JSON Schema.
        then: { pattern: `(^|,)\\s*${ALL_MEMBERS}\\s*(,|$)` },
        else: { type: 'array', contains: { const: ALL_MEMBERS } },
      },
    },
  },
  { properties: { number: { pattern: patterns.group } } },
)

/** Fields that every send route takes. `delay` in milliseconds, shown as typing. */
export const sendOptions = {
  replyid: limitText(256).optional().describe('The messageid of the message that this one replies to.'),
  mentions: Mentions.optional().describe(
    'The people who are mentioned in the text, there as `@` and the digits of their number: a list, or one text with commas. In a group whose members have hidden ids the message names these. `all` mentions all members of a group, and adds `@all` to a text without it.',
  ),
  delay: z
    .int()
    .min(0)
    .max(limits.maxSendDelayMs)
    .optional()
    .describe('Milliseconds to wait before sending; the other side sees typing.'),
  readchat: z.boolean().optional().describe('Marks the chat as read before sending.'),
  readmessages: z.boolean().optional().describe('The same as `readchat`.'),
  forward: z.boolean().optional().describe('Phones show the message as forwarded.'),
  async: z
    .boolean()
    .optional()
    .describe(
      'The response comes at once, with `Pending`; the outcome arrives as `messages_update` of `type` `SendReceipt`.',
    ),
  track_id: limitText(256)
    .optional()
    .describe('An id that you choose; the record and its events contain it.'),
  track_source: limitText(256).optional().describe('The source of `track_id`; you choose the words.'),
  sendAt: SendAt,
}

export const SendText = z
  .object({
    number: NetworkNumber.describe(numberDescription),
    text: limitText(limits.maxTextLength).min(1),
    linkPreview: z
      .boolean()
      .optional()
      .describe(
        'Fetches title, description and picture of the first link. A page that has no title, is over 1 MiB or takes over 5 s: sent without.',
      ),
    linkPreviewTitle: limitText(previewLimits.title)
      .optional()
      .describe('Of a preview with your own words; the page is fetched only with `linkPreview`.'),
    linkPreviewDescription: limitText(previewLimits.description).optional(),
    linkPreviewImage: OptionalFileText.optional().describe('A URL, data URI or base64 of up to 8 MiB.'),
    ...sendOptions,
  })
  .meta(mentionRule)

export const ChatRead = z.object({
  number: NetworkNumber.describe(numberDescription),
  read: z
    .boolean()
    .default(true)
    .describe('`false` marks nothing: marking as unread is not supported, and `note` says so.'),
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
  quotedSender: '',
  repliesToMe: false,
  mentions: [],
  mentionsMe: false,
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
  late: false,
  content: {},
  truncated: false,
}
