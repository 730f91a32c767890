// Decrypts a file that the account's own phone shares, while it is downloaded, up to a number of bytes.

import { pipeline, Readable } from 'node:stream'
import { getMediaKeys } from 'baileys'
import { createDecryptStream } from './file-decryption.ts'
import type { MmsType } from './media-hosts.ts'

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
  type: Extract<MmsType, 'md-app-state' | 'md-msg-hist'>,
  { mediaKey, fileSha256 }: SharedFile,
  budget: ByteBudget,
): Promise<Readable> {
  const { iv, cipherKey, macKey } = await getMediaKeys(mediaKey ?? new Uint8Array(), type)
  const keys = { iv: Buffer.from(iv), cipherKey: Buffer.from(cipherKey), macKey: Buffer.from(macKey ?? []) }
  const opening = createDecryptStream({ ...keys, sha256: fileSha256 ?? new Uint8Array() })
  return pipeline(Readable.from(limitBytes(source, budget)), opening, () => undefined)
}

async function* limitBytes(source: AsyncIterable<Buffer>, budget: ByteBudget): AsyncGenerator<Buffer> {
  for await (const piece of source) {
    budget.left -= piece.length
    if (budget.left < 0) throw new Error('the file is too large')
    yield piece
  }
}
