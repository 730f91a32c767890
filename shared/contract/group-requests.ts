// Requests for groups (contract, "Groups").

import * as z from 'zod'
import { parseNumber, patterns } from '../jid.ts'
import { requireAny } from './field-rules.ts'
import { limits } from './limits.ts'
import { NetworkNumber } from './message-requests.ts'
import { DisappearingSeconds } from './setting-requests.ts'
import { limitText, limitTrimmedText, PictureText } from './text-fields.ts'

/** Takes what people write around an id, as the number of a message does, and returns the id. */
const groupjid = z
  .string()
  .min(1)
  .transform((text, context) => {
    const jid = parseNumber(text)
    if (jid?.endsWith('@g.us')) return jid
    context.addIssue('must end in @g.us')
    return z.NEVER
  })
  .meta({ pattern: patterns.group, description: 'An id that ends in `@g.us`.' })

const GroupName = limitTrimmedText(limits.maxGroupNameLength).describe('1 to 100 characters.')

const participants = z
  .array(
    NetworkNumber.refine((jid) => !jid.endsWith('@g.us'), 'must not be a group: only people take part').meta({
      pattern: patterns.person,
    }),
  )
  .min(1)
  .max(1024)
  .describe('Phone numbers or ids of people.')

export const GroupInfo = z.object({
  groupjid,
  getInviteLink: z.boolean().default(false).describe('Requests the link from the network; admins only.'),
  force: z
    .boolean()
    .default(false)
    .describe('Requests the data from the network instead of using stored data. Metered.'),
})

export const GroupCreate = z.object({ name: GroupName, participants })

const participantActions = ['add', 'remove', 'promote', 'demote', 'approve', 'reject'] as const

export const GroupParticipantsChange = z.object({
  groupjid,
  action: z.enum(participantActions),
  participants,
})

export const GroupNameChange = z.object({ groupjid, name: GroupName })

export const GroupImageChange = z.object({
  groupjid,
  image: PictureText,
})

const groupSettings = {
  joinApproval: z.boolean().optional().describe('`true`: admins decide who joins by the invitation.'),
  memberAddMode: z.enum(['all', 'admins']).optional().describe('Who can add members.'),
  ephemeral: DisappearingSeconds.optional(),
}
const settingNames = Object.keys(groupSettings) as (keyof typeof groupSettings)[]

export const GroupSettingsChange = z
  .object({ groupjid, ...groupSettings })
  .refine(
    (change) => settingNames.some((name) => change[name] !== undefined),
    `must have one of ${settingNames.join(', ')}`,
  )
  .meta(requireAny(settingNames))

/** An invitation code, or a link that ends with it. */
const invitecode = z
  .string()
  .trim()
  .transform((text) => text.replace(/^https?:\/\/[^/?#]+\/(?:[^?#]*\/)?([\w-]+)\/?(?:[?#].*)?$/, '$1'))
  .refine(
    (code) => /^[\w-]{10,64}$/.test(code),
    'must be an invitation: its code, or the link that ends in it',
  )
  .meta({
    pattern: '^\\s*(https?://[^/?#]+/([^?#]*/)?[A-Za-z0-9_-]{10,64}/?([?#].*)?|[A-Za-z0-9_-]{10,64})\\s*$',
    description: 'The code of an invitation, or its link.',
  })

export const GroupInvite = z.object({ invitecode })

export const GroupOnly = z.object({ groupjid })

export const GroupDescriptionChange = z.object({
  groupjid,
  description: limitText(limits.maxGroupDescriptionLength, z.string().trim()).describe(
    `Up to ${limits.maxGroupDescriptionLength} characters; the empty text removes it.`,
  ),
})

export const GroupAnnounceChange = z.object({
  groupjid,
  announce: z.boolean().describe('`true`: only admins can write.'),
})

export const GroupLockedChange = z.object({
  groupjid,
  locked: z.boolean().describe('`true`: only admins can change name, picture and description.'),
})
