// Encrypts a file for the network into a temporary file, and returns its keys and digests for the message.

import { createCipheriv, createHash, createHmac, randomBytes, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { getMediaKeys, type MediaType } from 'baileys'
import type { EncryptedFile } from '../../media-network.ts'

const MAC_BYTES = 10

/**
 * Rejects when `file` fails, and removes its temporary files then.
 *
 * Replaces the library's function: when a file fails, that one closes a file that it still writes, and the error of that write,
 * which is not handled, ends the process with all of its sessions.
 */
export async function encryptFile(
  file: Readable,
  type: MediaType,
  withPlain: boolean,
): Promise<EncryptedFile> {
  const mediaKey = randomBytes(32)
  const { cipherKey, iv, macKey } = await getMediaKeys(mediaKey, type)
  if (!macKey) throw new Error('a file has no key to be signed with')
  const path = join(tmpdir(), `${type}-${randomUUID()}`)
  const encryptedPath = `${path}-sealed`
  const plainPath = withPlain ? `${path}-plain` : undefined
  let plain: FileHandle | undefined
  const plainDigest = createHash('sha256')
  const encryptedDigest = createHash('sha256')
  let fileLength = 0

  async function* encryptChunks(chunks: AsyncIterable<Buffer>) {
    const cipher = createCipheriv('aes-256-cbc', cipherKey, iv)
    const mac = createHmac('sha256', macKey as Uint8Array).update(iv)
    const signChunk = (bytes: Buffer) => {
      mac.update(bytes)
      encryptedDigest.update(bytes)
      return bytes
    }
    for await (const chunk of chunks) {
      fileLength += chunk.length
      plainDigest.update(chunk)
      await plain?.write(chunk)
      yield signChunk(cipher.update(chunk))
    }
    yield signChunk(cipher.final())
    const end = mac.digest().subarray(0, MAC_BYTES)
    encryptedDigest.update(end)
    yield end
  }

  try {
    if (plainPath !== undefined) plain = await open(plainPath, 'w')
    await pipeline(file, encryptChunks, createWriteStream(encryptedPath))
  } catch (error) {
    // Where nothing has read it yet, its transfer would stay open.
    file.destroy()
    await removeEncrypted({ encryptedPath, plainPath })
    throw error
  } finally {
    await plain?.close()
  }
  const digests = { fileSha256: plainDigest.digest(), fileEncSha256: encryptedDigest.digest() }
  return { encryptedPath, plainPath, mediaKey, ...digests, fileLength }
}

export async function removeEncrypted({
  encryptedPath,
  plainPath,
}: Pick<EncryptedFile, 'encryptedPath' | 'plainPath'>) {
  // A file that cannot be removed is removed at the next start.
  for (const path of [encryptedPath, plainPath]) if (path) await unlink(path).catch(() => undefined)
}
