// The devices of an account: notifies others of changes, and unlinks companions.
import { stanza } from '../codec/stanza.ts'
import type { Account } from '../store/accounts.ts'
import { addressOf } from './address.ts'
import { deliverNotice } from './delivery.ts'
import { keyIndexList } from './key-index-list.ts'
import { devicesOf, hashDevices } from './messages/device-hash.ts'
import type { Network } from './network.ts'
import { freshId, seconds } from './stamps.ts'
import { deviceRemoved } from './stream-errors.ts'

/** Notifies the account's other companions and those of all its chat partners, because they keep lists of its devices. */
export function notifyDevices(network: Network, account: Account, change: 'add' | 'remove', device: number) {
  const { companions, groups, messages } = network.store
  const keyIndex = companions.find(account.number, device)?.keyIndex
  const changed = stanza('device', {
    jid: addressOf(account, 'pn', device),
    lid: addressOf(account, 'lid', device),
    'key-index': keyIndex === undefined ? undefined : String(keyIndex),
  })
  const attrs = {
    from: addressOf(account, 'pn'),
    lid: addressOf(account, 'lid'),
    type: 'devices',
    id: freshId(),
    t: seconds(),
  }
  const devices = devicesOf(network, account)
  const hashes = { device_hash: hashDevices(devices, 'pn'), device_lid_hash: hashDevices(devices, 'lid') }
  const content = [changed, keyIndexList(network, account)]
  const notification = stanza('notification', attrs, [stanza(change, hashes, content)])
  deliverNotice(network, account.number, notification, device)
  const others = new Set([...messages.correspondents(account.number), ...groups.fellows(account.number)])
  for (const number of others) {
    if (number !== account.number) deliverNotice(network, number, notification)
  }
}

/** Deletes the companion's keys and its queue, and ends its stream with the reason. */
export function unlink(network: Network, account: Account, device: number) {
  network.store.companions.remove(account.number, device)
  network.log.saw({ number: account.number, device }, { what: 'logout' })
  network.connections.online(account.number, device)?.socket.end(deviceRemoved())
  notifyDevices(network, account, 'remove', device)
}
