// Notifies an account's devices and its chat partners of a new picture or status text.
import { buildStanza, type Stanza } from '../codec/stanza.ts'
import { formatAddress } from '../network/address.ts'
import { deliverToAll } from '../network/deliver-stanza.ts'
import type { Network } from '../network/simulated-network.ts'
import { createId, formatSeconds } from '../network/stanza-ids.ts'
import type { Account } from '../store/account-table.ts'
import { isAllowed } from './privacy-settings.ts'

/** The privacy category that hides it. */
const HIDDEN_BY = { picture: 'profile', status: 'status' }

export function notifyProfileChange(
  network: Network,
  account: Account,
  type: keyof typeof HIDDEN_BY,
  change: Stanza,
  by?: number,
) {
  const attrs = {
    from: formatAddress(account, 'pn'),
    type,
    id: createId(),
    t: formatSeconds(),
    notify: account.name,
  }
  const notification = buildStanza('notification', attrs, [change])
  deliverToAll(network, account.number, notification, by)
  for (const number of network.store.messages.listCorrespondents(account.number)) {
    const other = network.store.accounts.find(number)
    if (other === undefined || number === account.number) continue
    if (isAllowed(network, account, HIDDEN_BY[type], other)) deliverToAll(network, number, notification)
  }
}

export function setAbout(network: Network, account: Account, about: string, by?: number) {
  network.store.accounts.setAbout(account, about)
  notifyProfileChange(network, account, 'status', buildStanza('set', {}, Buffer.from(about)), by)
}
