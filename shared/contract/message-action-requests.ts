// Requests that change existing messages, and that send locations, contacts and the like (open points, "Messages and chats").

import * as z from 'zod'
import { patterns } from '../jid.ts'
import { applyIf, matchPresence } from './field-rules.ts'
import { Phone } from './instance-requests.ts'
import { limits } from './limits.ts'
import { ListedChat, mentionRule, NetworkNumber, numberDescription, sendOptions } from './message-requests.ts'
import { limitText, limitTrimmedText } from './text-fields.ts'

/**
 * Without its `owner:` prefix, which is a number: other colons are a part of the id, which its sender has chosen. The result has no
 * such prefix, so that the host, which parses it again, gets the same id.
 */
export const removeOwnerPrefix = (id: string): string => id.replace(/^\s*(\d*:\s*)+/, '')

const MESSAGE_ID_DESCRIPTION = 'A messageid, with or without its `owner:` prefix.'
const MessageIdText = limitText(256, z.string().trim().min(1)).meta({
  pattern: '[^\\d:\\s]|\\d(\\s|$)',
})

/** With or without its `owner:` prefix; returns the messageid without it. */
export const MessageId = MessageIdText.transform(removeOwnerPrefix)
  .pipe(z.string().min(1))
  .describe(MESSAGE_ID_DESCRIPTION)

/** The same, unchanged, for routes that repeat it in their answer. */
const UnparsedMessageId = MessageIdText.refine(
  (id) => removeOwnerPrefix(id) !== '',
  'must be a messageid',
).describe(MESSAGE_ID_DESCRIPTION)

const number = NetworkNumber.describe(numberDescription)

export const ForwardMessage = z.object({ id: MessageId, number })

export const ReactToMessage = z.object({
  id: MessageId,
  number: NetworkNumber.describe('The chat of the message.'),
  text: limitText(64).describe('An emoji; the empty string removes the reaction.'),
})

export const DeleteMessage = z.object({ id: MessageId })

export const PinMessage = z.object({
  id: MessageId,
  pin: z.boolean().default(true).describe('`false` unpins the message.'),
  days: z.literal([1, 7, 30]).default(7).describe('How long it stays pinned.'),
})

export const StarMessage = z.object({
  id: MessageId,
  star: z.boolean().default(true).describe('`false` removes the star.'),
})

export const MarkMessagesRead = z.object({
  id: z
    .array(UnparsedMessageId)
    .min(1)
    .max(limits.maxMarkedMessages)
    .describe(`Up to ${limits.maxMarkedMessages} messageids of received messages.`),
})

export const EditMessage = z.object({
  id: MessageId,
  text: limitText(limits.maxTextLength).min(1).describe('The new text, or the new caption of a file.'),
})

export const RecoverMessage = z.object({ id: MessageId })

export const RequestHistory = z.object({
  number: NetworkNumber.describe('The chat.'),
  messageid: MessageId.optional().describe(
    'Messages before this one are requested; without it, before the oldest that is stored of the chat.',
  ),
  count: z.int().min(1).max(limits.maxRequestedHistory).default(limits.maxRequestedHistory),
})

/** From March 1973, which no time in seconds of these centuries reaches, to the end of the year 9999. */
const EventTime = z.int().min(100_000_000_000, 'must be in milliseconds').max(253_402_300_799_999)

export const SendLocation = z
  .object({
    number,
    latitude: z.number().min(-90).max(90),
    longitude: z.number().min(-180).max(180),
    name: limitText(1024).default(''),
    address: limitText(1024).default(''),
    ...sendOptions,
  })
  .meta(mentionRule)

export const SendEvent = z
  .object({
    number,
    name: limitTrimmedText(100),
    description: limitText(2048).default(''),
    startTime: EventTime.describe('Milliseconds.'),
    endTime: EventTime.optional().describe('Milliseconds, not before `startTime`.'),
    locationName: limitText(1024).default('').describe('The place, in words.'),
    address: limitText(1024).default(''),
    joinLink: limitText(2048).default('').describe('Of a call.'),
    cancelled: z.boolean().default(false).describe('Phones show it as called off.'),
    ...sendOptions,
  })
  .refine(({ startTime, endTime = startTime }) => endTime >= startTime, {
    path: ['endTime'],
    message: 'must not be before startTime',
  })
  .meta(mentionRule)

export const SendContact = z
  .object({
    number,
    fullName: limitTrimmedText(256),
    phoneNumber: z
      .string()
      .max(1024)
      .transform((text) => text.split(','))
      .pipe(z.array(Phone).max(20))
      .transform((phones) => phones.join())
      .meta({
        pattern: patterns.phones,
        description: '8 to 15 digits with country code; separate several with commas.',
      }),
    organization: limitText(256).default(''),
    email: limitText(256).default(''),
    url: limitText(2048).default(''),
    ...sendOptions,
  })
  .meta(mentionRule)

export const SendPresence = z.object({
  number,
  presence: z.enum(['composing', 'recording', 'paused']),
  delay: z
    .int()
    .min(0)
    .max(limits.maxSendDelayMs)
    .optional()
    .describe(
      'Milliseconds after which `paused` is shown; until then the state is shown again and again. A message to the chat ends it sooner. Without it, or with 0, the state is shown once.',
    ),
})

export const SubscribeChat = z.object({
  number,
  subscribe: z.boolean().default(true).describe('`false` ends the subscription.'),
})

const page = {
  limit: z.int().min(1).max(100).default(50),
  offset: z.int().min(0).max(1_000_000).default(0),
}

const NOT_SEARCHED = ['id', 'track_id', 'track_source', 'messageType'] as const

export const FindMessages = z
  .object({
    id: MessageId.optional(),
    chatid: ListedChat.optional().describe(
      'As `number`, or `status@broadcast`, whose posts of others are listed and found only so.',
    ),
    track_id: limitText(256).min(1).optional(),
    track_source: limitText(256).min(1).optional(),
    fromMe: z.boolean().optional().describe('Only messages of the account, or only those of others.'),
    messageType: z
      .string()
      .regex(/^\w{1,64}$/, 'must be letters and digits')
      .optional()
      .describe('As in the record; upper and lower case count as the same.'),
    sort: z
      .enum(['-messageTimestamp', 'messageTimestamp'])
      .optional()
      .describe('Newest first, unless it is `messageTimestamp`: oldest first.'),
    search: limitText(256, z.string().trim())
      .min(1)
      .optional()
      .describe(
        'Words that are all in the text, the caption or the file name; accents and case do not count. Only with `chatid`, `fromMe`, `sort` and pages.',
      ),
    beforeId: MessageId.optional().describe(
      'Only what comes after this message in the order of the list. Where messages come between two pages, it repeats none; `offset` does.',
    ),
    ...page,
  })
  .refine(
    ({ search, ...other }) => search === undefined || NOT_SEARCHED.every((name) => other[name] === undefined),
    `search cannot stand beside ${NOT_SEARCHED.join(', ')}`,
  )
  .meta(
    applyIf(matchPresence('search'), {
      properties: Object.fromEntries(NOT_SEARCHED.map((name) => [name, { type: 'null' }])),
    }),
  )

const isSet = z.boolean().optional()
const like = limitText(256).optional().describe('The whole value; with `~` in front, a part of it.')

/** The sort orders of chats; with `-` in front, in reverse. */
const chatOrders = ['wa_lastMsgTimestamp', 'wa_name', 'name', 'wa_unreadCount'] as const

const CURSOR = /^\d{1,16}:.{1,128}$/

export const FindChats = z
  .object({
    ...page,
    before: z
      .string()
      .regex(CURSOR, 'must be a nextBefore')
      .optional()
      .describe(
        'The `nextBefore` of a page: the chats after it, whatever has come meanwhile. Only newest first.',
      ),
    unread: z.boolean().default(false).describe('Only chats with unread messages.'),
    wa_isGroup: isSet,
    wa_archived: isSet,
    wa_isPinned: isSet,
    wa_isBlocked: isSet,
    wa_isGroup_admin: isSet.describe('Groups that the account administers.'),
    wa_isGroup_announce: isSet.describe('Groups in which only admins write.'),
    wa_isGroup_member: isSet.describe('Groups that the account is in.'),
    wa_name: like,
    wa_contactName: like,
    wa_chatid: like,
    wa_chatlid: like,
    wa_fastid: like,
    wa_lastMessageTextVote: like,
    wa_lastMessageType: like,
    wa_lastMessageSender: like,
    wa_label: like.describe(
      'The id or the name of a label of the chat; with `~` in front, a part of the name.',
    ),
    wa_unreadCount: z.int().optional(),
    wa_lastMsgTimestamp: z.int().optional(),
    wa_muteEndTime: z.int().optional(),
    name: like,
    phone: like,
    search: limitText(256, z.string().trim())
      .default('')
      .describe(
        'Words of the name, a username, or a number in any form; accents and case do not count. Texts of messages are not searched. Applies beside the other filters, whatever `operator` says.',
      ),
    operator: z.enum(['AND', 'OR']).default('AND').describe('Whether all filters must match, or one.'),
    sort: z
      .string()
      .regex(
        new RegExp(`^-?(${chatOrders.join('|')})$`),
        `must be one of ${chatOrders.join(', ')}, with - in front to turn it round`,
      )
      .default('-wa_lastMsgTimestamp'),
  })
  .refine(
    ({ before, sort }) => before === undefined || sort === '-wa_lastMsgTimestamp',
    'before cannot stand beside another sort',
  )
  .meta(applyIf(matchPresence('before'), { properties: { sort: { enum: ['-wa_lastMsgTimestamp'] } } }))

export const CheckNumbers = z.object({
  numbers: z
    .array(limitText(64))
    .min(1)
    .max(100)
    .describe(
      `Phone numbers, ids, or up to ${limits.maxCheckedUsernames} usernames, \`@name\` or \`@name:1234\` with its key.`,
    ),
})
