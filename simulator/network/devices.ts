// The devices of an account: notifies others of changes, and unlinks companions.
import { buildStanza } from '../codec/stanza.ts'
import type { Account } from '../store/account-table.ts'
import { formatAddress } from './address.ts'
import { deliverNotice } from './deliver-stanza.ts'
import { hashDevices, listDevices } from './device-hash.ts'
import { buildKeyIndexList } from './key-index-list.ts'
import type { Network } from './simulated-network.ts'
import { createId, formatSeconds } from './stanza-ids.ts'
import { buildDeviceRemoved } from './stream-errors.ts'

/** Notifies the account's other companions and those of all its chat partners, because they store lists of its devices. */
export function notifyDevices(network: Network, account: Account, change: 'add' | 'remove', device: number) {
  const { companions, groups, messages } = network.store
  const keyIndex = companions.find(account.number, device)?.keyIndex
  const changed = buildStanza('device', {
    jid: formatAddress(account, 'pn', device),
    lid: formatAddress(account, 'lid', device),
    'key-index': keyIndex === undefined ? undefined : String(keyIndex),
  })
  const attrs = {
    from: formatAddress(account, 'pn'),
    lid: formatAddress(account, 'lid'),
    type: 'devices',
    id: createId(),
    t: formatSeconds(),
  }
  const devices = listDevices(network, account)
  const hashes = { device_hash: hashDevices(devices, 'pn'), device_lid_hash: hashDevices(devices, 'lid') }
  const content = [changed, buildKeyIndexList(network, account)]
  const notification = buildStanza('notification', attrs, [buildStanza(change, hashes, content)])
  deliverNotice(network, account.number, notification, device)
  const others = new Set([
    ...messages.listCorrespondents(account.number),
    ...groups.listCoMembers(account.number),
  ])
  for (const number of others) {
    if (number !== account.number) deliverNotice(network, number, notification)
  }
}

/** Deletes the companion's keys and its queue, and ends its stream with the reason. */
export function unlinkCompanion(network: Network, account: Account, device: number) {
  network.store.companions.remove(account.number, device)
  network.log.addEntry({ number: account.number, device }, { what: 'logout' })
  network.connections.findOnline(account.number, device)?.socket.endWith(buildDeviceRemoved())
  notifyDevices(network, account, 'remove', device)
}
