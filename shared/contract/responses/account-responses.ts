// Responses about an account's privacy settings, profile and blocked people.

import * as z from 'zod'
import { Instance } from './instance-responses.ts'
import { Milliseconds } from './response-fields.ts'

export const BlockList = z.object({
  response: z.string(),
  blockList: z.array(z.string()).describe('Ids of those who are blocked, by phone number where it is known.'),
})
export type BlockList = z.infer<typeof BlockList>

/** Values of the network, which may have more than can be set here. */
export const Privacy = z.object({
  groupadd: z.string().describe('Who adds the account to groups.'),
  last: z.string().describe('Who sees when it was there last.'),
  status: z.string().describe('Who sees its words about itself.'),
  profile: z.string().describe('Who sees its picture.'),
  readreceipts: z.string().describe('Who sees that it has read.'),
  online: z.string().describe('Who sees that it is there.'),
  calladd: z.string().describe('Who calls it.'),
})
export type Privacy = z.infer<typeof Privacy>

const successFields = { success: z.literal(true), message: z.string() }

export const ProfileNamed = z.object({
  ...successFields,
  profile: z.object({ name: z.string(), updated_at: Milliseconds }),
})
export type ProfileNamed = z.infer<typeof ProfileNamed>

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
        message_id: z.string().describe('As it was asked for.'),
        status: z.enum(['success', 'failed']),
        error: z.string().describe('Why it was not marked: a code of ours, empty when it was.'),
      }),
    )
    .describe('One for each, in the order that was asked.'),
})
export type MarkedRead = z.infer<typeof MarkedRead>
