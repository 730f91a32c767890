// Adds, removes, promotes and demotes members, with a separate result for each.

import { buildStanza } from '../codec/stanza.ts'
import { findAccount, parseAddress } from '../network/address.ts'
import { buildMemberAttrs } from '../network/message-chats.ts'
import { Refusal } from '../network/refusal-codes.ts'
import type { Network } from '../network/simulated-network.ts'
import { MAX_GROUP_MEMBERS } from '../network-limits.ts'
import { isAllowed } from '../people/privacy-settings.ts'
import type { Account } from '../store/account-table.ts'
import type { Group, Role } from '../store/group-table.ts'
import { notifyMembers, notifyNewcomers, notifyNumbers } from './group-notices.ts'
import { checkAdmin, checkMayAdd, isFull } from './group-rules.ts'
import { removeMembers } from './leave-group.ts'

export type MemberAction = 'add' | 'remove' | 'promote' | 'demote'

/** `code` is missing on success. */
export type MemberResult = { jid: string; account?: Account | undefined; code?: number | undefined }

const PRIVATE = 403
const NO_ACCOUNT = 404
const NOT_ACCEPTABLE = 406
const ALREADY_MEMBER = 409
const FULL = 419

export function changeMembers(
  network: Network,
  group: Group,
  by: Account,
  action: MemberAction,
  jids: string[],
): MemberResult[] {
  if (jids.length === 0 || jids.length > MAX_GROUP_MEMBERS) throw new Refusal(400)
  if (action === 'add') checkMayAdd(network, group, by)
  else checkAdmin(network, group, by)
  const verdicts = jids.map((jid) => checkMember(network, group, by, action, jid))
  const done = verdicts.flatMap(({ account, code }) => (account && code === undefined ? [account] : []))
  if (done.length === 0) return verdicts
  if (action === 'add') addMembers(network, group, by, done)
  else if (action === 'remove') removeMembers(network, group, by, done)
  else changeRoles(network, group, by, action, done)
  return verdicts
}

function checkMember(
  network: Network,
  group: Group,
  by: Account,
  action: MemberAction,
  jid: string,
): MemberResult {
  const address = parseAddress(jid)
  if (address === undefined) throw new Refusal(400)
  const account = findAccount(network.store, address)
  if (account === undefined) return { jid, code: NO_ACCOUNT }
  const member = network.store.groups.findMember(group.jid, account.number)
  if (action === 'add') return { jid, account, code: checkAddition(network, group, by, account) }
  if (member === undefined) return { jid, account, code: NO_ACCOUNT }
  // Only the founder can end the founder's own rights.
  const untouchable = member.role === 'superadmin' && action !== 'promote'
  return { jid, account, code: untouchable ? NOT_ACCEPTABLE : undefined }
}

function checkAddition(network: Network, group: Group, by: Account, account: Account): number | undefined {
  const { groups } = network.store
  if (groups.findMember(group.jid, account.number) !== undefined) return ALREADY_MEMBER
  if (isFull(network, group)) return FULL
  return mayBeAddedBy(network, account, by) ? undefined : PRIVATE
}

/** An account that lets only contacts add it cannot be added by people it never wrote to. */
export function mayBeAddedBy(network: Network, account: Account, by: Account): boolean {
  return isAllowed(network, account, 'groupadd', by)
}

export function addMembers(
  network: Network,
  group: Group,
  by: Account,
  newcomers: Account[],
  reason?: string,
) {
  const { groups } = network.store
  const present = groups.listMembers(group.jid).map(({ number }) => number)
  for (const { number } of newcomers) {
    groups.setMember(group.jid, number, 'member')
    groups.deleteApplicant(group.jid, number)
  }
  const how = reason === undefined ? {} : { reason }
  const change = buildStanza('add', how, newcomers.map(buildParticipant(group)))
  notifyNumbers(network, group, by, change, present)
  const numbers = newcomers.map(({ number }) => number)
  notifyNewcomers(network, group, by, numbers, how)
}

function changeRoles(
  network: Network,
  group: Group,
  by: Account,
  action: 'promote' | 'demote',
  accounts: Account[],
) {
  const role: Role = action === 'promote' ? 'admin' : 'member'
  for (const { number } of accounts) {
    const present = network.store.groups.findMember(group.jid, number)
    if (present?.role !== 'superadmin') network.store.groups.setMember(group.jid, number, role)
  }
  notifyMembers(network, group, by, buildStanza(action, {}, accounts.map(buildParticipant(group))))
}

export const buildParticipant = (group: Group) => (account: Account) =>
  buildStanza('participant', buildMemberAttrs(account, group))
