// Responses with the account's settings of chats, contacts and labels.

import * as z from 'zod'
import { ChatRecord } from './chat-responses.ts'
import { Pagination } from './pagination.ts'
import { DateTime, Username } from './response-fields.ts'

export { toPagination } from './pagination.ts'

export const Contacts = z.array(
  z.object({ jid: z.string(), contactName: z.string(), contact_FirstName: z.string(), username: Username }),
)

export const Contact = z.object({
  jid: z.string(),
  contact_name: z.string(),
  contact_FirstName: z.string(),
  username: Username,
})
export type Contact = z.infer<typeof Contact>

export const ContactList = z.object({
  contacts: z.array(Contact).describe('Ordered by name.'),
  pagination: Pagination,
})

export interface ContactsFound {
  contacts: Contact[]
  total: number
}

const successFields = { success: z.literal(true), message: z.string() }

export const ContactAdded = z.object({
  ...successFields,
  contact: z.object({ jid: z.string(), name: z.string(), phone: z.string().describe('Digits.') }),
})
export type ContactAdded = z.infer<typeof ContactAdded>

export const ContactRemoved = z.object({
  ...successFields,
  removed_contact: z.object({ jid: z.string(), phone: z.string() }),
})
export type ContactRemoved = z.infer<typeof ContactRemoved>

export const ChatDeleted = z.object({
  response: z.string(),
  actions: z.array(z.string()).describe('The actions that were done, by the names of the fields.'),
  errors: z.array(z.string()).describe('The actions that were not done, each with its reason.'),
})
export type ChatDeleted = z.infer<typeof ChatDeleted>

export const ChatDetails = ChatRecord.extend({
  image: z
    .string()
    .describe(
      'The link to the picture of the chat; empty if there is none, or none that the account may see.',
    ),
  imagePreview: z
    .string()
    .describe('The link to the small picture, if it was requested; a data URI with `inline`.'),
  common_groups: z.string().describe('The groups that this person is in: `(name)id`, separated by commas.'),
})
export type ChatDetails = z.infer<typeof ChatDetails>

export const Label = z.object({
  id: z.string().describe('`owner:labelid`.'),
  labelid: z.string(),
  name: z.string(),
  color: z.int().describe('0 to 19.'),
  colorHex: z.string().describe('The color as phones show it.'),
  owner: z.string(),
  created: DateTime,
  updated: DateTime,
})
export type Label = z.infer<typeof Label>

export const Labels = z.array(Label)
export type Labels = z.infer<typeof Labels>

export const ChatLabelled = z.object({
  response: z.string(),
  editions: z.array(z.object({ labelid: z.string(), action: z.enum(['add', 'remove']) })),
})
export type ChatLabelled = z.infer<typeof ChatLabelled>
