// Decrypts a file while it streams: it ends in an error unless its MAC and its digest are right.

import { createDecipheriv, createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { Transform } from 'node:stream'

const MAC_BYTES = 10
/** What arrives is collected to this size: a piece has costs of its own in every stream that it passes. */
const PIECE_BYTES = 256 * 1024

export interface FileKeys {
  iv: Buffer
  cipherKey: Buffer
  macKey: Buffer
  /** The digest of the plain file, from the message; empty if the message has none. */
  sha256: Uint8Array
}

/** The library decrypts without checking the MAC, so the media host could change the file. */
export function createDecryptStream({ iv, cipherKey, macKey, sha256 }: FileKeys): Transform {
  const decipher = createDecipheriv('aes-256-cbc', cipherKey, iv)
  const mac = createHmac('sha256', macKey).update(iv)
  const digest = createHash('sha256')
  let collected: Buffer[] = []
  let collectedBytes = 0

  /** All but the last bytes, which may be the MAC. */
  function decryptCollected(): Buffer {
    const data = Buffer.concat(collected)
    const body = data.subarray(0, Math.max(0, data.length - MAC_BYTES))
    const tail = Buffer.from(data.subarray(body.length))
    collected = [tail]
    collectedBytes = tail.length
    mac.update(body)
    const plain = decipher.update(body)
    digest.update(plain)
    return plain
  }

  return new Transform({
    transform(this: Transform, chunk: Buffer, _, callback) {
      collected.push(chunk)
      collectedBytes += chunk.length
      if (collectedBytes >= PIECE_BYTES) this.push(decryptCollected())
      callback()
    },
    flush(this: Transform, callback) {
      try {
        this.push(decryptCollected())
        const tail = Buffer.concat(collected)
        const computed = mac.digest().subarray(0, MAC_BYTES)
        if (tail.length !== MAC_BYTES || !timingSafeEqual(tail, computed))
          throw new Error('the seal is broken')
        const plain = decipher.final()
        const plainDigest = digest.update(plain).digest()
        if (sha256.length > 0 && Buffer.compare(plainDigest, sha256) !== 0)
          throw new Error('the digest differs')
        callback(null, plain)
      } catch (error) {
        callback(error as Error)
      }
    },
  })
}
