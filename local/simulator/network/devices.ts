// The devices of an account: who hears of a change, and how a companion is unlinked.
import { randomBytes } from 'node:crypto'
import { type Stanza, stanza } from '../codec/stanza.ts'
import type { Account } from '../store/accounts.ts'
import { addressOf } from './address.ts'
import { deliverToAll } from './delivery.ts'
import type { Network } from './network.ts'
import { deviceRemoved } from './stream-errors.ts'

/** Tells the account's other companions. */
export function tellDevices(network: Network, account: Account, change: 'add' | 'remove', device: number) {
  const t = String(Math.floor(Date.now() / 1000))
  const from = addressOf(account, 'pn')
  const id = randomBytes(8).toString('hex')
  const keyIndex = network.store.companions.find(account.number, device)?.keyIndex
  const named = stanza('device', {
    jid: addressOf(account, 'pn', device),
    'key-index': keyIndex === undefined ? undefined : String(keyIndex),
  })
  const notification: Stanza = stanza('notification', { from, type: 'devices', id, t }, [
    stanza(change, { device_hash: `2:${randomBytes(6).toString('base64')}` }, [named]),
  ])
  deliverToAll(network, account.number, notification, device)
}

/** The companion's keys and all that waited for it are gone; its stream ends with the reason. */
export function unlink(network: Network, account: Account, device: number) {
  network.store.companions.remove(account.number, device)
  network.log.saw({ number: account.number, device }, { what: 'logout' })
  network.connections.online(account.number, device)?.wire.end(deviceRemoved())
  tellDevices(network, account, 'remove', device)
}
