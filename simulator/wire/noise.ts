// The responder side of the Noise XX handshake, and the encrypted transport after it.
import { hkdf, openGcm, sealGcm, sha256 } from '../crypto/ciphers.ts'
import { computeSharedSecret, generateKeyPair, type KeyPair } from '../crypto/curve.ts'
import type { ServerIdentity } from './certificates.ts'
import { PROLOGUE } from './noise-frames.ts'

const PROTOCOL = Buffer.from('Noise_XX_25519_AESGCM_SHA256\0\0\0\0')

function buildNonce(counter: number): Buffer {
  const bytes = Buffer.alloc(12)
  bytes.writeUInt32BE(counter, 8)
  return bytes
}

export class NoiseResponder {
  readonly #identity: ServerIdentity
  readonly #ephemeral: KeyPair = generateKeyPair()
  #hash: Buffer = PROTOCOL
  #salt: Buffer = PROTOCOL
  #key: Buffer = PROTOCOL
  #counter = 0

  constructor(identity: ServerIdentity) {
    this.#identity = identity
    this.#mixHash(PROLOGUE)
  }

  /** First and second message: takes the client's ephemeral key, returns ours and our certificate. */
  respondToHello(clientEphemeral: Uint8Array) {
    this.#mixHash(clientEphemeral)
    this.#mixHash(this.#ephemeral.public)
    this.#mixKey(computeSharedSecret(this.#ephemeral.private, clientEphemeral))
    const sealedStatic = this.#seal(this.#identity.keys.public)
    this.#mixKey(computeSharedSecret(this.#identity.keys.private, clientEphemeral))
    return {
      ephemeral: this.#ephemeral.public,
      static: sealedStatic,
      payload: this.#seal(this.#identity.chain),
    }
  }

  /** Third message: returns the client's proved static key and its payload. Throws if it is forged. */
  readFinish(sealedStatic: Uint8Array, sealedPayload: Uint8Array) {
    const staticKey = this.#open(sealedStatic)
    this.#mixKey(computeSharedSecret(this.#ephemeral.private, staticKey))
    const payload = this.#open(sealedPayload)
    const keys = hkdf(Buffer.alloc(0), 64, this.#salt)
    const transport = new Transport(keys.subarray(32), keys.subarray(0, 32))
    return { staticKey, payload, transport }
  }

  #mixHash(bytes: Uint8Array) {
    this.#hash = sha256(Buffer.concat([this.#hash, bytes]))
  }

  #mixKey(secret: Buffer) {
    const keys = hkdf(secret, 64, this.#salt)
    this.#salt = keys.subarray(0, 32)
    this.#key = keys.subarray(32)
    this.#counter = 0
  }

  #seal(plain: Uint8Array): Buffer {
    const sealed = sealGcm(this.#key, buildNonce(this.#counter++), plain, this.#hash)
    this.#mixHash(sealed)
    return sealed
  }

  #open(sealed: Uint8Array): Buffer {
    const plain = openGcm(this.#key, buildNonce(this.#counter++), sealed, this.#hash)
    this.#mixHash(sealed)
    return plain
  }
}

export class Transport {
  readonly #sealKey: Buffer
  readonly #openKey: Buffer
  #sealed = 0
  #opened = 0

  constructor(sealKey: Buffer, openKey: Buffer) {
    this.#sealKey = sealKey
    this.#openKey = openKey
  }

  seal(plain: Uint8Array): Buffer {
    return sealGcm(this.#sealKey, buildNonce(this.#sealed++), plain)
  }

  open(sealed: Uint8Array): Buffer {
    return openGcm(this.#openKey, buildNonce(this.#opened++), sealed)
  }
}
