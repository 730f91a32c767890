// Groups: creates and shows them, and lets members act in them with their phones.
import { Hono } from 'hono'
import { z } from 'zod'
import { changeAddressing } from '../groups/addressing.ts'
import { configure, describeAs, rename } from '../groups/changing.ts'
import { found } from '../groups/founding.ts'
import { join } from '../groups/joining.ts'
import { depart } from '../groups/leaving.ts'
import { changeMembers } from '../groups/membership.ts'
import { setPicture } from '../groups/picture.ts'
import { renumber } from '../groups/renumbering.ts'
import { groupAt, isSubject, membership } from '../groups/rules.ts'
import { addressOf, neutralId } from '../network/address.ts'
import type { Network } from '../network/network.ts'
import { freshMessageId } from '../network/stamps.ts'
import type { Account } from '../store/accounts.ts'
import type { Group } from '../store/groups.ts'
import { bodyOf, groupNamed, Name, phoneNamed } from './body.ts'
import { problem } from './problem.ts'

const NewGroup = z.strictObject({
  subject: z.string().trim().refine(isSubject, '1 to 100 characters'),
  owner: Name,
  participants: z.array(Name).max(1_023).default([]),
  admins: z.array(Name).default([]),
  locked: z.boolean().default(false),
  announce: z.boolean().default(false),
  addressing: z.enum(['pn', 'lid']).default('lid'),
  /** The most members that it takes. */
  most: z.int().min(1).max(1_024).optional(),
})
const MemberChange = z.strictObject({
  action: z.enum(['add', 'remove', 'promote', 'demote', 'leave', 'join', 'modify']),
  participants: z.array(Name).default([]),
  by: Name,
})
const Addressing = z.strictObject({ addressing: z.enum(['pn', 'lid']) })
const GroupChange = z.strictObject({
  by: Name,
  subject: z.string().optional(),
  description: z.string().optional(),
  /** A JPEG in base64; null takes the picture away. */
  picture: z.base64().nullable().optional(),
  locked: z.boolean().optional(),
  announce: z.boolean().optional(),
  approval: z.boolean().optional(),
  openAdding: z.boolean().optional(),
  ephemeral: z.int().min(0).optional(),
})

export function groupRoutes(network: Network) {
  return new Hono()
    .post('/', async (c) => {
      const { owner, addressing: form, ...wish } = await bodyOf(c, NewGroup)
      const founder = phoneNamed(network, owner)
      const members = wish.participants.map((name) => phoneNamed(network, name))
      const admins = wish.admins.map((name) => phoneNamed(network, name))
      const known = new Set(members)
      if (!admins.every((admin) => known.has(admin))) {
        throw problem(400, 'an admin has to be a participant', 'admins')
      }
      const { jid } = found(network, founder, { ...wish, form, members, admins })
      return c.json({ jid })
    })

    .get('/:jid', (c) => c.json(described(network, groupNamed(network, c.req.param('jid')))))

    .patch('/:jid', async (c) => {
      const { by: name, ...wish } = await bodyOf(c, GroupChange)
      const { jid } = groupNamed(network, c.req.param('jid'))
      alter(jid, phoneNamed(network, name), wish)
      return c.json(described(network, groupNamed(network, jid)))
    })

    .post('/:jid/addressing', async (c) => {
      const { addressing } = await bodyOf(c, Addressing)
      const { jid } = groupNamed(network, c.req.param('jid'))
      changeAddressing(network, groupAt(network, jid), addressing)
      return c.json(described(network, groupNamed(network, jid)))
    })

    .post('/:jid/participants', async (c) => {
      const { action, participants, by: name } = await bodyOf(c, MemberChange)
      const group = groupNamed(network, c.req.param('jid'))
      const by = phoneNamed(network, name)
      const named = participants.map((one) => phoneNamed(network, one))
      return c.json({ participants: change(group, by, action, named) })
    })

  /** In order, because each change is checked against the result of the one before. */
  function alter(jid: string, by: Account, wish: Omit<z.infer<typeof GroupChange>, 'by'>) {
    const { subject, description, picture, ...settings } = wish
    if (subject !== undefined) rename(network, groupAt(network, jid), by, subject)
    if (description !== undefined) {
      const text = description === '' ? undefined : { id: freshMessageId(), text: description }
      const group = groupAt(network, jid)
      describeAs(network, group, by, text, group.description?.id)
    }
    if (picture !== undefined) {
      const jpeg = picture === null ? undefined : Buffer.from(picture, 'base64')
      setPicture(network, by, groupAt(network, jid), jpeg)
    }
    const given = Object.entries(settings).filter(([, value]) => value !== undefined)
    if (given.length > 0) configure(network, groupAt(network, jid), by, Object.fromEntries(given))
  }

  /** `by` joins, leaves or changes number himself; the other actions he applies to the named members. */
  function change(
    group: Group,
    by: Account,
    action: z.infer<typeof MemberChange>['action'],
    named: Account[],
  ) {
    if (action === 'join') {
      join(network, group, by)
      return [{ jid: neutralId(by.number), error: 0 }]
    }
    if (action === 'leave') {
      membership(network, group, by)
      depart(network, group, by, [by])
      return [{ jid: neutralId(by.number), error: 0 }]
    }
    const [first] = named
    if (action === 'modify' && first) {
      renumber(network, group, by, first)
      return [{ jid: neutralId(first.number), error: 0 }]
    }
    if (!first || action === 'modify') throw problem(400, 'nobody is named', 'participants')
    const jids = named.map((account) => addressOf(account, group.form))
    return changeMembers(network, groupAt(network, group.jid), by, action, jids).map(
      ({ account, jid, code }) => ({
        jid: account === undefined ? jid : neutralId(account.number),
        error: code ?? 0,
      }),
    )
  }
}

function described({ store }: Network, group: Group) {
  const { jid, subject, description, creator, form, locked, announce, ephemeral, approval } = group
  const participants = store.groups.members(jid).map(({ number, role }) => {
    const account = store.accounts.find(number)
    return { jid: neutralId(number), lid: account === undefined ? '' : addressOf(account, 'lid'), role }
  })
  const { id, sha256, width, height } = store.pictures.of(jid) ?? {}
  return {
    jid,
    subject: subject.text,
    description: description?.text ?? '',
    owner: neutralId(creator),
    addressing: form,
    locked,
    announce,
    ephemeral,
    approval,
    participants,
    invite: group.invite,
    applicants: store.groups.applicants(jid).map(({ number }) => neutralId(number)),
    picture: id === undefined ? null : { id, sha256, width, height },
  }
}
