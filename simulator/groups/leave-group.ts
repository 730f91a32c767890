// Leaves a group or is removed from it, and handles a group without admins or without members.
import { buildStanza } from '../codec/stanza.ts'
import { buildMemberAttrs } from '../network/message-chats.ts'
import type { Network } from '../network/simulated-network.ts'
import type { Account } from '../store/account-table.ts'
import type { Group } from '../store/group-table.ts'
import { notifyMembers } from './group-notices.ts'
import { isAdmin } from './group-rules.ts'

/** Members that left get this notice too, as the last one from the group. */
export function removeMembers(network: Network, group: Group, by: Account, leavers: Account[]) {
  const { groups, senderKeys } = network.store
  const participants = leavers.map((account) => buildStanza('participant', buildMemberAttrs(account, group)))
  notifyMembers(network, group, by, buildStanza('remove', {}, participants))
  for (const { number } of leavers) {
    groups.deleteMember(group.jid, number)
    senderKeys.deleteKeys(number, group.jid)
  }
  // The remaining members create new keys, because those that left have the old ones.
  senderKeys.deleteOwnKeys(group.jid)
  ensureAdmin(network, group)
}

/** A group always has an admin: if needed, the oldest member becomes one. A group without members is deleted. */
function ensureAdmin(network: Network, group: Group) {
  const { groups, accounts, pictures } = network.store
  const members = groups.listMembers(group.jid)
  const [oldest] = members
  if (oldest === undefined) {
    groups.deleteGroup(group.jid)
    pictures.deletePicture(group.jid)
    return
  }
  if (members.some(isAdmin)) return
  groups.setMember(group.jid, oldest.number, 'admin')
  const account = accounts.find(oldest.number)
  if (account === undefined) return
  const promoted = buildStanza('participant', buildMemberAttrs(account, group))
  notifyMembers(network, group, account, buildStanza('promote', {}, [promoted]))
}
