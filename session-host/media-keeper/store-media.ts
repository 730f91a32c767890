// One attempt to keep the file of a message: fetched by the session's connection, sealed on the way to disk, given to the media store.

import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { downloadRefusals } from '../driver/media-network.ts'
import type { NetworkOutcome } from '../driver/network-outcome.ts'
import { crashIfArmed } from '../process/crash-points.ts'
import type { Session } from '../sessions/host-session.ts'
import { storeReupload } from '../sessions/reuploaded-files.ts'
import { findStoredTwin, forgetMediaKey, type MediaRow } from '../store/media-rows.ts'
import { createSealStream, FILE_KEY_BYTES } from '../stored-media/file-sealing.ts'
import { syncPath } from '../stored-media/media-store.ts'
import type { StoredMedia } from '../stored-media/stored-media.ts'

/** The file is in the local folder, sealed with this key, which is sealed itself. */
export interface SealedFile {
  key: Uint8Array<ArrayBuffer>
  bytes: number
}

/** `stored`: in the media store. `retry`: later, without another download if there is a `file`. `hopeless`: never. */
export type Attempt =
  /** `shared`: another message of the instance had it stored. */
  | { kind: 'stored'; file: SealedFile; shared: boolean }
  | { kind: 'retry'; error: unknown; file?: SealedFile }
  /** `unknown_sender`: senders that the account does not know have had their share of the hour. */
  | { kind: 'hopeless'; reason: 'too_large' | 'lost' | 'unknown_sender' }

class FileTooLarge extends Error {}

/** Refusals of the network that say nothing about the file. */
const TRANSIENT_CODES = [downloadRefusals.phoneUnresponsive, 429]

/** `countBytes` is called with the plain bytes that the network returns, also of a file that then fails. */
export async function storeMedia(
  media: StoredMedia,
  session: Session,
  row: MediaRow,
  { signal, countBytes }: { signal: AbortSignal; countBytes: (bytes: number) => void },
): Promise<Attempt> {
  let file: SealedFile | undefined
  try {
    const twin = await findStoredTwin(media.store, row.name)
    // A folder may be that of another host, which had the instance before.
    if (twin && (await media.files.hasFile(row.name, signal)))
      return { kind: 'stored', file: twin, shared: true }
    file = await findIncoming(media, row)
    if (!file) {
      // Later attempts must not take the new bytes for those of this key.
      if (row.key) await media.store.commitFor(row.instance, [forgetMediaKey(row)])
      const download = await fetchFile(session, row, signal)
      if (download.kind === 'refused' && !TRANSIENT_CODES.includes(download.code))
        return { kind: 'hopeless', reason: 'lost' }
      if (download.kind !== 'done') return { kind: 'retry', error: new Error(download.message) }
      file = await sealToFolder(media, row, download.value, { signal, countBytes })
    }
    crashIfArmed('before-media-stored')
    const path = media.folder.findIncoming(row.name)
    await media.files.storeFile(row.name, path, signal)
    await rm(path, { force: true })
    crashIfArmed('after-media-stored')
    return { kind: 'stored', file, shared: false }
  } catch (error) {
    if (error instanceof FileTooLarge) return { kind: 'hopeless', reason: 'too_large' }
    return { kind: 'retry', error, ...(file && { file }) }
  }
}

async function findIncoming({ folder }: StoredMedia, { name, key, bytes }: MediaRow) {
  if (!key) return undefined
  const found = await stat(folder.findIncoming(name)).catch(() => undefined)
  return found?.size === bytes ? { key, bytes } : undefined
}

/** The plain file from the network. Refused if the message was deleted meanwhile. */
async function fetchFile(
  { network, intake }: Session,
  { messageid }: MediaRow,
  signal: AbortSignal,
): Promise<NetworkOutcome<Readable>> {
  const row = await intake.findMessage(messageid)
  if (!row?.encoded)
    return { kind: 'refused', code: downloadRefusals.noFile, message: 'the message has no file any more' }
  if (!network) return { kind: 'unknown', message: 'the instance is not connected' }
  const found = await network.media.download(row.encoded, row.record, signal)
  if (found.kind !== 'done') return found
  const { file, reuploaded } = found.value
  if (reuploaded) await storeReupload(intake, row, reuploaded)
  return { kind: 'done', value: file }
}

/** On disk when it resolves; what a failure leaves is deleted. */
async function sealToFolder(
  media: StoredMedia,
  { name }: MediaRow,
  file: Readable,
  { signal, countBytes }: { signal: AbortSignal; countBytes: (bytes: number) => void },
) {
  const path = await media.folder.prepareIncoming(name)
  const key = new Uint8Array(randomBytes(FILE_KEY_BYTES))
  const target = createWriteStream(path, { mode: 0o600 })
  try {
    await pipeline(file, createSizeLimit(media.maxFileBytes, countBytes), createSealStream(key), target, {
      signal,
    })
    await syncPath(path)
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
  return { key: await media.sealKey(name, key), bytes: target.bytesWritten }
}

function createSizeLimit(maxBytes: number, countBytes: (bytes: number) => void): Transform {
  let length = 0
  return new Transform({
    transform(chunk: Buffer, _, done) {
      countBytes(chunk.length)
      length += chunk.length
      if (length > maxBytes) done(new FileTooLarge(`the file has over ${maxBytes} bytes`))
      else done(null, chunk)
    },
  })
}
