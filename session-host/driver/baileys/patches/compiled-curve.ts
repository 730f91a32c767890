// Patch: signatures, shared secrets and pairs of keys on Curve25519 are computed by compiled code.

import { generateKeyPairSync } from 'node:crypto'
import { Curve } from 'baileys'
import { SenderKeyMessage } from 'baileys/lib/Signal/Group/sender-key-message.js'
import { calculateAgreement, calculateSignature } from 'whatsapp-rust-bridge'
import { fromBaileys, type Patch } from './patch.ts'
import { verifySignature } from './verify-signatures.ts'

/** Both halves are 32 bytes. */
export interface CurveKeys {
  public: Buffer<ArrayBuffer>
  private: Buffer<ArrayBuffer>
}

/** Stands before a public key in libsignal. */
const KEY_TYPE = Buffer.from([5])
const SIGNATURE_BYTES = 64

export function makeKeyPair(): CurveKeys {
  // As JWK, because Node takes twice as long to write them as DER.
  const { x = '', d = '' } = generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' })
  return { public: Buffer.from(x, 'base64url'), private: Buffer.from(d, 'base64url') }
}

/** XEdDSA: 64 bytes. */
function signMessage(privateKey: Uint8Array, message: Uint8Array): Buffer<ArrayBuffer> {
  return runCompiled(() => calculateSignature(privateKey, message))
}

/** 32 bytes. */
function computeSecret(publicKey: Uint8Array, privateKey: Uint8Array): Buffer<ArrayBuffer> {
  const secret = runCompiled(() => calculateAgreement(publicKey, privateKey))
  // Of a key of small order, which the compiled code does not refuse: everybody would know the secret.
  if (secret.every((byte) => byte === 0)) throw new Error('Invalid public key')
  return secret
}

/** What the compiled code throws is a text, without a stack. */
function runCompiled(compute: () => Uint8Array): Buffer<ArrayBuffer> {
  try {
    return Buffer.from(compute())
  } catch (error) {
    throw error instanceof Error ? error : new Error(String(error))
  }
}

/** Each message of a group carries a signature. */
function verifyGroupMessage(this: SenderKeyMessage, signingKey: Uint8Array): void {
  const message = this.serialize()
  const end = message.length - SIGNATURE_BYTES
  if (!verifySignature(signingKey, message.subarray(0, end), message.subarray(end)))
    throw new Error('Invalid signature!')
}

/** The object whose functions libsignal itself calls. Baileys has bound them by name before a patch runs. */
const curve = fromBaileys('libsignal/src/curve.js') as object

export const compiledCurve: Patch = {
  name: 'compiled-curve',
  library: 'libsignal@6.0.0',
  fault:
    'calculateSignature and verifySignature compute in JavaScript, many times as long as compiled code; calculateAgreement and generateKeyPair pass their keys to Node as DER, which takes longer than the computation.',
  why: 'Each message of a group, in or out, stopped all sessions of a host for several milliseconds.',
  upstream:
    'To file with WhiskeySockets/Baileys: "Group messages are signed and verified by curve25519-js, though whatsapp-rust-bridge is loaded". With a profile of a host that receives group messages.',
  until: 'Baileys takes these functions from whatsapp-rust-bridge, as it does md5 and hkdf.',
  apply() {
    Object.assign(curve, {
      generateKeyPair() {
        const pair = makeKeyPair()
        return { pubKey: Buffer.concat([KEY_TYPE, pair.public]), privKey: pair.private }
      },
      calculateAgreement: computeSecret,
      calculateSignature: signMessage,
    })
    Curve.sign = signMessage
    Object.assign(SenderKeyMessage.prototype, {
      getSignature: signMessage,
      verifySignature: verifyGroupMessage,
    })
  },
}
