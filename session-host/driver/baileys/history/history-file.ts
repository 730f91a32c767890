// A history is a file on the media hosts: fetches, decrypts and inflates it, and tells a broken file from one that may be had later.

import { pipeline, Readable } from 'node:stream'
import { createInflate } from 'node:zlib'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { describeError } from '../../../process/host-log.ts'
import { decryptDownload } from '../messages/decrypted-download.ts'
import { type MediaHosts, TOO_MANY_REQUESTS } from '../messages/media-hosts.ts'

/** A media host that sends nothing for so long is asked again later, so that the next instance has its turn. */
const STALLED_MS = 15 * SECOND

/** Not the fault of the file: the media hosts were not reached, the download broke off, or its messages could not be stored. */
export class Interrupted extends Error {}

async function* markInterrupted<Item>(source: AsyncIterable<Item>): AsyncGenerator<Item> {
  try {
    yield* source
  } catch (error) {
    throw new Interrupted(describeError(error), { cause: error })
  }
}

interface HistoryFile {
  directPath?: string | null | undefined
  mediaKey?: Uint8Array | null | undefined
  fileSha256?: Uint8Array | null | undefined
  fileEncSha256?: Uint8Array | null | undefined
}

/** `maxBytes`: compressed. */
export async function fetchHistory(
  media: Pick<MediaHosts, 'downloadFile'>,
  { directPath, mediaKey, fileSha256, fileEncSha256 }: HistoryFile,
  type: 'md-msg-hist' | 'group-history',
  maxBytes: number,
  deadline: AbortSignal,
): Promise<Readable> {
  if (!directPath || !mediaKey?.length) throw new Error('the history does not say where it is')
  const encryptedSha256 = fileEncSha256 ?? new Uint8Array()
  const outcome = await media.downloadFile({ directPath, encryptedSha256, type }, deadline)
  // Only a refusal is about the file; what the hosts did not answer, or had no time for, is asked again.
  const isRefused = outcome.kind === 'refused' && outcome.code !== TOO_MANY_REQUESTS
  if (isRefused) throw new Error(outcome.message)
  if (outcome.kind !== 'done') throw new Interrupted(outcome.message)
  const response = outcome.value
  response.setTimeout(STALLED_MS, () =>
    response.destroy(new Error('the host for files sent nothing for long')),
  )
  const source = markInterrupted<Buffer>(response)
  return decryptDownload(source, type, { mediaKey, fileSha256 }, { left: maxBytes })
}

/** Errors of the source appear in the returned stream. */
export function inflate(compressed: Buffer[], deadline: AbortSignal): Readable {
  const inflating = createInflate()
  const stop = () => inflating.destroy(new Error('the history took too long'))
  deadline.addEventListener('abort', stop, { once: true })
  inflating.once('close', () => deadline.removeEventListener('abort', stop))
  return pipeline(Readable.from(compressed), inflating, () => undefined)
}

export const waitUntilStored = (storing: Promise<void>): Promise<void> =>
  storing.catch((error) => {
    throw new Interrupted(describeError(error), { cause: error })
  })
