// Curve25519 keys without their type byte: agreement, and signatures in the XEdDSA form.
import * as curve from 'libsignal/src/curve.js'
import { calculateSignature } from 'whatsapp-rust-bridge'
import { verifyXeddsa } from './edwards.ts'

/** Both halves are 32 bytes. */
export type KeyPair = { public: Buffer; private: Buffer }

export const KEY_TYPE = Buffer.from([5])

/** The 33-byte form, with the type byte in front, in which keys are signed and passed to libsignal. */
export function addKeyType(publicKey: Uint8Array): Buffer {
  return Buffer.concat([KEY_TYPE, publicKey])
}

export function generateKeyPair(): KeyPair {
  const { pubKey, privKey } = curve.generateKeyPair()
  return { public: Buffer.from(pubKey.slice(1)), private: Buffer.from(privKey) }
}

/** Throws when the other key is not a point of the curve. */
export function computeSharedSecret(privateKey: Buffer, publicKey: Uint8Array): Buffer {
  return Buffer.from(curve.calculateAgreement(addKeyType(publicKey), privateKey))
}

/** By compiled code: libsignal's own takes milliseconds, and a phone signs with each linking. */
export function signMessage(privateKey: Buffer, message: Uint8Array): Buffer {
  return Buffer.from(calculateSignature(privateKey, message))
}

export function verifySignature(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array | undefined,
): boolean {
  if (publicKey.length !== 32 || signature?.length !== 64) return false
  return verifyXeddsa(publicKey, message, signature)
}
