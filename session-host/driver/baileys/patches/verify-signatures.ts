// Patch: checks the signatures that the library verifies without using the result.

import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { Curve, proto, WA_CERT_DETAILS } from 'baileys'
import { LRUCache } from 'lru-cache'
import type { Patch } from './patch.ts'

// The field of Curve25519: 2^255 - 19.
const P = 2n ** 255n - 19n
const ED25519_SPKI = Buffer.from('302a300506032b6570032100', 'hex')
const GENUINE_ROOT = WA_CERT_DETAILS.PUBLIC_KEY
/** Converting a key takes longer than verifying a signature, and every login has the same keys, as has every message of a member of a group. */
const MAX_KEYS = 1000

/** The library has the root key of certificates, and its verify functions, in one place for the whole process. */
function enforceTrust(root: Buffer<ArrayBuffer> = GENUINE_ROOT): void {
  WA_CERT_DETAILS.PUBLIC_KEY = root
  Curve.verify = verifyForLibrary
  Curve.sharedKey = recordPeerKey
}

const librarySharedKey = Curve.sharedKey
/** The server's key in the current handshake, and the certificate for it. Both calls are in one tick. */
let peer: Uint8Array | undefined
let leaf: Uint8Array | undefined

function recordPeerKey(privateKey: Uint8Array, publicKey: Uint8Array): Buffer<ArrayBuffer> {
  peer = publicKey
  return librarySharedKey(privateKey, publicKey)
}

function verifyForLibrary(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const genuine = verifySignature(key, message, signature)
  if (key !== WA_CERT_DETAILS.PUBLIC_KEY) {
    leaf = message
    return genuine
  }
  // The second check of a handshake. The library never compares the certified key with the one that the server proved.
  return genuine && leaf !== undefined && peer !== undefined && isCertified(leaf, peer)
}

function isCertified(certificate: Uint8Array, key: Uint8Array): boolean {
  try {
    const { key: certified } = proto.CertChain.NoiseCertificate.Details.decode(certificate)
    return Buffer.compare(certified ?? Buffer.alloc(0), key) === 0
  } catch {
    return false
  }
}

const edwardsKeys = new LRUCache<string, KeyObject>({ max: MAX_KEYS })

/** XEdDSA over Curve25519, computed with Ed25519: the same curve in another form, about forty times faster than in JavaScript. */
export function verifySignature(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const montgomery = key.length === 33 && key[0] === 5 ? key.subarray(1) : key
  if (montgomery.length !== 32 || signature.length !== 64) return false
  // The last bit of the signature is the sign that the Montgomery form of a key does not have.
  const bare = Buffer.from(signature)
  const sign = (bare[63] ?? 0) & 0x80
  bare[63] = (bare[63] ?? 0) & 0x7f
  return verify(null, message, toEdwardsKey(montgomery, sign), bare)
}

function toEdwardsKey(montgomery: Uint8Array, sign: number): KeyObject {
  const name = `${sign} ${Buffer.from(montgomery).toString('base64')}`
  const known = edwardsKeys.get(name)
  if (known) return known
  const key = convertKey(montgomery, sign)
  edwardsKeys.set(name, key)
  return key
}

/** y = (u - 1) / (u + 1). */
function convertKey(montgomery: Uint8Array, sign: number): KeyObject {
  const u = BigInt(`0x${Buffer.from(montgomery).reverse().toString('hex')}`) & ((1n << 255n) - 1n)
  const y = (((u - 1n + P) % P) * computePower(u + 1n, P - 2n)) % P
  const bytes = Buffer.from(y.toString(16).padStart(64, '0'), 'hex').reverse()
  bytes[31] = (bytes[31] ?? 0) | sign
  return createPublicKey({ key: Buffer.concat([ED25519_SPKI, bytes]), format: 'der', type: 'spki' })
}

function computePower(base: bigint, exponent: bigint): bigint {
  let result = 1n
  for (let factor = base % P, left = exponent; left > 0n; left >>= 1n, factor = (factor * factor) % P) {
    if (left & 1n) result = (result * factor) % P
  }
  return result
}

export const verifySignatures: Patch = {
  name: 'verify-signatures',
  library: 'baileys@7.0.0-rc14',
  fault:
    'Curve.verify drops the boolean that libsignal 6 answers and returns true unless something was thrown; and the handshake never compares the certified key with the one that the server proved.',
  why: 'A certificate of any server and a signature of any account passed: the network was known by TLS alone.',
  upstream:
    'To report in private to WhiskeySockets/Baileys: "Curve.verify always answers true with libsignal 6: certificate chain and account signature are not verified". With a signature that is one bit off.',
  until:
    "Curve.verify answers what libsignal answers, and the handshake compares the leaf certificate with the server's static key.",
  apply: ({ rootKey }) => enforceTrust(rootKey),
}
