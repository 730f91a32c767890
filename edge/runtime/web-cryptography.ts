// What is hashed, signed and sealed, with WebCrypto, which every runtime has.

import { hashSha256 } from '@msgnet/shared/random-tokens.ts'
import { createWebGcm } from '@msgnet/shared/seal.ts'
import type { Cryptography } from './runtime.ts'

export const webCryptography: Cryptography = {
  digest: hashSha256,
  async createSigner(bytes) {
    const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
      'sign',
    ])
    return async (signed) => {
      const mac = new Uint8Array(await crypto.subtle.sign('HMAC', key, signed))
      return btoa(String.fromCharCode(...mac))
    }
  },
  createGcm: createWebGcm,
}
