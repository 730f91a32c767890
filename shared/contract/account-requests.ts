// Requests for an account's privacy settings, profile and blocked people.

import * as z from 'zod'
import { patterns } from '../jid.ts'
import { InitRequest } from './instance-requests.ts'
import { limits } from './limits.ts'
import { NetworkNumber } from './message-requests.ts'
import { privacyChoices } from './privacy-choices.ts'
import { limitText, limitTrimmedText, PictureText } from './text-fields.ts'

/** One person, never a group. */
export const PersonNumber = NetworkNumber.refine(
  (jid) => !jid.endsWith('@g.us'),
  'must name a person, not a group',
).meta({
  pattern: patterns.person,
  description: 'Digits with country code (8 to 15), or an id ending in `@s.msgnet.net` or `@lid`.',
})

export const BlockPerson = z.object({ number: PersonNumber, block: z.boolean() })

export const PrivacyChange = z.object({
  groupadd: z.enum(privacyChoices.groupadd).optional().describe('Who can add the account to groups.'),
  last: z.enum(privacyChoices.last).optional().describe('Who sees when it was online last.'),
  status: z.enum(privacyChoices.status).optional().describe('Who sees its about text.'),
  profile: z.enum(privacyChoices.profile).optional().describe('Who sees its picture.'),
  readreceipts: z
    .enum(privacyChoices.readreceipts)
    .optional()
    .describe('Who sees that it has read a message.'),
  online: z.enum(privacyChoices.online).optional().describe('Who sees that it is online.'),
  calladd: z.enum(privacyChoices.calladd).optional().describe('Who can call it.'),
})

export const OwnPresence = z.object({ presence: z.enum(['available', 'unavailable']) })

export const ProfileName = z.object({
  name: limitTrimmedText(limits.maxProfileNameLength).describe(
    `1 to ${limits.maxProfileNameLength} characters.`,
  ),
})

export const AboutChange = z.object({
  about: limitText(limits.maxAboutLength, z.string().trim()).describe(
    `Up to ${limits.maxAboutLength} characters; the empty text removes it.`,
  ),
})

export const ProfileImage = z.object({
  image: PictureText,
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
