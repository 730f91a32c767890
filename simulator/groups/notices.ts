// Notifies the members of a group of a change.
import { type Stanza, stanza } from '../codec/stanza.ts'
import { addressOf } from '../network/address.ts'
import { deliverNotice } from '../network/delivery.ts'
import type { Network } from '../network/network.ts'
import { freshId, seconds } from '../network/stamps.ts'
import type { Account } from '../store/accounts.ts'
import type { Group } from '../store/groups.ts'
import { groupNode } from './group-node.ts'
import { isAdmin } from './rules.ts'

/** To all members, also the one who caused it. `heading` replaces attributes of the notice. */
export function notifyMembers(
  network: Network,
  group: Group,
  by: Account,
  change: Stanza,
  heading: Record<string, string> = {},
) {
  notify(network, group, by, change, numbersOf(network, group), heading)
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
  how: { type?: string; reason?: string } = {},
) {
  notify(network, group, by, stanza('create', how, [groupNode(network, group)]), numbers)
}

export function notify(
  network: Network,
  group: Group,
  by: Account,
  change: Stanza,
  numbers: string[],
  heading: Record<string, string> = {},
) {
  const attrs = { ...headingOf(group, by), type: 'w:gp2', ...heading }
  const notification = stanza('notification', attrs, [change])
  for (const number of numbers) deliverNotice(network, number, notification)
}

export function notifyOfPicture(network: Network, group: Group, by: Account, change: Stanza) {
  const notification = stanza('notification', { ...headingOf(group, by), type: 'picture' }, [change])
  for (const number of numbersOf(network, group)) deliverNotice(network, number, notification)
}

function numbersOf({ store }: Network, { jid }: Group): string[] {
  return store.groups.members(jid).map(({ number }) => number)
}

function headingOf({ jid, form }: Group, by: Account) {
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
