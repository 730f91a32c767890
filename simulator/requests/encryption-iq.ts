// Requests about keys: counts them, uploads new ones, and reads the bundles of others.

import { asBuffer, buildStanza, findChild, listChildren, readBytes, type Stanza } from '../codec/stanza.ts'
import { sha256 } from '../crypto/ciphers.ts'
import { addKeyType, KEY_TYPE, verifySignature } from '../crypto/curve.ts'
import { findAccount, parseAddress } from '../network/address.ts'
import { takeBundle } from '../network/key-bundles.ts'
import {
  buildKeyNode,
  buildRegistrationNode,
  buildSignedKeyNode,
  encodePreKeyId,
} from '../network/key-nodes.ts'
import { buildErrorNode, Refusal } from '../network/refusal-codes.ts'
import type { Network } from '../network/simulated-network.ts'
import { formatSeconds } from '../network/stanza-ids.ts'
import { MAX_UPLOADED_KEYS } from '../network-limits.ts'
import type { SignedPreKey } from '../store/account-table.ts'
import type { Companion } from '../store/companion-table.ts'
import type { PreKey } from '../store/pre-key-table.ts'
import { type RequestTable, requireCompanion } from './request.ts'

export const encryptionRequests: RequestTable = {
  'encrypt get count'(request) {
    const { companion } = requireCompanion(request)
    const left = request.network.store.preKeys.countKeys(companion.number, companion.device)
    return [buildStanza('count', { value: String(left) })]
  },

  'encrypt set registration'(request) {
    const { companion } = requireCompanion(request)
    const { iq, network } = request
    const registration = readBytes(iq, 'registration')
    if (registration?.length !== 4 || registration.readUInt32BE() !== companion.registration)
      throw new Refusal(406)
    if (!readBytes(iq, 'type')?.equals(KEY_TYPE)) throw new Refusal(406)
    if (!readBytes(iq, 'identity')?.equals(companion.identity)) throw new Refusal(406)
    const signed = readSignedKey(findChild(iq, 'skey'), companion)
    const keys = listChildren(findChild(iq, 'list'), 'key').map(readPreKey)
    if (keys.length === 0 || keys.length > MAX_UPLOADED_KEYS) throw new Refusal(400)
    network.store.preKeys.addUploaded(companion.number, companion.device, keys)
    network.store.companions.setSignedPreKey(companion.number, companion.device, signed)
    return []
  },

  'encrypt set rotate'(request) {
    const { companion } = requireCompanion(request)
    const signed = readSignedKey(findChild(request.child, 'skey'), companion)
    request.network.store.companions.setSignedPreKey(companion.number, companion.device, signed)
    return []
  },

  'encrypt get digest'(request) {
    const { companion } = requireCompanion(request)
    const { identity, signedPreKey } = companion
    const keys = request.network.store.preKeys.listKeys(companion.number, companion.device)
    const parts = [identity, signedPreKey.public, signedPreKey.signature, ...keys.map((key) => key.public)]
    return [
      buildStanza('digest', {}, [
        buildRegistrationNode(companion.registration),
        buildStanza('type', {}, KEY_TYPE),
        buildStanza('identity', {}, identity),
        buildSignedKeyNode(signedPreKey),
        buildStanza(
          'list',
          {},
          keys.map((key) => buildStanza('id', {}, encodePreKeyId(key.id))),
        ),
        buildStanza('hash', {}, sha256(Buffer.concat(parts)).subarray(0, 20)),
      ]),
    ]
  },

  'encrypt get key'(request) {
    const { account } = requireCompanion(request)
    const { faults, store } = request.network
    const users = listChildren(request.child, 'user')
    if (users.length === 0) throw new Refusal(400)
    const found = users.filter(({ attrs }) => {
      const owner = findAccount(store, parseAddress(attrs.jid))
      return !faults.leavesOut(account.number, 'encrypt', owner?.number)
    })
    return [
      buildStanza(
        'list',
        {},
        found.map(({ attrs }) => buildBundleNode(request.network, attrs.jid ?? '')),
      ),
    ]
  },
}

/** The keys that begin a session with a device. */
function buildBundleNode(network: Network, jid: string): Stanza {
  const address = parseAddress(jid)
  const account = findAccount(network.store, address)
  const taken = account && takeBundle(network, account, address?.device ?? 0)
  if (taken === undefined) return buildStanza('user', { jid }, [buildErrorNode(404)])
  const content = [
    buildRegistrationNode(taken.registration),
    buildStanza('type', {}, KEY_TYPE),
    buildStanza('identity', {}, taken.identity),
    buildSignedKeyNode(taken.signedPreKey),
  ]
  if (taken.preKey) content.push(buildKeyNode(taken.preKey))
  if (taken.deviceIdentity) content.push(buildStanza('device-identity', {}, taken.deviceIdentity))
  return buildStanza('user', { jid, t: formatSeconds() }, content)
}

function readPreKey(node: Stanza): PreKey {
  const id = readBytes(node, 'id')
  const value = readBytes(node, 'value')
  if (id?.length !== 3 || value?.length !== 32) throw new Refusal(400)
  return { id: id.readUIntBE(0, 3), public: asBuffer(value) }
}

function readSignedKey(node: Stanza | undefined, companion: Companion): SignedPreKey {
  const id = readBytes(node, 'id')
  const value = readBytes(node, 'value')
  const signature = readBytes(node, 'signature')
  if (id?.length !== 3 || value?.length !== 32 || signature?.length !== 64) throw new Refusal(400)
  const present = companion.signedPreKey
  const known = present.public.equals(value) && present.signature.equals(signature)
  if (!known && !verifySignature(companion.identity, addKeyType(value), signature)) throw new Refusal(406)
  return { id: id.readUIntBE(0, 3), public: value, signature }
}
