// Adds, removes, promotes and demotes members, with a separate result for each.
import { stanza } from '../codec/stanza.ts'
import { accountAt, parseAddress } from '../network/address.ts'
import { inGroup } from '../network/messages/chats.ts'
import type { Network } from '../network/network.ts'
import { lets } from '../network/privacy.ts'
import { Refusal } from '../network/refusal.ts'
import type { Account } from '../store/accounts.ts'
import type { Group, Role } from '../store/groups.ts'
import { depart } from './leaving.ts'
import { notify, notifyMembers, notifyNewcomers } from './notices.ts'
import { isFull, MOST_MEMBERS, mayAdd, mustBeAdmin } from './rules.ts'

export type Action = 'add' | 'remove' | 'promote' | 'demote'

/** `code` is missing on success. */
export type Verdict = { jid: string; account?: Account | undefined; code?: number | undefined }

const PRIVATE = 403
const NOBODY = 404
const NOT_ACCEPTABLE = 406
const THERE_ALREADY = 409
const FULL = 419

export function changeMembers(
  network: Network,
  group: Group,
  by: Account,
  action: Action,
  jids: string[],
): Verdict[] {
  if (jids.length === 0 || jids.length > MOST_MEMBERS) throw new Refusal(400)
  if (action === 'add') mayAdd(network, group, by)
  else mustBeAdmin(network, group, by)
  const verdicts = jids.map((jid) => judge(network, group, by, action, jid))
  const done = verdicts.flatMap(({ account, code }) => (account && code === undefined ? [account] : []))
  if (done.length === 0) return verdicts
  if (action === 'add') admit(network, group, by, done)
  else if (action === 'remove') depart(network, group, by, done)
  else appoint(network, group, by, action, done)
  return verdicts
}

function judge(network: Network, group: Group, by: Account, action: Action, jid: string): Verdict {
  const address = parseAddress(jid)
  if (address === undefined) throw new Refusal(400)
  const account = accountAt(network.store, address)
  if (account === undefined) return { jid, code: NOBODY }
  const member = network.store.groups.member(group.jid, account.number)
  if (action === 'add') return { jid, account, code: whyNotAdded(network, group, by, account) }
  if (member === undefined) return { jid, account, code: NOBODY }
  // Only the founder can end the founder's own rights.
  const untouchable = member.role === 'superadmin' && action !== 'promote'
  return { jid, account, code: untouchable ? NOT_ACCEPTABLE : undefined }
}

function whyNotAdded(network: Network, group: Group, by: Account, account: Account): number | undefined {
  const { groups } = network.store
  if (groups.member(group.jid, account.number) !== undefined) return THERE_ALREADY
  if (isFull(network, group)) return FULL
  return mayBeAddedBy(network, account, by) ? undefined : PRIVATE
}

/** An account that lets only contacts add it cannot be added by people it never wrote to. */
export function mayBeAddedBy(network: Network, account: Account, by: Account): boolean {
  return lets(network, account, 'groupadd', by)
}

export function admit(network: Network, group: Group, by: Account, newcomers: Account[], reason?: string) {
  const { groups } = network.store
  const present = groups.members(group.jid).map(({ number }) => number)
  for (const { number } of newcomers) {
    groups.setMember(group.jid, number, 'member')
    groups.dropApplicant(group.jid, number)
  }
  const how = reason === undefined ? {} : { reason }
  const change = stanza('add', how, newcomers.map(participantNode(group)))
  notify(network, group, by, change, present)
  const numbers = newcomers.map(({ number }) => number)
  notifyNewcomers(network, group, by, numbers, how)
}

function appoint(network: Network, group: Group, by: Account, action: 'promote' | 'demote', whom: Account[]) {
  const role: Role = action === 'promote' ? 'admin' : 'member'
  for (const { number } of whom) {
    const present = network.store.groups.member(group.jid, number)
    if (present?.role !== 'superadmin') network.store.groups.setMember(group.jid, number, role)
  }
  notifyMembers(network, group, by, stanza(action, {}, whom.map(participantNode(group))))
}

export const participantNode = (group: Group) => (account: Account) =>
  stanza('participant', inGroup(account, group))
