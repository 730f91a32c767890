// Requests for an account's privacy settings, profile and blocked people.

import * as z from 'zod'
import { InitRequest } from './instance-requests.ts'
import { limits } from './limits.ts'
import { NetworkNumber } from './message-requests.ts'

/** One person, never a group. */
export const PersonNumber = NetworkNumber.refine(
  (jid) => !jid.endsWith('@g.us'),
  'must name a person, not a group',
).describe('Digits with country code (8 to 15), or an id ending in `@s.msgnet.net` or `@lid`.')

export const BlockPerson = z.object({ number: PersonNumber, block: z.boolean() })

const audiences = ['all', 'contacts', 'contact_blacklist', 'none'] as const

/** The values of each category that the network knows. */
export const privacyValues = {
  groupadd: audiences,
  last: audiences,
  status: audiences,
  profile: audiences,
  readreceipts: ['all', 'none'],
  online: ['all', 'match_last_seen'],
  calladd: ['all', 'known'],
} as const

export const PrivacyChange = z.object({
  groupadd: z.enum(privacyValues.groupadd).optional().describe('Who can add the account to groups.'),
  last: z.enum(privacyValues.last).optional().describe('Who sees when it was online last.'),
  status: z.enum(privacyValues.status).optional().describe('Who sees its about text.'),
  profile: z.enum(privacyValues.profile).optional().describe('Who sees its picture.'),
  readreceipts: z
    .enum(privacyValues.readreceipts)
    .optional()
    .describe('Who sees that it has read a message.'),
  online: z.enum(privacyValues.online).optional().describe('Who sees that it is online.'),
  calladd: z.enum(privacyValues.calladd).optional().describe('Who can call it.'),
})

export const OwnPresence = z.object({ presence: z.enum(['available', 'unavailable']) })

/** Counted in characters, not in UTF-16 units, of which an emoji has two or more. */
export const ProfileName = z.object({
  name: z
    .string()
    .trim()
    .min(1)
    .refine(
      (name) => [...name].length <= limits.maxProfileNameLength,
      `must have at most ${limits.maxProfileNameLength} characters`,
    )
    .describe(`1 to ${limits.maxProfileNameLength} characters.`),
})

export const ProfileImage = z.object({
  image: z
    .string()
    .min(1)
    .describe(
      'A data URI, base64 or an allowed URL of a JPEG, PNG or GIF of up to 8 MiB; `remove` or `delete` removes the picture.',
    ),
})

export const InstanceName = InitRequest.pick({ name: true })

const seconds = z
  .int()
  .min(0)
  .max(limits.maxSendDelayMs / 1000)

export const DelaySettings = z
  .object({
    msg_delay_min: seconds.describe('Seconds.'),
    msg_delay_max: seconds.describe(
      'Seconds, not less than `msg_delay_min`. If both are 0, there is no delay.',
    ),
  })
  .refine(({ msg_delay_min, msg_delay_max }) => msg_delay_max >= msg_delay_min, {
    path: ['msg_delay_max'],
    message: 'must not be less than msg_delay_min',
  })
