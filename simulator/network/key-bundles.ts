// Takes a device's key bundle with one of its one-time keys, which is then used up.
import { stanza } from '../codec/stanza.ts'
import type { Account, SignedPreKey } from '../store/accounts.ts'
import { hostedSelf } from '../store/hosted.ts'
import type { PreKey } from '../store/pre-keys.ts'
import { HOSTED, SERVER } from './address.ts'
import type { Network } from './network.ts'
import { freshId, seconds } from './stamps.ts'

export type KeyBundle = {
  registration: number
  identity: Buffer
  signedPreKey: SignedPreKey
  /** Without one when the device's one-time keys are used up. */
  preKey: PreKey | undefined
  /** Companions only: the account vouches for them. */
  deviceIdentity?: Buffer
}

/** A companion with this few one-time keys left is asked to upload more, and again when it has none. */
const FEW = 4

export function takeBundle(network: Network, account: Account, device: number): KeyBundle | undefined {
  const { companions, preKeys } = network.store
  const hosted = device === HOSTED && network.store.hosted.has(account.number)
  if (device === 0 || hosted) {
    const { registration, identity, signedPreKey } = account
    const { number } = hosted ? hostedSelf(account) : account
    return { registration, identity: identity.public, signedPreKey, preKey: preKeys.makeForPhone(number) }
  }
  const companion = companions.find(account.number, device)
  if (companion === undefined) return undefined
  const { registration, identity, signedPreKey, deviceIdentity } = companion
  const preKey = preKeys.take(account.number, device)
  warnWhenFew(network, account.number, device)
  return { registration, identity, signedPreKey, preKey, deviceIdentity }
}

function warnWhenFew(network: Network, number: string, device: number) {
  const left = network.store.preKeys.count(number, device)
  const connection = network.connections.online(number, device)
  if (!connection?.flowing || (left !== FEW && left !== 0)) return
  const attrs = {
    from: SERVER,
    type: 'encrypt',
    id: freshId(),
    t: seconds(),
  }
  connection.socket.send(stanza('notification', attrs, [stanza('count', { value: String(left) })]))
}
