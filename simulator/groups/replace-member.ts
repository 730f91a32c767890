// Gives a member a new number: the member stays in the group under it, with the same rights.
import { buildStanza } from '../codec/stanza.ts'
import type { Network } from '../network/simulated-network.ts'
import type { Account } from '../store/account-table.ts'
import type { Group } from '../store/group-table.ts'
import { buildParticipant } from './change-members.ts'
import { notifyMembers } from './group-notices.ts'
import { getMembership } from './group-rules.ts'

/** The notice is sent under the old id, and names the new one. */
export function replaceMember(network: Network, group: Group, from: Account, to: Account) {
  const { groups, senderKeys } = network.store
  const { role } = getMembership(network, group, from)
  groups.deleteMember(group.jid, from.number)
  senderKeys.deleteKeys(from.number, group.jid)
  senderKeys.deleteOwnKeys(group.jid)
  groups.setMember(group.jid, to.number, role)
  notifyMembers(network, group, from, buildStanza('modify', {}, [buildParticipant(group)(to)]))
}
