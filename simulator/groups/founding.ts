// Creates a new group.
import { randomBytes, randomInt } from 'node:crypto'
import type { Network } from '../network/network.ts'
import { Refusal } from '../network/refusal.ts'
import type { Account } from '../store/accounts.ts'
import type { Group } from '../store/groups.ts'
import type { Form } from '../store/messages.ts'
import { notifyNewcomers } from './notices.ts'
import { acceptableSubject, MOST_MEMBERS } from './rules.ts'

export type Founding = {
  subject: string
  members: Account[]
  admins?: Account[]
  form?: Form
  locked?: boolean
  announce?: boolean
  /** The most members, if that is less than the network's own limit. */
  most?: number | undefined
}

/** The founder is always a member and need not be listed. */
export function found(network: Network, founder: Account, wish: Founding): Group {
  const { groups } = network.store
  const at = Date.now()
  const group: Group = {
    jid: unusedId(network),
    form: wish.form ?? 'lid',
    subject: { text: acceptableSubject(wish.subject), by: founder.number, at },
    creator: founder.number,
    createdAt: at,
    locked: wish.locked ?? false,
    announce: wish.announce ?? false,
    openAdding: false,
    approval: false,
    ephemeral: 0,
    invite: freshInvite(),
    ...(wish.most !== undefined && { most: wish.most }),
  }
  const members = new Set([founder, ...wish.members])
  if (members.size > (wish.most ?? MOST_MEMBERS)) throw new Refusal(406)
  groups.save(group)
  for (const { number } of members) groups.setMember(group.jid, number, 'member')
  for (const { number } of wish.admins ?? []) groups.setMember(group.jid, number, 'admin')
  groups.setMember(group.jid, founder.number, 'superadmin')
  const numbers = groups.members(group.jid).map(({ number }) => number)
  notifyNewcomers(network, group, founder, numbers, { type: 'new' })
  return group
}

export function freshInvite(): string {
  return randomBytes(16).toString('base64url')
}

function unusedId({ store }: Network): string {
  for (;;) {
    const jid = `120363${String(randomInt(10 ** 12)).padStart(12, '0')}@g.us`
    if (store.groups.find(jid) === undefined) return jid
  }
}
