// A member who has another number: he goes on in the group as who he is now, with the rights that he had.
import { stanza } from '../codec/stanza.ts'
import type { Network } from '../network/network.ts'
import type { Account } from '../store/accounts.ts'
import type { Group } from '../store/groups.ts'
import { participantNode } from './membership.ts'
import { notifyMembers } from './notices.ts'
import { membership } from './rules.ts'

/** The notice comes from who he was, and names who he is. */
export function renumber(network: Network, group: Group, from: Account, to: Account) {
  const { groups, senderKeys } = network.store
  const { role } = membership(network, group, from)
  groups.dropMember(group.jid, from.number)
  senderKeys.forget(from.number, group.jid)
  senderKeys.renew(group.jid)
  groups.setMember(group.jid, to.number, role)
  notifyMembers(network, group, from, stanza('modify', {}, [participantNode(group)(to)]))
}
