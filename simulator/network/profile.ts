// Notifies an account's devices and its chat partners of a new picture or status text.
import { type Stanza, stanza } from '../codec/stanza.ts'
import type { Account } from '../store/accounts.ts'
import { addressOf } from './address.ts'
import { deliverToAll } from './delivery.ts'
import type { Network } from './network.ts'
import { lets } from './privacy.ts'
import { freshId, seconds } from './stamps.ts'

export const LONGEST_ABOUT = 139

/** The privacy category that hides it. */
const HIDDEN_BY = { picture: 'profile', status: 'status' }

export function notifyOfProfile(
  network: Network,
  account: Account,
  type: keyof typeof HIDDEN_BY,
  change: Stanza,
  by?: number,
) {
  const attrs = { from: addressOf(account, 'pn'), type, id: freshId(), t: seconds(), notify: account.name }
  const notification = stanza('notification', attrs, [change])
  deliverToAll(network, account.number, notification, by)
  for (const number of network.store.messages.correspondents(account.number)) {
    const other = network.store.accounts.find(number)
    if (other === undefined || number === account.number) continue
    if (lets(network, account, HIDDEN_BY[type], other)) deliverToAll(network, number, notification)
  }
}

export function setAbout(network: Network, account: Account, about: string, by?: number) {
  network.store.accounts.setAbout(account, about)
  notifyOfProfile(network, account, 'status', stanza('set', {}, Buffer.from(about)), by)
}
