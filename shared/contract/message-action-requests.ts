// Requests that change existing messages, and that send locations, contacts and the like (open points, "Messages and chats").

import * as z from 'zod'
import { Phone } from './instance-requests.ts'
import { limits } from './limits.ts'
import { NetworkNumber, numberDescription, sendOptions } from './message-requests.ts'

/** Without its `owner:` prefix. */
export const removeOwnerPrefix = (id: string): string => id.slice(id.indexOf(':') + 1)

const MESSAGE_ID_DESCRIPTION = 'A messageid, with or without its `owner:` prefix.'
const MessageIdText = z.string().trim().min(1).max(256)

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
  text: z.string().max(64).describe('An emoji; the empty string removes the reaction.'),
})

export const DeleteMessage = z.object({ id: MessageId })

export const MarkMessagesRead = z.object({
  id: z
    .array(UnparsedMessageId)
    .min(1)
    .max(limits.maxMarkedMessages)
    .describe(`Up to ${limits.maxMarkedMessages} messageids of received messages.`),
})

export const EditMessage = z.object({
  id: MessageId,
  text: z.string().min(1).max(limits.maxTextLength).describe('The new text, or the new caption of a file.'),
})

export const SendLocation = z.object({
  number,
  latitude: z.number().min(-90).max(90),
  longitude: z.number().min(-180).max(180),
  name: z.string().max(1024).default(''),
  address: z.string().max(1024).default(''),
  ...sendOptions,
})

export const SendContact = z.object({
  number,
  fullName: z.string().trim().min(1).max(256),
  phoneNumber: z
    .string()
    .max(1024)
    .transform((text) => text.split(','))
    .pipe(z.array(Phone).max(20))
    .transform((phones) => phones.join())
    .describe('8 to 15 digits with country code; separate several with commas.'),
  organization: z.string().max(256).default(''),
  email: z.string().max(256).default(''),
  url: z.string().max(2048).default(''),
  ...sendOptions,
})

export const SendPresence = z.object({
  number,
  presence: z.enum(['composing', 'recording', 'paused']),
})

const page = {
  limit: z.int().min(1).max(100).default(50),
  offset: z.int().min(0).max(1_000_000).default(0),
}

export const FindMessages = z.object({
  id: MessageId.optional(),
  chatid: NetworkNumber.optional().describe(numberDescription),
  track_id: z.string().min(1).max(256).optional(),
  track_source: z.string().min(1).max(256).optional(),
  ...page,
})

const isSet = z.boolean().optional()
const like = z.string().max(256).optional().describe('The whole value; with `~` in front, a part of it.')

/** The sort orders of chats; with `-` in front, in reverse. */
const chatOrders = ['wa_lastMsgTimestamp', 'wa_name', 'name', 'wa_unreadCount'] as const

export const FindChats = z.object({
  ...page,
  unread: z.boolean().default(false).describe('Only chats with unread messages.'),
  wa_isGroup: isSet,
  wa_archived: isSet,
  wa_isPinned: isSet,
  wa_isBlocked: isSet,
  wa_name: like,
  wa_chatid: like,
  name: like,
  search: z
    .string()
    .trim()
    .max(256)
    .default('')
    .describe(
      'Words of the name, or a number in any spelling; accents and case do not count. Texts of messages are not searched. It applies beside the other filters, whatever `operator` says.',
    ),
  operator: z.enum(['AND', 'OR']).default('AND').describe('Whether all filters must match, or one of them.'),
  sort: z
    .string()
    .regex(
      new RegExp(`^-?(${chatOrders.join('|')})$`),
      `must be one of ${chatOrders.join(', ')}, with - in front to turn it round`,
    )
    .default('-wa_lastMsgTimestamp'),
})

export const CheckNumbers = z.object({
  numbers: z
    .array(z.string().max(64))
    .min(1)
    .max(100)
    .describe('Phone numbers or ids. Any other entry gets an `error`.'),
})
