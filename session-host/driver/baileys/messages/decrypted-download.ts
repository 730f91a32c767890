// Decrypts a file of settings or of history while it is downloaded, up to a number of bytes.

import { hkdfSync } from 'node:crypto'
import { pipeline, Readable } from 'node:stream'
import { getMediaKeys } from 'baileys'
import { createDecryptStream } from './file-decryption.ts'
import type { MmsType } from './media-hosts.ts'

type SharedType = Extract<MmsType, 'md-app-state' | 'md-msg-hist' | 'group-history'>

interface SharedFile {
  mediaKey: Uint8Array | null | undefined
  /** Digest of the file. */
  fileSha256: Uint8Array | null | undefined
}

/** What several files may take together. */
export interface ByteBudget {
  left: number
}

/** `source`: the encrypted file. The returned stream ends in an error where it takes more than `budget` has left. */
export async function decryptDownload(
  source: AsyncIterable<Buffer>,
  type: SharedType,
  { mediaKey, fileSha256 }: SharedFile,
  budget: ByteBudget,
): Promise<Readable> {
  const keys = await deriveKeys(mediaKey ?? new Uint8Array(), type)
  const opening = createDecryptStream({ ...keys, sha256: fileSha256 ?? new Uint8Array() })
  return pipeline(Readable.from(limitBytes(source, budget)), opening, () => undefined)
}

/** The library does not know the words from which the keys of a group's history are derived. */
export async function deriveKeys(mediaKey: Uint8Array, type: SharedType) {
  if (type === 'group-history') {
    const expanded = Buffer.from(hkdfSync('sha256', mediaKey, '', 'Group History', 112))
    return {
      iv: expanded.subarray(0, 16),
      cipherKey: expanded.subarray(16, 48),
      macKey: expanded.subarray(48, 80),
    }
  }
  const { iv, cipherKey, macKey } = await getMediaKeys(mediaKey, type)
  return { iv: Buffer.from(iv), cipherKey: Buffer.from(cipherKey), macKey: Buffer.from(macKey ?? []) }
}

async function* limitBytes(source: AsyncIterable<Buffer>, budget: ByteBudget): AsyncGenerator<Buffer> {
  for await (const piece of source) {
    budget.left -= piece.length
    if (budget.left < 0) throw new Error('the file is too large')
    yield piece
  }
}
