// An encrypted file, opened as it streams by: its end is an error unless its seal and its digest are right.

import { createDecipheriv, createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { Transform } from 'node:stream'

const MAC_BYTES = 10

export interface FileKeys {
  iv: Buffer
  cipherKey: Buffer
  macKey: Buffer
  /** Of the plain file, as the message promised it; empty when it did not. */
  sha256: Uint8Array
}

/** The library decrypts without looking at the seal: whoever holds the file could change it. */
export function openingStream({ iv, cipherKey, macKey, sha256 }: FileKeys): Transform {
  const decipher = createDecipheriv('aes-256-cbc', cipherKey, iv)
  const seal = createHmac('sha256', macKey).update(iv)
  const digest = createHash('sha256')
  /** The last bytes seen: they may be the seal. */
  let tail = Buffer.alloc(0)

  return new Transform({
    transform(chunk: Buffer, _, callback) {
      const data = Buffer.concat([tail, chunk])
      const body = data.subarray(0, Math.max(0, data.length - MAC_BYTES))
      tail = Buffer.from(data.subarray(body.length))
      seal.update(body)
      const plain = decipher.update(body)
      digest.update(plain)
      callback(null, plain)
    },
    flush(callback) {
      try {
        const computed = seal.digest().subarray(0, MAC_BYTES)
        if (tail.length !== MAC_BYTES || !timingSafeEqual(tail, computed))
          throw new Error('the seal is broken')
        const plain = decipher.final()
        const whole = digest.update(plain).digest()
        if (sha256.length > 0 && Buffer.compare(whole, sha256) !== 0) throw new Error('the digest differs')
        callback(null, plain)
      } catch (thrown) {
        callback(thrown as Error)
      }
    },
  })
}
