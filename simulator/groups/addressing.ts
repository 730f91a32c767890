// Changes how a group addresses its members: by number, or by LID.
import { stanza } from '../codec/stanza.ts'
import { addressOf } from '../network/address.ts'
import { inGroup } from '../network/messages/chats.ts'
import type { Network } from '../network/network.ts'
import type { Group } from '../store/groups.ts'
import type { Form } from '../store/messages.ts'
import { notifyMembers } from './notices.ts'

/** Each member has a notice of its own, sent under the former id, that names the new one. */
export function changeAddressing(network: Network, group: Group, form: Form) {
  if (group.form === form) return
  const changed = { ...group, form }
  network.store.groups.save(changed)
  for (const { number } of network.store.groups.members(group.jid)) {
    const member = network.store.accounts.find(number)
    if (member === undefined) continue
    const participant = stanza('participant', inGroup(member, changed))
    notifyMembers(network, changed, member, stanza('modify', {}, [participant]), {
      participant: addressOf(member, group.form),
    })
  }
}
