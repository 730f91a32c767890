// Creates a new group.
import { randomBytes, randomInt } from 'node:crypto'
import { Refusal } from '../network/refusal-codes.ts'
import type { Network } from '../network/simulated-network.ts'
import { MAX_GROUP_MEMBERS } from '../network-limits.ts'
import type { Account } from '../store/account-table.ts'
import type { Group } from '../store/group-table.ts'
import type { AddressForm } from '../store/message-table.ts'
import { notifyNewcomers } from './group-notices.ts'
import { validateSubject } from './group-rules.ts'

export type GroupInput = {
  subject: string
  members: Account[]
  admins?: Account[]
  form?: AddressForm
  locked?: boolean
  announce?: boolean
  /** The maximum number of members, if that is less than the network's own limit. */
  most?: number | undefined
}

/** The founder is always a member and need not be listed. */
export function createGroup(network: Network, founder: Account, input: GroupInput): Group {
  const { groups } = network.store
  const at = Date.now()
  const group: Group = {
    jid: createGroupId(network),
    form: input.form ?? 'lid',
    subject: { text: validateSubject(input.subject), by: founder.number, at },
    creator: founder.number,
    createdAt: at,
    locked: input.locked ?? false,
    announce: input.announce ?? false,
    openAdding: false,
    approval: false,
    ephemeral: 0,
    invite: createInviteCode(),
    ...(input.most !== undefined && { most: input.most }),
  }
  const members = new Set([founder, ...input.members])
  if (members.size > (input.most ?? MAX_GROUP_MEMBERS)) throw new Refusal(406)
  groups.save(group)
  for (const { number } of members) groups.setMember(group.jid, number, 'member')
  for (const { number } of input.admins ?? []) groups.setMember(group.jid, number, 'admin')
  groups.setMember(group.jid, founder.number, 'superadmin')
  const numbers = groups.listMembers(group.jid).map(({ number }) => number)
  notifyNewcomers(network, group, founder, numbers, { type: 'new' })
  return group
}

export function createInviteCode(): string {
  return randomBytes(16).toString('base64url')
}

function createGroupId({ store }: Network): string {
  for (;;) {
    const jid = `120363${String(randomInt(10 ** 12)).padStart(12, '0')}@g.us`
    if (store.groups.find(jid) === undefined) return jid
  }
}
