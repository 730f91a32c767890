// Keys in the form of stanza nodes.
import { type Stanza, stanza } from '../codec/stanza.ts'
import type { SignedPreKey } from '../store/accounts.ts'
import type { PreKey } from '../store/pre-keys.ts'

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
