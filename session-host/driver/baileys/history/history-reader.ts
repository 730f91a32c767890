// The history that the phone sends after linking: downloads each chunk from the media hosts, and stores the ids and names of people in it.

import { pipeline, Readable } from 'node:stream'
import { createInflate } from 'node:zlib'
import { getHistoryMsg, getMediaKeys, proto, type WAMessage, type WASocket } from 'baileys'
import { SECOND } from '../../../../shared/date-time.ts'
import type { Log } from '../../../host-log.ts'
import { createMutex } from '../../../mutex.ts'
import type { ConnectionEvents } from '../../driver.ts'
import { createDecryptStream } from '../messages/file-decryption.ts'
import type { MediaHosts } from '../messages/media-hosts.ts'
import { readHistoryRecords } from './chunk-records.ts'
import { storeHistoryRecords } from './store-history.ts'

const { INITIAL_BOOTSTRAP, RECENT, FULL, PUSH_NAME, ON_DEMAND } = proto.HistorySync.HistorySyncType
const READ_TYPES: readonly unknown[] = [INITIAL_BOOTSTRAP, RECENT, FULL, PUSH_NAME, ON_DEMAND]

const CHUNK_MS = 60 * SECOND
/** Encrypted and compressed. Inflated it may have the 64 MiB of `bounded-inflating`, of which little is in memory at a time. */
const MAX_CHUNK_BYTES = 32 * 1024 * 1024
/** Chunks that are read at the same time, by all sessions of the process. */
const MAX_CONCURRENT = 3

/** The chunk is read by a later connection, which may reach the media hosts. */
class UnreachableHosts extends Error {}

export type HistoryQueue = <Result>(work: () => Promise<Result>) => Promise<Result>

/** Bounds how much of all histories is read at a time. */
export function createHistoryQueue(): HistoryQueue {
  const mutexes = Array.from({ length: MAX_CONCURRENT }, createMutex)
  let next = 0
  return (work) => {
    next = (next + 1) % MAX_CONCURRENT
    return (mutexes[next] ?? createMutex())(work)
  }
}

interface Deps {
  sock: WASocket
  media: Pick<MediaHosts, 'downloadFile'>
  events: Pick<ConnectionEvents, 'onPeopleNamed'>
  queue: HistoryQueue
  log: Log
}

export class HistoryReader {
  readonly #deps: Deps
  readonly #ending = new AbortController()
  readonly #runInOrder = createMutex()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Whether the message announces a chunk. Only the account's own phone may send one. */
  isChunk({ key, message }: WAMessage): boolean {
    return key.fromMe === true && Boolean(message && getHistoryMsg(message))
  }

  /** Resolves to true when nothing more can be learned from the chunk, and to false when a later connection should read it. */
  async readChunk({ message }: WAMessage): Promise<boolean> {
    const { queue, log } = this.#deps
    const chunk = message && getHistoryMsg(message)
    if (!chunk || !READ_TYPES.includes(chunk.syncType)) return true
    try {
      await this.#runInOrder(() => queue(() => this.#processChunk(chunk)))
      return true
    } catch (error) {
      if (this.#ending.signal.aborted) return false
      log.warn({ ...describeChunk(chunk), error }, 'failed to read history chunk')
      return !(error instanceof UnreachableHosts)
    }
  }

  stop(): void {
    this.#ending.abort()
  }

  async #processChunk(chunk: proto.Message.IHistorySyncNotification): Promise<void> {
    const { sock, media, events, log } = this.#deps
    const { signal } = this.#ending
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(CHUNK_MS)])
    const compressed = chunk.initialHistBootstrapInlinePayload?.length
      ? Readable.from([chunk.initialHistBootstrapInlinePayload])
      : await fetchChunk(media, chunk, deadline)
    // All of it, because only the end of a file says whether it is the one that the phone has sent.
    const records = await readHistoryRecords(inflate(compressed, deadline))
    const { names, ...counts } = await storeHistoryRecords(sock, records)
    signal.throwIfAborted()
    if (names.length > 0) events.onPeopleNamed(names)
    log.info({ ...describeChunk(chunk), ...counts, names: names.length }, 'history chunk read')
  }
}

const describeChunk = ({ syncType, chunkOrder, progress }: proto.Message.IHistorySyncNotification) => ({
  type: proto.HistorySync.HistorySyncType[syncType ?? -1],
  chunkOrder,
  progress,
})

async function fetchChunk(
  media: Pick<MediaHosts, 'downloadFile'>,
  { directPath, mediaKey, fileSha256, fileEncSha256 }: proto.Message.IHistorySyncNotification,
  deadline: AbortSignal,
): Promise<Readable> {
  if (!directPath || !mediaKey?.length) throw new Error('the chunk does not say where it is')
  const encryptedSha256 = fileEncSha256 ?? new Uint8Array()
  const outcome = await media.downloadFile({ directPath, encryptedSha256, type: 'md-msg-hist' }, deadline)
  if (outcome.kind === 'unknown') throw new UnreachableHosts(outcome.message)
  if (outcome.kind !== 'done') throw new Error(outcome.message)
  const { iv, cipherKey, macKey } = await getMediaKeys(mediaKey, 'md-msg-hist')
  const keys = { iv: Buffer.from(iv), cipherKey: Buffer.from(cipherKey), macKey: Buffer.from(macKey ?? []) }
  const opening = createDecryptStream({ ...keys, sha256: fileSha256 ?? new Uint8Array() })
  return pipeline(Readable.from(limitBytes(outcome.value, MAX_CHUNK_BYTES)), opening, () => undefined)
}

async function* limitBytes(source: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const piece of source) {
    bytes += piece.length
    if (bytes > maxBytes) throw new Error('the chunk is too large')
    yield piece
  }
}

/** Errors of the source appear in the returned stream. */
function inflate(compressed: Readable, deadline: AbortSignal): Readable {
  const inflating = createInflate()
  deadline.addEventListener('abort', () => inflating.destroy(new Error('the chunk took too long')), {
    once: true,
  })
  return pipeline(compressed, inflating, () => undefined)
}
