// The hash of a list of devices, by which the network and a sender notice that they have different lists.
import { sha256 } from '../crypto/ciphers.ts'
import type { Account } from '../store/account-table.ts'
import type { AddressForm } from '../store/message-table.ts'
import { formatAddress, HOSTED } from './address.ts'
import type { Network } from './simulated-network.ts'

export type Device = { account: Account; device: number }

const HASH_BYTES = 6

/** The phone, which is device 0, its companions, and a hosted device. */
export function listDevices({ store }: Network, account: Account): Device[] {
  const companions = store.companions.listByNumber(account.number).map(({ device }) => ({ account, device }))
  const hosted = store.hosted.has(account.number) ? [{ account, device: HOSTED }] : []
  return [{ account, device: 0 }, ...companions, ...hosted]
}

/** In the hash each address names its device, also the phone's, and an agent, which is always 0. */
export function hashDevices(devices: Device[], form: AddressForm): string {
  const addresses = devices.map(({ account, device }) => {
    const [user = '', domain = ''] = formatAddress(account, form, device).split(/:\d+@|@/)
    return `${user}.0:${device}@${domain}`
  })
  const digest = sha256(Buffer.from(addresses.sort().join('')))
  return `2:${digest.subarray(0, HASH_BYTES).toString('base64')}`
}
