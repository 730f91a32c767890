// Groups: creates and shows them, and lets members change them with their phones.
import { Hono } from 'hono'
import { z } from 'zod'
import { changeAddressing } from '../groups/change-addressing.ts'
import { changeDescription, changeSettings, renameGroup } from '../groups/change-group.ts'
import { changeMembers } from '../groups/change-members.ts'
import { createGroup } from '../groups/found-group.ts'
import { getGroup, getMembership, isSubject } from '../groups/group-rules.ts'
import { joinGroup } from '../groups/join-group.ts'
import { removeMembers } from '../groups/leave-group.ts'
import { replaceMember } from '../groups/replace-member.ts'
import { setPicture } from '../groups/set-picture.ts'
import { formatAddress, toNeutralId } from '../network/address.ts'
import type { Network } from '../network/simulated-network.ts'
import { createMessageId } from '../network/stanza-ids.ts'
import { MAX_GROUP_MEMBERS } from '../network-limits.ts'
import { shareHistory } from '../phones/share-history.ts'
import type { Account } from '../store/account-table.ts'
import type { Group } from '../store/group-table.ts'
import { Name, readBody, requireGroup, requirePhone } from './control-body.ts'
import { createProblem } from './problem.ts'

const NewGroup = z.strictObject({
  subject: z.string().trim().refine(isSubject, '1 to 100 characters'),
  owner: Name,
  participants: z
    .array(Name)
    .max(MAX_GROUP_MEMBERS - 1)
    .default([]),
  admins: z.array(Name).default([]),
  locked: z.boolean().default(false),
  announce: z.boolean().default(false),
  addressing: z.enum(['pn', 'lid']).default('lid'),
  /** The maximum number of members. */
  most: z.int().min(1).max(MAX_GROUP_MEMBERS).optional(),
})
const MemberChange = z.strictObject({
  action: z.enum(['add', 'remove', 'promote', 'demote', 'leave', 'join', 'modify']),
  participants: z.array(Name).default([]),
  by: Name,
})
const Sharing = z.strictObject({
  by: Name,
  to: z.array(Name).min(1).max(256),
  written: z.array(z.string()).max(1000).default([]),
  raw: z.base64().min(4).optional(),
  lost: z.boolean().default(false),
})
const Addressing = z.strictObject({ addressing: z.enum(['pn', 'lid']) })
const GroupChange = z.strictObject({
  by: Name,
  subject: z.string().optional(),
  description: z.string().optional(),
  /** A JPEG in base64; null removes the picture. */
  picture: z.base64().nullable().optional(),
  locked: z.boolean().optional(),
  announce: z.boolean().optional(),
  approval: z.boolean().optional(),
  openAdding: z.boolean().optional(),
  ephemeral: z.int().min(0).optional(),
})

export function createGroupRoutes(network: Network) {
  return new Hono()
    .post('/', async (c) => {
      const { owner, addressing: form, ...input } = await readBody(c, NewGroup)
      const founder = requirePhone(network, owner)
      const members = input.participants.map((name) => requirePhone(network, name))
      const admins = input.admins.map((name) => requirePhone(network, name))
      const known = new Set(members)
      if (!admins.every((admin) => known.has(admin))) {
        throw createProblem(400, 'an admin has to be a participant', 'admins')
      }
      const { jid } = createGroup(network, founder, { ...input, form, members, admins })
      return c.json({ jid })
    })

    .get('/:jid', (c) => c.json(describeGroup(network, requireGroup(network, c.req.param('jid')))))

    .patch('/:jid', async (c) => {
      const { by: name, ...input } = await readBody(c, GroupChange)
      const { jid } = requireGroup(network, c.req.param('jid'))
      changeGroup(network, jid, requirePhone(network, name), input)
      return c.json(describeGroup(network, requireGroup(network, jid)))
    })

    .post('/:jid/addressing', async (c) => {
      const { addressing } = await readBody(c, Addressing)
      const { jid } = requireGroup(network, c.req.param('jid'))
      changeAddressing(network, getGroup(network, jid), addressing)
      return c.json(describeGroup(network, requireGroup(network, jid)))
    })

    .post('/:jid/history', async (c) => {
      const { by, to, raw, ...rest } = await readBody(c, Sharing)
      const id = await shareHistory(network, {
        ...rest,
        group: requireGroup(network, c.req.param('jid')),
        from: requirePhone(network, by),
        to: to.map((name) => requirePhone(network, name)),
        raw: raw === undefined ? undefined : Buffer.from(raw, 'base64'),
      })
      return c.json({ id })
    })

    .post('/:jid/participants', async (c) => {
      const { action, participants, by: name } = await readBody(c, MemberChange)
      const group = requireGroup(network, c.req.param('jid'))
      const by = requirePhone(network, name)
      const named = participants.map((one) => requirePhone(network, one))
      return c.json({ participants: changeParticipants(network, group, by, action, named) })
    })
}

/** In order, because each change is checked against the result of the one before. */
function changeGroup(
  network: Network,
  jid: string,
  by: Account,
  input: Omit<z.infer<typeof GroupChange>, 'by'>,
) {
  const { subject, description, picture, ...settings } = input
  if (subject !== undefined) renameGroup(network, getGroup(network, jid), by, subject)
  if (description !== undefined) {
    const text = description === '' ? undefined : { id: createMessageId(), text: description }
    const group = getGroup(network, jid)
    changeDescription(network, group, by, text, group.description?.id)
  }
  if (picture !== undefined) {
    const jpeg = picture === null ? undefined : Buffer.from(picture, 'base64')
    setPicture(network, by, getGroup(network, jid), jpeg)
  }
  const changed = Object.entries(settings).filter(([, value]) => value !== undefined)
  if (changed.length > 0) changeSettings(network, getGroup(network, jid), by, Object.fromEntries(changed))
}

/** `by` joins, leaves or changes its number; the other actions concern the named members. */
function changeParticipants(
  network: Network,
  group: Group,
  by: Account,
  action: z.infer<typeof MemberChange>['action'],
  named: Account[],
) {
  if (action === 'join') {
    joinGroup(network, group, by)
    return [{ jid: toNeutralId(by.number), error: 0 }]
  }
  if (action === 'leave') {
    getMembership(network, group, by)
    removeMembers(network, group, by, [by])
    return [{ jid: toNeutralId(by.number), error: 0 }]
  }
  const [first] = named
  if (action === 'modify' && first) {
    replaceMember(network, group, by, first)
    return [{ jid: toNeutralId(first.number), error: 0 }]
  }
  if (!first || action === 'modify') throw createProblem(400, 'no participant is named', 'participants')
  const jids = named.map((account) => formatAddress(account, group.form))
  return changeMembers(network, getGroup(network, group.jid), by, action, jids).map(
    ({ account, jid, code }) => ({
      jid: account === undefined ? jid : toNeutralId(account.number),
      error: code ?? 0,
    }),
  )
}

function describeGroup({ store }: Network, group: Group) {
  const { jid, subject, description, creator, form, locked, announce, ephemeral, approval, openAdding } =
    group
  const participants = store.groups.listMembers(jid).map(({ number, role }) => {
    const account = store.accounts.find(number)
    return { jid: toNeutralId(number), lid: account === undefined ? '' : formatAddress(account, 'lid'), role }
  })
  const { id, sha256, width, height } = store.pictures.findByOwner(jid) ?? {}
  return {
    jid,
    subject: subject.text,
    description: description?.text ?? '',
    owner: toNeutralId(creator),
    addressing: form,
    locked,
    announce,
    ephemeral,
    approval,
    openAdding,
    participants,
    invite: group.invite,
    applicants: store.groups.listApplicants(jid).map(({ number }) => toNeutralId(number)),
    picture: id === undefined ? null : { id, sha256, width, height },
  }
}
