// The keeper fetches the files of received messages and stores them: a few at a time, again with backoff, oldest out when space is short.

import { Coalescer } from '@msgnet/shared/coalescer.ts'
import { HOUR, MINUTE, SECOND } from '@msgnet/shared/date-time.ts'
import { measureDiskSpace } from '@msgnet/shared/node/data-folder-metrics.ts'
import { mayAdd } from '../media/media-shares.ts'
import type { Log } from '../process/host-log.ts'
import type { Cancel, Clock } from '../process/machine-clock.ts'
import type { Session } from '../sessions/host-session.ts'
import type { Sessions } from '../sessions/host-sessions.ts'
import { FencedError } from '../store/fenced-store.ts'
import {
  endMedia,
  endMediaFile,
  type FreeInstance,
  findMediaRow,
  findSoonestMedia,
  listDueMedia,
  listWaitingMessages,
  type MediaRow,
  markMediaFailed,
  markMediaStored,
  readLocalBytes,
  readMediaTotals,
  sumBytes,
} from '../store/media-rows.ts'
import type { StoredMedia } from '../stored-media/stored-media.ts'
import { FetchTurns } from './fetch-turns.ts'
import type { MediaMetrics } from './media-metrics.ts'
import { type Attempt, storeMedia } from './store-media.ts'
import { deleteEndedMedia, deleteOrphans, endExcessMedia } from './sweep-media.ts'

/** One attempt: a slow store or network must not take a place for ever. */
const ATTEMPT_MS = 5 * MINUTE
const RETRY = { firstMs: 2 * SECOND, maxMs: 10 * MINUTE }
/** Instances connect again, and places become free: rows that are due are looked at again after this long. */
const MAX_PAUSE_MS = 2 * SECOND
/** So many bytes may wait for the bucket, of all instances. */
const MAX_LOCAL_BYTES = 1024 ** 3
/** Messages that get the link of one file in one commit. */
const MAX_MESSAGES_AT_ONCE = 100
const SWEEP = { firstMs: MINUTE, everyMs: HOUR }

interface KeeperParts {
  media: StoredMedia
  sessions: Sessions
  dataDir: string
  totalBytes: number
  strangersBytesPerHour: number
  minFreeBytes: number
  metrics: MediaMetrics
  clock: Clock
  log: Log
}

export class MediaKeeper {
  readonly #parts: KeeperParts
  /** By the name of the file. */
  readonly #active = new Map<string, Promise<void>>()
  readonly turns: FetchTurns
  readonly #pump = new Coalescer(() => this.#startDue())
  readonly #deletion = new Coalescer(() => this.#deleteEnded())
  readonly #stopping = new AbortController()
  readonly #cancelSweeps: Cancel[]
  #cancelTimer: Cancel = () => undefined
  /** Of the stored files; undefined until they are counted. */
  #storedBytes: number | undefined

  constructor(parts: KeeperParts) {
    this.#parts = parts
    const { clock, media } = parts
    this.turns = new FetchTurns(parts.strangersBytesPerHour, () => clock.now())
    media.onAdded(() => this.wake())
    media.onEnded(() => void this.#deletion.run())
    const sweep = () => void this.sweep()
    this.#cancelSweeps = [clock.runAfter(SWEEP.firstMs, sweep), clock.runEvery(SWEEP.everyMs, sweep)]
    this.wake()
  }

  /** Looks for files to fetch. */
  wake(): void {
    if (!this.#parts.media.isOn || this.#stopping.signal.aborted) return
    this.#pump.run().catch((error) => {
      this.#parts.log.error({ error }, 'failed to look for files to keep')
      this.#setTimer(MAX_PAUSE_MS)
    })
  }

  /** Deletes what has ended, the oldest files beyond the total, and local files without a row. */
  async sweep(): Promise<void> {
    const { media, log } = this.#parts
    this.#storedBytes = undefined
    await this.#deletion.run()
    await deleteOrphans(media, this.#stopping.signal).catch((error) => {
      if (!this.#stopping.signal.aborted) log.error({ error }, 'failed to delete files without a row')
    })
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#cancelTimer()
    for (const cancel of this.#cancelSweeps) cancel()
    await Promise.all(this.#active.values())
  }

  async #startDue(): Promise<void> {
    const { media, sessions } = this.#parts
    const listFree = await this.#measureRoom()
    while (!this.#stopping.signal.aborted) {
      const due = await listDueMedia(media.store, this.#now(), {
        free: listFree(),
        active: this.#listActive(),
      })
      const next = this.turns.places.findNextOwner(due.map(({ instance }) => instance))
      const found = due.find(({ instance }) => instance === next)
      const row = found && (await findMediaRow(media.store, found.instance, found.messageid))
      const session = row && sessions.findSession(row.instance)
      if (!row || !session) break
      this.#active.set(row.name, this.#runAttempt(row, session))
    }
    const soonest = await findSoonestMedia(media.store)
    const ms = (soonest ?? 0) - this.#now()
    // Of what is due now, the instance is not connected or has enough to do.
    if (soonest !== undefined) this.#setTimer(ms > 0 ? Math.min(ms, MAX_PAUSE_MS) : MAX_PAUSE_MS)
  }

  /** In milliseconds since the epoch, by the clock of the timers. */
  #now(): number {
    return Math.round(performance.timeOrigin + this.#parts.clock.now())
  }

  #setTimer(ms: number): void {
    this.#cancelTimer()
    if (!this.#stopping.signal.aborted) this.#cancelTimer = this.#parts.clock.runAfter(ms, () => this.wake())
  }

  #listActive(): string[] {
    return [...this.#active.keys()]
  }

  /** Looks how much room the disk has; the returned function lists the instances that have a place now. */
  async #measureRoom(): Promise<() => FreeInstance[]> {
    const { media, sessions, dataDir, minFreeBytes } = this.#parts
    const [localBytes, { freeBytes }] = await Promise.all([
      readLocalBytes(media.store),
      measureDiskSpace(dataDir),
    ])
    const totalBytes = sumBytes(localBytes)
    return () =>
      sessions
        .listSessions()
        .filter(({ instance }) => this.turns.hasPlace(instance))
        .map(({ instance, status }) => {
          const hasRoom = mayAdd(localBytes.get(instance) ?? 0, totalBytes, MAX_LOCAL_BYTES)
          const mayFetch = status === 'connected' && freeBytes > minFreeBytes && hasRoom
          return {
            instance,
            mayFetch,
            mayFetchOfStrangers: mayFetch && this.turns.hasStrangersPlace(instance),
          }
        })
  }

  async #runAttempt(row: MediaRow, session: Session): Promise<void> {
    const { media, clock, log } = this.#parts
    const turn = this.turns.takeTurn({ instance: row.instance, isStrangers: row.stranger && !row.key })
    const ending = new AbortController()
    const cancel = clock.runAfter(ATTEMPT_MS, () => ending.abort())
    let fetched = 0
    const countBytes = (bytes: number) => {
      fetched += bytes
    }
    const release = () => {
      this.#active.delete(row.name)
      turn.end(fetched)
      this.wake()
    }
    try {
      const signal = AbortSignal.any([ending.signal, this.#stopping.signal])
      const attempt: Attempt = turn.isOverLimit
        ? { kind: 'hopeless', reason: 'unknown_sender' }
        : await storeMedia(media, session, row, { signal, countBytes })
      const isRecorded = !this.#stopping.signal.aborted || attempt.kind === 'stored'
      const hasEnded = isRecorded && (await this.#recordAttempt(row, session, attempt))
      release()
      // It was not deleted while it was in use.
      if (hasEnded) void this.#deletion.run()
    } catch (error) {
      // The row is as it was: at once it would be tried again without end.
      clock.runAfter(MAX_PAUSE_MS, release)
      // Another host has the instance now, and its rows.
      if (!(error instanceof FencedError))
        log.error({ instance: row.instance, messageid: row.messageid, error }, 'failed to record stored file')
    } finally {
      cancel()
      // A file that was not read to its end is not waited for.
      ending.abort()
    }
  }

  /** Returns whether all messages with a file that is stored now were deleted meanwhile. */
  async #recordAttempt(row: MediaRow, session: Session, attempt: Attempt): Promise<boolean> {
    const { media, metrics, log } = this.#parts
    const { instance, messageid } = row
    if (attempt.kind === 'stored') return this.#recordStored(row, session, attempt)
    if (attempt.kind === 'hopeless') {
      // Another message with a lost file may still lead to it: its phone has it, or its sender is known.
      const end = attempt.reason === 'too_large' ? endMediaFile(row.name) : endMedia(instance, messageid)
      await session.intake.recordFile([messageid], false, [end])
      metrics.countFile(attempt.reason)
      log.warn({ instance, messageid, reason: attempt.reason }, 'file is not kept')
      return false
    }
    metrics.countFile('failed')
    const ms = Math.min(RETRY.firstMs * 2 ** Math.min(row.attempts, 20), RETRY.maxMs)
    const nextAt = this.#now() + ms * (0.5 + Math.random() / 2)
    const { file } = attempt
    log.warn({ instance, messageid, attempt: row.attempts + 1, error: attempt.error }, 'failed to store file')
    await media.store.commitFor(instance, [
      markMediaFailed(
        { name: row.name, key: file?.key ?? null, bytes: file?.bytes ?? 0 },
        Math.round(nextAt),
      ),
    ])
    return false
  }

  /** For all messages that wait for this file; those that come meanwhile find it stored. */
  async #recordStored(
    row: MediaRow,
    { intake }: Session,
    { file, shared }: Extract<Attempt, { kind: 'stored' }>,
  ): Promise<boolean> {
    const { media, metrics, log } = this.#parts
    const { instance, messageid, name } = row
    const messageids = await listWaitingMessages(media.store, name, MAX_MESSAGES_AT_ONCE)
    await intake.recordFile(messageids, true, markMediaStored(row, messageids, file))
    for (const one of messageids) metrics.countFile(shared || one !== messageids[0] ? 'shared' : 'stored')
    log.info({ instance, messageid, bytes: file.bytes, messages: messageids.length, shared }, 'file stored')
    if (!shared) {
      if (this.#storedBytes !== undefined) this.#storedBytes += file.bytes
      await this.#limitTotal()
    }
    return messageids.length === 0
  }

  async #limitTotal(): Promise<void> {
    const { media, totalBytes } = this.#parts
    this.#storedBytes ??= (await readMediaTotals(media.store)).bytes
    if (this.#storedBytes <= totalBytes) return
    await endExcessMedia(media.store, totalBytes)
    this.#storedBytes = undefined
    void this.#deletion.run()
  }

  async #deleteEnded(): Promise<void> {
    const { media, log } = this.#parts
    try {
      await this.#limitTotal()
      await deleteEndedMedia(media, () => this.#listActive(), this.#stopping.signal)
    } catch (error) {
      if (!this.#stopping.signal.aborted) log.error({ error }, 'failed to delete old files')
    }
  }
}
