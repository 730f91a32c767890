// Requests that set chats, contacts and labels. All devices of the account share these settings.

import * as z from 'zod'
import { PersonNumber } from './account-requests.ts'
import { applyIf, matchPresence, matchValues, requireAny, requireSingle } from './field-rules.ts'
import { NetworkNumber, numberDescription } from './message-requests.ts'
import { limitTrimmedText } from './text-fields.ts'

const number = NetworkNumber.describe(numberDescription)

export const ChatArchive = z.object({ number, archive: z.boolean() })
export const ChatPin = z.object({ number, pin: z.boolean() })
export const ChatMute = z.object({
  number,
  muteEndTime: z
    .literal([0, 8, 168, -1])
    .describe('Hours from now: 8, 168 (a week), -1 for ever, 0 for not muted.'),
})

export const disappearingTimers = [0, 86_400, 604_800, 7_776_000] as const
export const DisappearingSeconds = z
  .literal([...disappearingTimers])
  .describe('After how many seconds new messages disappear: a day, 7 or 90 days; 0 means that they stay.')

export const ChatEphemeral = z.object({ number, seconds: DisappearingSeconds })

const actions = ['deleteChatDB', 'deleteMessagesDB', 'deleteChatWhatsApp', 'clearChatWhatsApp'] as const
export type ChatDeletion = (typeof actions)[number]

export const ChatDelete = z
  .object({
    number,
    deleteChatDB: z.boolean().default(false).describe('Deletes the chat in the store of the gateway.'),
    deleteMessagesDB: z
      .boolean()
      .default(false)
      .describe('Deletes its messages in the store of the gateway.'),
    deleteChatWhatsApp: z
      .boolean()
      .default(false)
      .describe('Deletes the chat on the devices of the account.'),
    clearChatWhatsApp: z
      .boolean()
      .default(false)
      .describe('Deletes its messages on the devices of the account.'),
  })
  .refine((input) => actions.some((one) => input[one]), `must have one of ${actions.join(', ')}`)
  .meta(requireAny(actions, [false, null]))

export const ChatDetailsRequest = z.object({
  number,
  preview: z.boolean().default(false).describe('Returns the small picture instead of the large one.'),
  inline: z
    .boolean()
    .default(false)
    .describe('Returns the small picture itself, as a data URI in `imagePreview`, instead of its link.'),
})

const scope = z
  .enum(['address_book', 'all'])
  .default('address_book')
  .describe('`all` also includes people with a chat.')

export const ContactsRequest = z.object({
  limit: z.int().min(1).max(1000).optional().describe('The default is 100.'),
  offset: z.int().min(0).max(1_000_000).optional(),
  page: z.int().min(1).max(1_000_000).optional().describe('Counts from 1; replaces `offset`.'),
  pageSize: z.int().min(1).max(1000).optional().describe('Replaces `limit`.'),
  contactScope: scope,
})

export const ContactsPage = z.object({ limit: z.int(), offset: z.int(), contactScope: scope })

/** The API family has two names for it. */
const person = { number: PersonNumber.optional(), phone: PersonNumber.optional() }
const hasPerson = ({ number, phone }: { number?: string | undefined; phone?: string | undefined }) =>
  number !== undefined || phone !== undefined

export const ContactAdd = z
  .object({ ...person, name: limitTrimmedText(200) })
  .refine(hasPerson, { path: ['number'], message: 'is missing: it or phone must be given' })
  .meta(requireAny(['number', 'phone']))

export const ContactRemove = z
  .object(person)
  .refine(hasPerson, { path: ['number'], message: 'is missing: it or phone must be given' })
  .meta(requireAny(['number', 'phone']))

const LabelId = z.string().regex(/^\d{1,4}$/, 'must be one to four digits')

export const LabelEdit = z
  .object({
    labelid: z
      .string()
      .regex(/^(\d{1,4}|new)$/, 'must be one to four digits, or new')
      .optional()
      .describe('Without it, a new label is created.'),
    name: limitTrimmedText(100).optional(),
    color: z.int().min(0).max(19).optional(),
    delete: z.boolean().default(false),
  })
  .refine(({ labelid, name, delete: isDeletion }) => (isDeletion ? labelid : name), {
    path: ['name'],
    message: 'is missing: it must be given, unless a labelid is to be deleted',
  })
  .meta(applyIf(matchValues('delete', [true]), matchPresence('labelid'), matchPresence('name')))

export const ChatLabelsRequest = z
  .object({
    number,
    labelids: z.array(LabelId).max(20).optional().describe('The chat gets these labels and no others.'),
    add_labelid: LabelId.optional(),
    remove_labelid: LabelId.optional(),
  })
  .refine(
    (input) =>
      [input.labelids, input.add_labelid, input.remove_labelid].filter((one) => one !== undefined).length ===
      1,
    'must have one of labelids, add_labelid and remove_labelid',
  )
  .meta(requireSingle(['labelids', 'add_labelid', 'remove_labelid']))
