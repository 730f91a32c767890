// Requests and responses about both forms of a person's id, as far as the network has sent them.

import * as z from 'zod'
import { NetworkNumber, numberDescription } from './message-requests.ts'
import { Username } from './responses/response-fields.ts'

export const ResolveIdentity = z.object({
  ids: z.array(NetworkNumber).min(1).max(100).describe(`${numberDescription} Up to 100.`),
})

export const Identities = z.array(
  z.object({
    id: z.string().describe('The entry of the request, as an id.'),
    jid: z.string().describe('The id by phone number; empty if the network has not sent it.'),
    lid: z.string().describe('The `@lid`; empty if the network has not sent it.'),
    source: z
      .enum(['network', 'contacts', 'chats', 'groups', ''])
      .describe(
        'The source of both forms: sent with messages or requested by number, the address book of the phone, a chat, or the members of a group. Empty if only one form is known.',
      ),
    username: Username,
  }),
)
export type Identities = z.infer<typeof Identities>
