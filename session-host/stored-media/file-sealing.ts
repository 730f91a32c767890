// Seals a file in chunks with a key of its own, while it streams: AES-256-GCM, each chunk bound to its place and the last one marked.

import { createCipheriv, createDecipheriv } from 'node:crypto'
import { Transform, type TransformCallback } from 'node:stream'

export const FILE_KEY_BYTES = 32
const CIPHER = 'aes-256-gcm'
const TAG_BYTES = 16
const IV_BYTES = 12
/** Of the plain file. Chunk n begins at n × (CHUNK_BYTES + TAG_BYTES) of the sealed one. */
export const CHUNK_BYTES = 64 * 1024

/** A key seals one file only, so the place is enough for an IV that is never used twice. */
function buildIv(place: number, isLast: boolean): Buffer {
  const iv = Buffer.alloc(IV_BYTES)
  iv[0] = isLast ? 1 : 0
  iv.writeUInt32BE(place, IV_BYTES - 4)
  return iv
}

type ConvertChunk = (chunk: Buffer, iv: Buffer) => Buffer

/** Converts chunks of `size`. The last one is shorter or not, so each is held back until the next bytes arrive. */
function createChunkStream(size: number, convert: ConvertChunk): Transform {
  let rest: Buffer = Buffer.alloc(0)
  let place = 0
  function convertNext(chunk: Buffer, isLast: boolean): Buffer {
    const converted = convert(chunk, buildIv(place, isLast))
    place += 1
    return converted
  }
  return new Transform({
    transform(bytes: Buffer, _, done: TransformCallback) {
      try {
        rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
        while (rest.length > size) {
          this.push(convertNext(rest.subarray(0, size), false))
          rest = rest.subarray(size)
        }
        done()
      } catch (error) {
        done(error as Error)
      }
    },
    flush(done: TransformCallback) {
      try {
        done(null, convertNext(rest, true))
      } catch (error) {
        done(error as Error)
      }
    },
  })
}

export const createSealStream = (key: Uint8Array): Transform =>
  createChunkStream(CHUNK_BYTES, (chunk, iv) => {
    const cipher = createCipheriv(CIPHER, key, iv)
    return Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()])
  })

/** Returns no byte that was not checked; fails at a chunk that was changed, moved, or cut off. */
export const createOpenStream = (key: Uint8Array): Transform =>
  createChunkStream(CHUNK_BYTES + TAG_BYTES, (chunk, iv) => {
    if (chunk.length < TAG_BYTES) throw new Error('the stored file is cut off')
    const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES })
    decipher.setAuthTag(chunk.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(chunk.subarray(0, -TAG_BYTES)), decipher.final()])
  })
