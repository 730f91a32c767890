// Going out of a group, of one's own will or not, and what happens to a group that is left alone.
import { stanza } from '../codec/stanza.ts'
import { inGroup } from '../network/messages/chats.ts'
import type { Network } from '../network/network.ts'
import type { Account } from '../store/accounts.ts'
import type { Group } from '../store/groups.ts'
import { notifyMembers } from './notices.ts'
import { isAdmin } from './rules.ts'

/** Those who go hear of it too, as the last thing from there. */
export function depart(network: Network, group: Group, by: Account, leavers: Account[]) {
  const { groups, senderKeys } = network.store
  const participants = leavers.map((account) => stanza('participant', inGroup(account, group)))
  notifyMembers(network, group, by, stanza('remove', {}, participants))
  for (const { number } of leavers) {
    groups.dropMember(group.jid, number)
    senderKeys.forget(number, group.jid)
  }
  // Those who stay do not go on with keys that somebody took along.
  senderKeys.renew(group.jid)
  settleLeadership(network, group)
}

/** There is no group without an admin: who is in it longest becomes one. The last to go takes it along. */
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
