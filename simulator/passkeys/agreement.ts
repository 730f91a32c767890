// The phone's side of the key agreement after a passkey: the code that both sides show, and the device's request.
import { randomBytes } from 'node:crypto'
import { proto } from '../codec/protobuf.ts'
import { asBuffer } from '../codec/stanza.ts'
import { hkdf, hmac, openGcm, sha256 } from '../crypto/ciphers.ts'
import { computeSharedSecret, generateKeyPair, type KeyPair } from '../crypto/curve.ts'

const KEY = 32
const NONCE = 32
const IV = 12
const CODE_BYTES = 5
/** Without 0, I, O and U, which are misread. */
const LETTERS = '123456789ABCDEFGHJKLMNPQRSTVWXYZ'
const BITS_OF_LETTER = 5

/** What a device sends about itself before the phone responds. */
export type CompanionHello = {
  /** Its encoded form, which the commitment covers. */
  encoded: Buffer
  publicKey: Buffer
  deviceType: number
  reference: string
  /** The digest of `encoded` and a nonce, which is revealed later: so the device cannot choose the code. */
  commitment: Buffer
}

export type PhoneSecrets = { keys: KeyPair; nonce: Buffer }

/** Undefined when a part is missing or has the wrong size. */
export function readHello(payload: Uint8Array): CompanionHello | undefined {
  const { companionEphemeralIdentity, commitment } = proto.ProloguePayload.decode(payload)
  if (!companionEphemeralIdentity || commitment?.hash?.length !== KEY) return undefined
  const { publicKey, deviceType, ref } = proto.CompanionEphemeralIdentity.decode(companionEphemeralIdentity)
  if (publicKey?.length !== KEY || deviceType == null || !ref) return undefined
  return {
    encoded: asBuffer(companionEphemeralIdentity),
    publicKey: asBuffer(publicKey),
    deviceType,
    reference: ref,
    commitment: asBuffer(commitment.hash),
  }
}

/** Whether the device that sends this is the one that showed the QR code, or agreed on the pairing code. */
export function provesHandoff(secret: Buffer, payload: Buffer, proof: Buffer): boolean {
  return hmac(hkdf(secret, KEY, undefined, 'shortcake-passkey-handoff-v1'), payload).equals(proof)
}

export function createSecrets(): PhoneSecrets {
  return { keys: generateKeyPair(), nonce: randomBytes(NONCE) }
}

export function encodeSecrets({ keys, nonce }: PhoneSecrets): Uint8Array {
  return proto.PrimaryEphemeralIdentity.encode({ publicKey: keys.public, nonce }).finish()
}

export function matchesCommitment({ encoded, commitment }: CompanionHello, nonce: Buffer): boolean {
  return nonce.length === NONCE && sha256(Buffer.concat([encoded, nonce])).equals(commitment)
}

/** The code that the owner compares: `ABCD-1234`. */
export function computeConfirmationCode({ keys, nonce }: PhoneSecrets, companionNonce: Buffer): string {
  const digest = sha256(Buffer.concat([companionNonce, keys.public]))
  let bits = 0n
  for (let at = 0; at < CODE_BYTES; at += 1)
    bits = (bits << 8n) | BigInt(nonce.readUInt8(at) ^ digest.readUInt8(at))
  const letters = Array.from({ length: (CODE_BYTES * 8) / BITS_OF_LETTER }, (_, place) =>
    LETTERS.charAt(Number((bits >> BigInt(place * BITS_OF_LETTER)) & 31n)),
  )
  const code = letters.reverse().join('')
  return `${code.slice(0, 4)}-${code.slice(4)}`
}

/** Throws when the device's key is not a point of the curve. */
export function deriveRequestKey(
  { keys }: PhoneSecrets,
  { publicKey, deviceType, reference }: CompanionHello,
) {
  const salt = Buffer.from(`Companion Pairing ${deviceType} with ref ${reference}`)
  return hkdf(computeSharedSecret(keys.private, publicKey), KEY, salt, 'Pairing Information Encryption Key')
}

/** The device's new secret, or undefined if the request does not decrypt or is another device's. */
export function openRequest(
  key: Buffer,
  request: Uint8Array,
  candidate: Record<'noiseKey' | 'identity', Buffer>,
): Buffer | undefined {
  const { encryptedPayload, iv } = proto.EncryptedPairingRequest.decode(request)
  if (!encryptedPayload || iv?.length !== IV) return undefined
  let opened: Buffer
  try {
    opened = openGcm(key, asBuffer(iv), encryptedPayload)
  } catch {
    return undefined
  }
  const { companionPublicKey, companionIdentityKey, advSecret } = proto.PairingRequest.decode(opened)
  const matches =
    candidate.noiseKey.equals(companionPublicKey ?? Buffer.alloc(0)) &&
    candidate.identity.equals(companionIdentityKey ?? Buffer.alloc(0))
  return matches && advSecret?.length === KEY ? asBuffer(advSecret) : undefined
}
