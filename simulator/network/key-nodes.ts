// Keys in the form of stanza nodes.
import { buildStanza, type Stanza } from '../codec/stanza.ts'
import type { SignedPreKey } from '../store/account-table.ts'
import type { PreKey } from '../store/pre-key-table.ts'

export function encodePreKeyId(id: number): Buffer {
  const bytes = Buffer.alloc(3)
  bytes.writeUIntBE(id, 0, 3)
  return bytes
}

export function buildRegistrationNode(registration: number): Stanza {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(registration)
  return buildStanza('registration', {}, bytes)
}

export function buildKeyNode(key: PreKey): Stanza {
  return buildStanza('key', {}, [
    buildStanza('id', {}, encodePreKeyId(key.id)),
    buildStanza('value', {}, key.public),
  ])
}

export function buildSignedKeyNode(key: SignedPreKey): Stanza {
  return buildStanza('skey', {}, [
    buildStanza('id', {}, encodePreKeyId(key.id)),
    buildStanza('value', {}, key.public),
    buildStanza('signature', {}, key.signature),
  ])
}
