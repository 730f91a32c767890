// Gives a member a new number: the member stays in the group under it, with the same rights.
import { stanza } from '../codec/stanza.ts'
import type { Network } from '../network/network.ts'
import type { Account } from '../store/accounts.ts'
import type { Group } from '../store/groups.ts'
import { participantNode } from './membership.ts'
import { notifyMembers } from './notices.ts'
import { membership } from './rules.ts'

/** The notice is sent under the old id, and names the new one. */
export function renumber(network: Network, group: Group, from: Account, to: Account) {
  const { groups, senderKeys } = network.store
  const { role } = membership(network, group, from)
  groups.dropMember(group.jid, from.number)
  senderKeys.forget(from.number, group.jid)
  senderKeys.renew(group.jid)
  groups.setMember(group.jid, to.number, role)
  notifyMembers(network, group, from, stanza('modify', {}, [participantNode(group)(to)]))
}
