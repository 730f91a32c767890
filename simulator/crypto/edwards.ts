// The Edwards form of the curve: keys and signatures as Ed25519, which Node computes natively.
import {
  createPrivateKey,
  createPublicKey,
  verify as ed25519Verify,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto'

/** The field: 2^255 - 19. */
const P = 2n ** 255n - 19n
const SPKI = Buffer.from('302a300506032b6570032100', 'hex')
const SIGN = 0x80
/** Converted keys are cached: a conversion takes longer than a signature check, and few keys are used often. */
const MAX_CACHED_KEYS = 5_000

const convertedKeys = new Map<string, KeyObject>()

/** In the XEdDSA form the last bit of a signature is the sign that the key does not have. */
export function verifyXeddsa(montgomery: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const bare = Buffer.from(signature)
  const last = bare.readUInt8(63)
  bare.writeUInt8(last & ~SIGN, 63)
  return ed25519Verify(null, message, toEdwardsKey(montgomery, last & SIGN), bare)
}

/** A key that only signs: generated in the Edwards form, published in the Montgomery form. Both are 32 bytes or DER. */
export function generateSigningKey(): { public: Buffer; private: Buffer } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const y = decodeNumber(exportRawKey(publicKey)) & ((1n << 255n) - 1n)
  const u = ((1n + y) * invert(1n - y + P)) % P
  return { public: encodeNumber(u), private: privateKey.export({ format: 'der', type: 'pkcs8' }) }
}

export function signXeddsa(privateKey: Buffer, message: Uint8Array): Buffer {
  const key = createPrivateKey({ key: privateKey, format: 'der', type: 'pkcs8' })
  const signature = sign(null, message, key)
  const signBit = exportRawKey(createPublicKey(key)).readUInt8(31) & SIGN
  signature.writeUInt8(signature.readUInt8(63) | signBit, 63)
  return signature
}

function toEdwardsKey(montgomery: Uint8Array, signBit: number): KeyObject {
  const name = `${signBit}${Buffer.from(montgomery).toString('base64')}`
  const known = convertedKeys.get(name)
  if (known !== undefined) return known
  const u = decodeNumber(montgomery) & ((1n << 255n) - 1n)
  const raw = encodeNumber(((u - 1n + P) * invert(u + 1n)) % P)
  raw.writeUInt8(raw.readUInt8(31) | signBit, 31)
  const key = createPublicKey({ key: Buffer.concat([SPKI, raw]), format: 'der', type: 'spki' })
  const oldest = convertedKeys.keys().next().value
  if (convertedKeys.size >= MAX_CACHED_KEYS && oldest !== undefined) convertedKeys.delete(oldest)
  convertedKeys.set(name, key)
  return key
}

function exportRawKey(key: KeyObject): Buffer {
  return key.export({ format: 'der', type: 'spki' }).subarray(SPKI.length)
}

function decodeNumber(littleEndian: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(littleEndian).reverse().toString('hex')}`)
}

function encodeNumber(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse()
}

function invert(value: bigint): bigint {
  let result = 1n
  let factor = value % P
  for (let left = P - 2n; left > 0n; left >>= 1n) {
    if (left & 1n) result = (result * factor) % P
    factor = (factor * factor) % P
  }
  return result
}
