// The device's keys for a linking by passkey: they agree with the phone on a code and on a key for the request to be linked.

import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { aesEncryptGCM, bytesToCrockford, Curve, proto, sha256 } from 'baileys'

const KEY_BYTES = 32
const IV_BYTES = 12
const CODE_BYTES = 5
const HANDOFF = 'shortcake-passkey-handoff-v1'
const REQUEST = 'Pairing Information Encryption Key'

const deriveKey = (secret: Uint8Array, salt: string, info: string) =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, KEY_BYTES))

/** The key that proves that this device is the one whose QR code was scanned, or whose pairing code was typed. */
export const deriveHandoffKey = (secret: Uint8Array): Buffer => deriveKey(secret, '', HANDOFF)

/** The phone's half of the agreement. */
export interface PhoneKey {
  publicKey: Uint8Array
  nonce: Uint8Array
}

/** Undefined when a part is missing or has the wrong size. */
export function readPhoneKey(bytes: Uint8Array): PhoneKey | undefined {
  const { publicKey, nonce } = proto.PrimaryEphemeralIdentity.decode(bytes)
  if (publicKey?.length !== KEY_BYTES || nonce?.length !== KEY_BYTES) return undefined
  return { publicKey, nonce }
}

/** What becomes the device's credential. */
export interface DeviceKeys {
  noiseKey: Uint8Array
  identityKey: Uint8Array
  secret: Uint8Array
}

export class PasskeyKeys {
  /** Sent with the assertion. Its nonce is revealed after the phone's key is known, so that neither side can choose the code. */
  readonly prologue: Uint8Array
  readonly nonce = randomBytes(KEY_BYTES)
  readonly #keys = Curve.generateKeyPair()
  /** Binds the key of the request to this linking. */
  readonly #salt: string

  constructor(reference: string, deviceType: proto.DeviceProps.PlatformType) {
    this.#salt = `Companion Pairing ${deviceType} with ref ${reference}`
    const identity = proto.CompanionEphemeralIdentity.encode({
      publicKey: this.#keys.public,
      deviceType,
      ref: reference,
    }).finish()
    const hash = sha256(Buffer.concat([identity, this.nonce]))
    this.prologue = proto.ProloguePayload.encode({
      companionEphemeralIdentity: identity,
      commitment: { hash },
    }).finish()
  }

  computeProof(handoff: Buffer): Buffer {
    return createHmac('sha256', handoff).update(this.prologue).digest()
  }

  /** The code that both sides show: `ABCD-1234`. */
  computeConfirmation(phone: PhoneKey): string {
    const digest = sha256(Buffer.concat([this.nonce, phone.publicKey]))
    const bytes = digest.subarray(0, CODE_BYTES).map((byte, at) => byte ^ (phone.nonce[at] ?? 0))
    const code = bytesToCrockford(Buffer.from(bytes))
    return `${code.slice(0, 4)}-${code.slice(4)}`
  }

  /** The request to be linked, for the phone only. Throws when the phone's key is not a point of the curve. */
  encryptRequest(phone: PhoneKey, device: DeviceKeys): Uint8Array {
    const shared = Curve.sharedKey(this.#keys.private, phone.publicKey)
    const key = deriveKey(shared, this.#salt, REQUEST)
    const iv = randomBytes(IV_BYTES)
    const plain = proto.PairingRequest.encode({
      companionPublicKey: device.noiseKey,
      companionIdentityKey: device.identityKey,
      advSecret: device.secret,
    }).finish()
    const encryptedPayload = aesEncryptGCM(plain, key, iv, Buffer.alloc(0))
    return proto.EncryptedPairingRequest.encode({ encryptedPayload, iv }).finish()
  }
}
