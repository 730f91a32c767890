// Requests about keys: counts them, uploads new ones, and reads the bundles of others.
import { asBuffer, bytesOf, child, children, type Stanza, stanza } from '../codec/stanza.ts'
import { sha256 } from '../crypto/ciphers.ts'
import { KEY_TYPE, typed, verify } from '../crypto/curve.ts'
import { accountAt, parseAddress } from '../network/address.ts'
import { preKeyId, registrationNode, signedKeyNode } from '../network/key-nodes.ts'
import { Refusal } from '../network/refusal.ts'
import type { SignedPreKey } from '../store/accounts.ts'
import type { Companion } from '../store/companions.ts'
import type { PreKey } from '../store/pre-keys.ts'
import { bundleFor } from './bundles.ts'
import { asking, type Request, type RequestTable } from './request.ts'

const UPLOAD_LIMIT = 2_000

export const encryptionRequests: RequestTable = {
  'encrypt get count'(request) {
    const { companion } = asking(request)
    const left = request.network.store.preKeys.count(companion.number, companion.device)
    return [stanza('count', { value: String(left) })]
  },

  'encrypt set registration'(request) {
    const { companion } = asking(request)
    const { iq, network } = request
    const registration = bytesOf(iq, 'registration')
    if (registration?.length !== 4 || registration.readUInt32BE() !== companion.registration)
      throw new Refusal(406)
    if (!bytesOf(iq, 'type')?.equals(KEY_TYPE)) throw new Refusal(406)
    if (!bytesOf(iq, 'identity')?.equals(companion.identity)) throw new Refusal(406)
    const signed = readSignedKey(child(iq, 'skey'), companion)
    const keys = children(child(iq, 'list'), 'key').map(readPreKey)
    if (keys.length === 0 || keys.length > UPLOAD_LIMIT) throw new Refusal(400)
    network.store.preKeys.upload(companion.number, companion.device, keys)
    network.store.companions.setSignedPreKey(companion.number, companion.device, signed)
    return []
  },

  'encrypt set rotate'(request) {
    const { companion } = asking(request)
    const signed = readSignedKey(child(request.child, 'skey'), companion)
    request.network.store.companions.setSignedPreKey(companion.number, companion.device, signed)
    return []
  },

  'encrypt get digest'(request) {
    const { companion } = asking(request)
    const { identity, signedPreKey } = companion
    const keys = request.network.store.preKeys.list(companion.number, companion.device)
    const parts = [identity, signedPreKey.public, signedPreKey.signature, ...keys.map((key) => key.public)]
    return [
      stanza('digest', {}, [
        registrationNode(companion.registration),
        stanza('type', {}, KEY_TYPE),
        stanza('identity', {}, identity),
        signedKeyNode(signedPreKey),
        stanza(
          'list',
          {},
          keys.map((key) => stanza('id', {}, preKeyId(key.id))),
        ),
        stanza('hash', {}, sha256(Buffer.concat(parts)).subarray(0, 20)),
      ]),
    ]
  },

  'encrypt get key'(request) {
    const { account } = asking(request)
    const { faults, store } = request.network
    const users = children(request.child, 'user')
    if (users.length === 0) throw new Refusal(400)
    const found = users.filter(({ attrs }) => {
      const owner = accountAt(store, parseAddress(attrs.jid))
      return !faults.leavesOut(account.number, 'encrypt', owner?.number)
    })
    return [stanza('list', {}, found.map(bundle(request)))]
  },
}

function bundle({ network }: Request) {
  return (user: Stanza) => bundleFor(network, user.attrs.jid ?? '')
}

function readPreKey(node: Stanza): PreKey {
  const id = bytesOf(node, 'id')
  const value = bytesOf(node, 'value')
  if (id?.length !== 3 || value?.length !== 32) throw new Refusal(400)
  return { id: id.readUIntBE(0, 3), public: asBuffer(value) }
}

function readSignedKey(node: Stanza | undefined, companion: Companion): SignedPreKey {
  const id = bytesOf(node, 'id')
  const value = bytesOf(node, 'value')
  const signature = bytesOf(node, 'signature')
  if (id?.length !== 3 || value?.length !== 32 || signature?.length !== 64) throw new Refusal(400)
  const present = companion.signedPreKey
  const known = present.public.equals(value) && present.signature.equals(signature)
  if (!known && !verify(companion.identity, typed(value), signature)) throw new Refusal(406)
  return { id: id.readUIntBE(0, 3), public: value, signature }
}
