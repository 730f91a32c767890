// The owner's new phone under the same number: it has a new identity and none of the keys of the old one.
import { buildStanza } from '../codec/stanza.ts'
import { formatAddress } from '../network/address.ts'
import { deliverStanza } from '../network/deliver-stanza.ts'
import type { Network } from '../network/simulated-network.ts'
import { createId, formatSeconds } from '../network/stanza-ids.ts'
import type { Account } from '../store/account-table.ts'

const ASKS_AGAIN = 'asks_again'

/** Whether the phone requests again what it cannot read, and its requests arrive. */
export const setRetries = ({ store }: Network, { number }: Account, on: boolean) =>
  store.privacy.storeValue(number, ASKS_AGAIN, on ? 'yes' : 'no')

export const asksAgain = ({ store }: Network, { number }: Account): boolean =>
  store.privacy.readValue(number, ASKS_AGAIN, 'yes') === 'yes'

/** The devices that had a session with the phone are notified. */
export function reinstallPhone(network: Network, phone: Account) {
  const { sessions, senderKeys, accounts } = network.store
  const peers = sessions.listPeers(phone.number)
  accounts.renewKeys(phone)
  sessions.deleteAll(phone.number)
  senderKeys.deleteOfPhone(phone.number)
  const from = formatAddress(phone, phone.lidMigrated ? 'lid' : 'pn')
  for (const peer of peers) {
    if (network.faults.consumeFault('lost_notice', { number: peer.split('.')[0] ?? '' })) continue
    const [number = '', device] = peer.split('.')
    const attrs = { id: createId(), from, type: 'encrypt', t: formatSeconds() }
    const change = buildStanza('notification', attrs, [buildStanza('identity', {})])
    if (number !== phone.number) deliverStanza(network, number, Number(device), change)
  }
}
