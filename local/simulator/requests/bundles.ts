// Key bundles: what somebody needs to begin a session with a device.
import { type Stanza, stanza } from '../codec/stanza.ts'
import { KEY_TYPE } from '../crypto/curve.ts'
import { accountAt, parseAddress } from '../network/address.ts'
import { takeBundle } from '../network/key-bundles.ts'
import type { Network } from '../network/network.ts'
import { errorNode } from '../network/refusal.ts'
import type { SignedPreKey } from '../store/accounts.ts'
import type { PreKey } from '../store/pre-keys.ts'

export function bundleFor(network: Network, jid: string): Stanza {
  const address = parseAddress(jid)
  const account = accountAt(network.store, address)
  const taken = account && takeBundle(network, account, address?.device ?? 0)
  if (taken === undefined) return stanza('user', { jid }, [errorNode(404)])
  const content = [
    registrationNode(taken.registration),
    stanza('type', {}, KEY_TYPE),
    stanza('identity', {}, taken.identity),
    signedKeyNode(taken.signedPreKey),
  ]
  if (taken.preKey) content.push(keyNode(taken.preKey))
  if (taken.deviceIdentity) content.push(stanza('device-identity', {}, taken.deviceIdentity))
  return stanza('user', { jid, t: String(Math.floor(Date.now() / 1000)) }, content)
}

export function preKeyId(id: number): Buffer {
  const bytes = Buffer.alloc(3)
  bytes.writeUIntBE(id, 0, 3)
  return bytes
}

export function registrationNode(registration: number): Stanza {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(registration)
  return stanza('registration', {}, bytes)
}

export function keyNode(key: PreKey): Stanza {
  return stanza('key', {}, [stanza('id', {}, preKeyId(key.id)), stanza('value', {}, key.public)])
}

export function signedKeyNode(key: SignedPreKey): Stanza {
  return stanza('skey', {}, [
    stanza('id', {}, preKeyId(key.id)),
    stanza('value', {}, key.public),
    stanza('signature', {}, key.signature),
  ])
}
