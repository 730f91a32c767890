// Takes a device's key bundle with one of its one-time keys, which is then used up.
import { buildStanza } from '../codec/stanza.ts'
import { toHostedAccount } from '../store/account-settings.ts'
import type { Account, SignedPreKey } from '../store/account-table.ts'
import type { PreKey } from '../store/pre-key-table.ts'
import { HOSTED, SERVER } from './address.ts'
import type { Network } from './simulated-network.ts'
import { createId, formatSeconds } from './stanza-ids.ts'

export type KeyBundle = {
  registration: number
  identity: Buffer
  signedPreKey: SignedPreKey
  /** Without one when the device's one-time keys are used up. */
  preKey: PreKey | undefined
  /** Companions only: the account vouches for them. */
  deviceIdentity?: Buffer
}

/** A companion with this few one-time keys left is requested to upload more, and again when none is left. */
const FEW_PRE_KEYS = 4

export function takeBundle(network: Network, account: Account, device: number): KeyBundle | undefined {
  const { companions, preKeys } = network.store
  const hosted = device === HOSTED && network.store.hosted.has(account.number)
  if (device === 0 || hosted) {
    const { registration, identity, signedPreKey } = account
    const { number } = hosted ? toHostedAccount(account) : account
    return { registration, identity: identity.public, signedPreKey, preKey: preKeys.createForPhone(number) }
  }
  const companion = companions.find(account.number, device)
  if (companion === undefined) return undefined
  const { registration, identity, signedPreKey, deviceIdentity } = companion
  const preKey = preKeys.takeKey(account.number, device)
  notifyFewPreKeys(network, account.number, device)
  return { registration, identity, signedPreKey, preKey, deviceIdentity }
}

function notifyFewPreKeys(network: Network, number: string, device: number) {
  const left = network.store.preKeys.countKeys(number, device)
  const connection = network.connections.findOnline(number, device)
  if (!connection?.flowing || (left !== FEW_PRE_KEYS && left !== 0)) return
  const attrs = {
    from: SERVER,
    type: 'encrypt',
    id: createId(),
    t: formatSeconds(),
  }
  connection.socket.send(buildStanza('notification', attrs, [buildStanza('count', { value: String(left) })]))
}
