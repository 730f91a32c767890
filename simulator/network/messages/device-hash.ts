// The hash of a list of devices, by which the network and a sender notice that they have different lists.
import { sha256 } from '../../crypto/ciphers.ts'
import type { Account } from '../../store/accounts.ts'
import type { Form } from '../../store/messages.ts'
import { addressOf, HOSTED } from '../address.ts'
import type { Network } from '../network.ts'

export type Device = { account: Account; device: number }

const HASH_BYTES = 6

/** The phone, which is device 0, its companions, and a hosted device. */
export function devicesOf({ store }: Network, account: Account): Device[] {
  const companions = store.companions.of(account.number).map(({ device }) => ({ account, device }))
  const hosted = store.hosted.has(account.number) ? [{ account, device: HOSTED }] : []
  return [{ account, device: 0 }, ...companions, ...hosted]
}

/** In the hash each address names its device, also the phone's, and an agent, which is always 0. */
export function hashDevices(devices: Device[], form: Form): string {
  const addresses = devices.map(({ account, device }) => {
    const [user = '', domain = ''] = addressOf(account, form, device).split(/:\d+@|@/)
    return `${user}.0:${device}@${domain}`
  })
  const digest = sha256(Buffer.from(addresses.sort().join('')))
  return `2:${digest.subarray(0, HASH_BYTES).toString('base64')}`
}
