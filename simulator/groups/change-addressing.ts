// Changes how a group addresses its members: by number, or by LID.
import { buildStanza } from '../codec/stanza.ts'
import { formatAddress } from '../network/address.ts'
import { buildMemberAttrs } from '../network/message-chats.ts'
import type { Network } from '../network/simulated-network.ts'
import type { Group } from '../store/group-table.ts'
import type { AddressForm } from '../store/message-table.ts'
import { notifyMembers } from './group-notices.ts'

/** Each member has a notice of its own, sent under the previous id, that names the new one. */
export function changeAddressing(network: Network, group: Group, form: AddressForm) {
  if (group.form === form) return
  const changed = { ...group, form }
  network.store.groups.save(changed)
  for (const { number } of network.store.groups.listMembers(group.jid)) {
    const member = network.store.accounts.find(number)
    if (member === undefined) continue
    const participant = buildStanza('participant', buildMemberAttrs(member, changed))
    notifyMembers(network, changed, member, buildStanza('modify', {}, [participant]), {
      participant: formatAddress(member, group.form),
    })
  }
}
