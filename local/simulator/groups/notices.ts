// Notifies the members of a group of a change.
import { type Stanza, stanza } from '../codec/stanza.ts'
import { addressOf } from '../network/address.ts'
import { deliverToAll } from '../network/delivery.ts'
import type { Network } from '../network/network.ts'
import { freshId, seconds } from '../network/stamps.ts'
import type { Account } from '../store/accounts.ts'
import type { Group } from '../store/groups.ts'
import { groupNode } from './group-node.ts'
import { isAdmin } from './rules.ts'

/** To all members, also the one who caused it. */
export function notifyMembers(network: Network, group: Group, by: Account, change: Stanza) {
  notify(network, group, by, change, numbersOf(network, group))
}

export function notifyAdmins(network: Network, group: Group, by: Account, change: Stanza) {
  const admins = network.store.groups.members(group.jid).filter(isAdmin)
  notify(
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
  how: { type?: string; key?: string; reason?: string } = {},
) {
  notify(network, group, by, stanza('create', how, [groupNode(network, group)]), numbers)
}

export function notify(network: Network, group: Group, by: Account, change: Stanza, numbers: string[]) {
  const notification = stanza('notification', { ...heading(group, by), type: 'w:gp2' }, [change])
  for (const number of numbers) deliverToAll(network, number, notification)
}

export function notifyOfPicture(network: Network, group: Group, by: Account, change: Stanza) {
  const notification = stanza('notification', { ...heading(group, by), type: 'picture' }, [change])
  for (const number of numbersOf(network, group)) deliverToAll(network, number, notification)
}

function numbersOf({ store }: Network, { jid }: Group): string[] {
  return store.groups.members(jid).map(({ number }) => number)
}

function heading({ jid, form }: Group, by: Account) {
  const other = form === 'pn' ? 'lid' : 'pn'
  return {
    from: jid,
    id: freshId(),
    t: seconds(),
    participant: addressOf(by, form),
    [`participant_${other}`]: addressOf(by, other),
    addressing_mode: form,
    notify: by.name,
  }
}
