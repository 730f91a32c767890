// Notifies the members of a group of a change.
import { buildStanza, type Stanza } from '../codec/stanza.ts'
import { formatAddress } from '../network/address.ts'
import { deliverNotice } from '../network/deliver-stanza.ts'
import type { Network } from '../network/simulated-network.ts'
import { createId, formatSeconds } from '../network/stanza-ids.ts'
import type { Account } from '../store/account-table.ts'
import type { Group } from '../store/group-table.ts'
import { buildGroupNode } from './group-node.ts'
import { isAdmin } from './group-rules.ts'

/** To all members, also the one that caused it. `heading` replaces attributes of the notice. */
export function notifyMembers(
  network: Network,
  group: Group,
  by: Account,
  change: Stanza,
  heading: Record<string, string> = {},
) {
  notifyNumbers(network, group, by, change, listMemberNumbers(network, group), heading)
}

export function notifyAdmins(network: Network, group: Group, by: Account, change: Stanza) {
  const admins = network.store.groups.listMembers(group.jid).filter(isAdmin)
  notifyNumbers(
    network,
    group,
    by,
    change,
    admins.map(({ number }) => number),
  )
}

/** A new member gets the whole group. */
export function notifyNewcomers(
  network: Network,
  group: Group,
  by: Account,
  numbers: string[],
  how: { type?: string; reason?: string } = {},
) {
  notifyNumbers(network, group, by, buildStanza('create', how, [buildGroupNode(network, group)]), numbers)
}

export function notifyNumbers(
  network: Network,
  group: Group,
  by: Account,
  change: Stanza,
  numbers: string[],
  heading: Record<string, string> = {},
) {
  const attrs = { ...buildHeading(group, by), type: 'w:gp2', ...heading }
  const notification = buildStanza('notification', attrs, [change])
  for (const number of numbers) deliverNotice(network, number, notification)
}

export function notifyGroupPicture(network: Network, group: Group, by: Account, change: Stanza) {
  const notification = buildStanza('notification', { ...buildHeading(group, by), type: 'picture' }, [change])
  for (const number of listMemberNumbers(network, group)) deliverNotice(network, number, notification)
}

function listMemberNumbers({ store }: Network, { jid }: Group): string[] {
  return store.groups.listMembers(jid).map(({ number }) => number)
}

function buildHeading({ jid, form }: Group, by: Account) {
  const other = form === 'pn' ? 'lid' : 'pn'
  return {
    from: jid,
    id: createId(),
    t: formatSeconds(),
    participant: formatAddress(by, form),
    [`participant_${other}`]: formatAddress(by, other),
    addressing_mode: form,
    notify: by.name,
  }
}
