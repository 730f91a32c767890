// The symmetric ciphers and key derivations of the protocol.
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'

const TAG = 16
const EMPTY = Buffer.alloc(0)

/** The authentication tag follows the ciphertext. */
export function sealGcm(key: Buffer, nonce: Buffer, plain: Uint8Array, associated: Buffer = EMPTY): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  cipher.setAAD(associated)
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** Throws when the tag is wrong. */
export function openGcm(key: Buffer, nonce: Buffer, sealed: Uint8Array, associated: Buffer = EMPTY): Buffer {
  if (sealed.length < TAG) throw new Error('sealed text is shorter than its tag')
  const decipher = createDecipheriv('aes-256-gcm', key, nonce)
  decipher.setAAD(associated)
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG))
  return Buffer.concat([decipher.update(sealed.subarray(0, sealed.length - TAG)), decipher.final()])
}

/** Counter mode is its own inverse. */
export function applyCtr(key: Buffer, nonce: Buffer, bytes: Uint8Array): Buffer {
  const cipher = createCipheriv('aes-256-ctr', key, nonce)
  return Buffer.concat([cipher.update(bytes), cipher.final()])
}

export function sealCbc(key: Buffer, iv: Buffer, plain: Uint8Array): Buffer {
  const cipher = createCipheriv('aes-256-cbc', key, iv)
  return Buffer.concat([cipher.update(plain), cipher.final()])
}

/** Throws when the padding is wrong. It does not authenticate: that needs a MAC or a signature. */
export function openCbc(key: Buffer, iv: Buffer, sealed: Uint8Array): Buffer {
  const decipher = createDecipheriv('aes-256-cbc', key, iv)
  return Buffer.concat([decipher.update(sealed), decipher.final()])
}

export function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}

export function hmac(key: Buffer, bytes: Uint8Array): Buffer {
  return createHmac('sha256', key).update(bytes).digest()
}

export function hkdf(secret: Uint8Array, length: number, salt: Uint8Array = EMPTY, info = ''): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, length))
}

const deriveKey = promisify(pbkdf2)

/** The key that both sides derive from a pairing code. Slow on purpose. */
export function derivePairingKey(code: string, salt: Buffer): Promise<Buffer> {
  return deriveKey(code, salt, 131_072, 32, 'sha256')
}
