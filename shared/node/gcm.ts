// AES-256-GCM, synchronously in this thread: the values are small, and a thread of WebCrypto costs more than the work.

import { createCipheriv, createDecipheriv, createSecretKey } from 'node:crypto'
import type { Gcm } from '../seal.ts'

const CIPHER = 'aes-256-gcm'
const TAG_BYTES = 16

export function createNodeGcm(bytes: Uint8Array): Gcm {
  const key = createSecretKey(bytes)
  return {
    encrypt(plain, iv, authenticated) {
      const cipher = createCipheriv(CIPHER, key, iv).setAAD(authenticated)
      return new Uint8Array(Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]))
    },
    decrypt(body, iv, authenticated) {
      const tagAt = body.length - TAG_BYTES
      const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES }).setAAD(authenticated)
      decipher.setAuthTag(body.subarray(tagAt))
      return new Uint8Array(Buffer.concat([decipher.update(body.subarray(0, tagAt)), decipher.final()]))
    },
  }
}
