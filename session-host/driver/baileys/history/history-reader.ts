// The history that the phone sends after linking: downloads each chunk from the media hosts, stores the ids and names of people in it,
// and reports its messages where they were asked for.

import { setTimeout as wait } from 'node:timers/promises'
import type { HistoryMode } from '@msgnet/shared/contract/history.ts'
import { MINUTE, SECOND } from '@msgnet/shared/date-time.ts'
import { FairTurns } from '@msgnet/shared/fair-turns.ts'
import { getHistoryMsg, proto, type WAMessage, type WASocket } from 'baileys'
import type { Log } from '../../../process/host-log.ts'
import { createMutex } from '../../../process/mutex.ts'
import type { ConnectionEvents, HistoryChunk } from '../../driver.ts'
import type { MediaHosts } from '../messages/media-hosts.ts'
import { readHistoryMessages } from './chunk-messages.ts'
import { type HistoryRecord, readHistoryRecords } from './chunk-records.ts'
import { fetchHistory, Interrupted, inflate, waitUntilStored } from './history-file.ts'
import { PastMessages } from './past-messages.ts'
import { storeHistoryRecords } from './store-history.ts'

const { INITIAL_BOOTSTRAP, RECENT, FULL, PUSH_NAME, ON_DEMAND } = proto.HistorySync.HistorySyncType
const READ_TYPES: readonly unknown[] = [INITIAL_BOOTSTRAP, RECENT, FULL, PUSH_NAME, ON_DEMAND]

/** The chunks whose messages each choice takes. A requested one is taken by all. */
const KINDS = new Map<unknown, HistoryChunk['kind']>([
  [INITIAL_BOOTSTRAP, 'first'],
  [RECENT, 'recent'],
  [FULL, 'full'],
  [ON_DEMAND, 'requested'],
])
const TAKEN: Record<HistoryMode, readonly HistoryChunk['kind'][]> = {
  none: ['requested'],
  recent: ['first', 'recent', 'requested'],
  full: ['first', 'recent', 'full', 'requested'],
}

/** For its download, and as long again to inflate it. */
export const CHUNK_MS = 60 * SECOND
/** Before a chunk that was interrupted is read again: the first pause, each later one twice as long, and the longest. */
export const PAUSE_MS = { first: 2 * SECOND, max: 10 * MINUTE }
/** Compressed, and so in memory. Inflated it may have the 64 MiB of `bounded-inflating`, of which little is in memory at a time. */
const MAX_CHUNK_BYTES = 32 * 1024 * 1024
/** Chunks that are read at the same time, by all sessions of the process: for their people, and for their messages too. */
const MAX_CONCURRENT = 3
const MAX_MESSAGE_CHUNKS = 2
/** A session reads its chunks in order, so one of each waits. */
const UNLIMITED_QUEUE = {
  maxUnderWayOfOne: 1,
  maxWaiting: Number.POSITIVE_INFINITY,
  maxWaitingOfOne: Number.POSITIVE_INFINITY,
}

/** Bounds how much of all histories is read at a time: in turns by instance, so that a chunk that does not end holds up one place only. */
export const createHistoryTurns = () => ({
  people: new FairTurns({ ...UNLIMITED_QUEUE, maxUnderWay: MAX_CONCURRENT }),
  messages: new FairTurns({ ...UNLIMITED_QUEUE, maxUnderWay: MAX_MESSAGE_CHUNKS }),
  shared: new FairTurns({ ...UNLIMITED_QUEUE, maxUnderWay: 1 }),
})
export type HistoryTurns = ReturnType<typeof createHistoryTurns>

interface Deps {
  sock: WASocket
  media: Pick<MediaHosts, 'downloadFile'>
  events: Pick<ConnectionEvents, 'onPeopleNamed' | 'onSettings' | 'onHistoryPage' | 'onHistoryChunk'>
  /** What of the history is stored. */
  mode: HistoryMode
  instance: string
  turns: HistoryTurns
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

  /**
   * Resolves to true when nothing more can be learned from the chunk, and to false when a later connection should read it. One that is
   * interrupted is read again, and those after it wait: the last one says that the history is complete.
   */
  async readChunk({ message }: WAMessage): Promise<boolean> {
    const chunk = message && getHistoryMsg(message)
    if (!chunk || !READ_TYPES.includes(chunk.syncType)) return true
    return this.#runInOrder(() => this.#processUntilRead(chunk))
  }

  stop(): void {
    this.#ending.abort()
  }

  async #processUntilRead(chunk: proto.Message.IHistorySyncNotification): Promise<boolean> {
    const { instance, turns, log } = this.#deps
    const { signal } = this.#ending
    const work = this.#findTaken(chunk) ? turns.messages : turns.people
    for (let pause = PAUSE_MS.first; ; pause = Math.min(2 * pause, PAUSE_MS.max)) {
      try {
        await work.runTimed(instance, () => this.#processChunk(chunk), signal)
        return true
      } catch (error) {
        if (signal.aborted) return false
        log.warn({ ...describeChunk(chunk), error }, 'failed to read history chunk')
        if (!(error instanceof Interrupted)) return true
      }
      await wait(pause, undefined, { signal, ref: false }).catch(() => undefined)
      if (signal.aborted) return false
    }
  }

  async #processChunk(chunk: proto.Message.IHistorySyncNotification): Promise<void> {
    const { sock, media, events, log } = this.#deps
    const { signal } = this.#ending
    signal.throwIfAborted()
    const startDeadline = () => AbortSignal.any([signal, AbortSignal.timeout(CHUNK_MS)])
    // All of it, because only the end of a file says whether it is the one that the phone has sent.
    const compressed = chunk.initialHistBootstrapInlinePayload?.length
      ? [Buffer.from(chunk.initialHistBootstrapInlinePayload)]
      : await (await fetchHistory(media, chunk, 'md-msg-hist', MAX_CHUNK_BYTES, startDeadline())).toArray()
    const records = await readHistoryRecords(inflate(compressed, startDeadline()))
    const { names, timers, ...counts } = await storeHistoryRecords(sock, records)
    signal.throwIfAborted()
    if (names.length > 0) events.onPeopleNamed(names)
    if (timers.length > 0) events.onSettings(timers)
    const taken = this.#findTaken(chunk)
    const read = taken ? await this.#reportMessages(taken, compressed, records) : {}
    log.info({ ...describeChunk(chunk), ...counts, names: names.length, ...read }, 'history chunk read')
  }

  /** Undefined for a chunk whose messages were not asked for. */
  #findTaken({ syncType, chunkOrder, progress }: proto.Message.IHistorySyncNotification) {
    const kind = KINDS.get(syncType)
    if (!kind || !TAKEN[this.#deps.mode].includes(kind)) return undefined
    return { kind, chunk: chunkOrder ?? 0, progress: Math.min(progress ?? 0, 100) }
  }

  /** Without a deadline: how fast they are taken is decided by who takes them. */
  async #reportMessages(chunk: HistoryChunk, compressed: Buffer[], records: HistoryRecord[]) {
    const { sock, events } = this.#deps
    const { signal } = this.#ending
    const past = new PastMessages(sock, records)
    let messages = 0
    const { skipped } = await readHistoryMessages(inflate(compressed, signal), async (some) => {
      signal.throwIfAborted()
      const page = await past.convert(some)
      messages += page.length
      if (page.length > 0) await waitUntilStored(events.onHistoryPage({ ...chunk, messages: page }))
    })
    signal.throwIfAborted()
    await waitUntilStored(events.onHistoryChunk(chunk))
    return { messages, skipped }
  }
}

const describeChunk = ({ syncType, chunkOrder, progress }: proto.Message.IHistorySyncNotification) => ({
  type: proto.HistorySync.HistorySyncType[syncType ?? -1],
  chunkOrder,
  progress,
})
