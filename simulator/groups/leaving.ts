// Leaves a group or is removed from it, and handles a group that has lost its admins or its members.
import { stanza } from '../codec/stanza.ts'
import { inGroup } from '../network/messages/chats.ts'
import type { Network } from '../network/network.ts'
import type { Account } from '../store/accounts.ts'
import type { Group } from '../store/groups.ts'
import { notifyMembers } from './notices.ts'
import { isAdmin } from './rules.ts'

/** Former members get this notice too, as the last one from the group. */
export function depart(network: Network, group: Group, by: Account, leavers: Account[]) {
  const { groups, senderKeys } = network.store
  const participants = leavers.map((account) => stanza('participant', inGroup(account, group)))
  notifyMembers(network, group, by, stanza('remove', {}, participants))
  for (const { number } of leavers) {
    groups.dropMember(group.jid, number)
    senderKeys.forget(number, group.jid)
  }
  // The remaining members make new keys, because former members have the old ones.
  senderKeys.renew(group.jid)
  settleLeadership(network, group)
}

/** A group always has an admin: if needed, the oldest member becomes one. A group without members is deleted. */
function settleLeadership(network: Network, group: Group) {
  const { groups, accounts, pictures } = network.store
  const members = groups.members(group.jid)
  const [oldest] = members
  if (oldest === undefined) {
    groups.forget(group.jid)
    pictures.drop(group.jid)
    return
  }
  if (members.some(isAdmin)) return
  groups.setMember(group.jid, oldest.number, 'admin')
  const account = accounts.find(oldest.number)
  if (account === undefined) return
  const promoted = stanza('participant', inGroup(account, group))
  notifyMembers(network, group, account, stanza('promote', {}, [promoted]))
}
