// Responses about an account's privacy settings, profile and blocked people.

import * as z from 'zod'
import { Instance } from './instance-responses.ts'
import { Milliseconds } from './response-fields.ts'

export const BlockList = z.object({
  response: z.string(),
  blockList: z.array(z.string()).describe('Ids of the blocked people, by phone number where it is known.'),
})
export type BlockList = z.infer<typeof BlockList>

/** Values of the network, which may have more than can be set here. */
export const Privacy = z.object({
  groupadd: z.string().describe('Who can add the account to groups.'),
  last: z.string().describe('Who sees when it was online last.'),
  status: z.string().describe('Who sees its about text.'),
  profile: z.string().describe('Who sees its picture.'),
  readreceipts: z.string().describe('Who sees that it has read a message.'),
  online: z.string().describe('Who sees that it is online.'),
  calladd: z.string().describe('Who can call it.'),
})
export type Privacy = z.infer<typeof Privacy>

const successFields = { success: z.literal(true), message: z.string() }

export const ProfileNamed = z.object({
  ...successFields,
  profile: z.object({ name: z.string(), updated_at: Milliseconds }),
})
export type ProfileNamed = z.infer<typeof ProfileNamed>

export const ProfileAbout = z.object({ about: z.string().describe('Empty if it has none.') })
export type ProfileAbout = z.infer<typeof ProfileAbout>

export const ProfileAboutChanged = z.object({
  ...successFields,
  profile: z.object({ about: z.string(), updated_at: Milliseconds }),
})
export type ProfileAboutChanged = z.infer<typeof ProfileAboutChanged>

export const ProfilePictured = z.object({
  ...successFields,
  profile: z.object({ image_updated: z.boolean(), image_removed: z.boolean(), updated_at: Milliseconds }),
})
export type ProfilePictured = z.infer<typeof ProfilePictured>

export const InstanceChanged = z.object({ instance: Instance })
export type InstanceChanged = z.infer<typeof InstanceChanged>

export const MarkedRead = z.object({
  results: z
    .array(
      z.object({
        message_id: z.string().describe('The id as in the request.'),
        status: z.enum(['success', 'failed']),
        error: z.string().describe('The code of the gateway for why it was not marked; empty if it was.'),
      }),
    )
    .describe('One result for each, in the order of the request.'),
})
export type MarkedRead = z.infer<typeof MarkedRead>
