// What is hashed, signed and sealed, at once in this thread: WebCrypto passes each small piece of work to another one.

import { createHash, createHmac, createSecretKey } from 'node:crypto'
import { createNodeGcm } from '../../shared/node/gcm.ts'
import type { Cryptography } from '../runtime.ts'

export const nodeCryptography: Cryptography = {
  digest: (data) => createHash('sha256').update(data).digest('hex'),
  createSigner(bytes) {
    const key = createSecretKey(bytes)
    return (signed) => createHmac('sha256', key).update(signed).digest('base64')
  },
  createGcm: createNodeGcm,
}
