// The keeper fetches the files of received messages and stores them: a few at a time, again with backoff, oldest out when space is short.

import { Coalescer } from '../../shared/coalescer.ts'
import { HOUR, MINUTE, SECOND } from '../../shared/date-time.ts'
import { measureDiskSpace } from '../../shared/node/data-folder-metrics.ts'
import type { Log } from '../host-log.ts'
import type { Cancel, Clock } from '../machine-clock.ts'
import type { Session } from '../sessions/host-session.ts'
import type { Sessions } from '../sessions/host-sessions.ts'
import { FencedError } from '../store/fenced-store.ts'
import {
  endMedia,
  findDueMedia,
  findSoonestMedia,
  type MediaRow,
  markMediaFailed,
  markMediaStored,
  readLocalBytes,
  readMediaTotals,
} from '../store/media-rows.ts'
import type { MediaMetrics } from './media-metrics.ts'
import { type Attempt, storeMedia } from './store-media.ts'
import type { StoredMedia } from './stored-media.ts'
import { deleteEndedMedia, deleteOrphans, endOldestMedia } from './sweep-media.ts'

/** Files at once. */
const MAX_OF_HOST = 4
const MAX_OF_INSTANCE = 2
/** One attempt: a slow store or network must not take a place for ever. */
const ATTEMPT_MS = 5 * MINUTE
const RETRY = { firstMs: 2 * SECOND, maxMs: 10 * MINUTE }
/** Instances connect again, and places become free: rows that are due are looked at again after this long. */
const MAX_PAUSE_MS = 2 * SECOND
/** Nothing is fetched while so many bytes wait for the bucket. */
const MAX_LOCAL_BYTES = 1024 ** 3
const SWEEP = { firstMs: MINUTE, everyMs: HOUR }

interface KeeperParts {
  media: StoredMedia
  sessions: Sessions
  dataDir: string
  totalBytes: number
  minFreeBytes: number
  metrics: MediaMetrics
  clock: Clock
  log: Log
}

export class MediaKeeper {
  readonly #parts: KeeperParts
  /** By the name of the file. */
  readonly #active = new Map<string, { instance: string; end: Promise<void> }>()
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
    await Promise.all([...this.#active.values()].map(({ end }) => end))
  }

  async #startDue(): Promise<void> {
    const { media } = this.#parts
    while (this.#active.size < MAX_OF_HOST && !this.#stopping.signal.aborted) {
      const row = await findDueMedia(media.store, this.#now(), await this.#listAvailable())
      const session = row && this.#parts.sessions.findSession(row.instance)
      if (!row || !session) break
      this.#active.set(row.name, { instance: row.instance, end: this.#runAttempt(row, session) })
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

  /** The instances of which a file can be fetched now. */
  async #listAvailable() {
    const { media, sessions, dataDir, minFreeBytes } = this.#parts
    const running = Map.groupBy(this.#active.values(), ({ instance }) => instance)
    const free = sessions
      .listSessions()
      .filter(({ instance }) => (running.get(instance)?.length ?? 0) < MAX_OF_INSTANCE)
    const [localBytes, { freeBytes }] = await Promise.all([
      readLocalBytes(media.store),
      measureDiskSpace(dataDir),
    ])
    const hasRoom = localBytes < MAX_LOCAL_BYTES && freeBytes > minFreeBytes
    const connected = hasRoom ? free.filter(({ status }) => status === 'connected') : []
    return {
      active: [...this.#active.keys()],
      connected: connected.map(({ instance }) => instance),
      here: free.map(({ instance }) => instance),
    }
  }

  async #runAttempt(row: MediaRow, session: Session): Promise<void> {
    const { media, clock, log } = this.#parts
    const ending = new AbortController()
    const cancel = clock.runAfter(ATTEMPT_MS, () => ending.abort())
    const release = () => {
      this.#active.delete(row.name)
      this.wake()
    }
    try {
      const signal = AbortSignal.any([ending.signal, this.#stopping.signal])
      const attempt = await storeMedia(media, session, row, signal)
      if (!this.#stopping.signal.aborted || attempt.kind === 'stored')
        await this.#recordAttempt(row, session, attempt)
      release()
    } catch (error) {
      // The row is as it was: at once it would be tried again without end.
      clock.runAfter(MAX_PAUSE_MS, release)
      // Another host has the instance now, and its rows.
      if (!(error instanceof FencedError))
        log.error({ instance: row.instance, messageid: row.messageid, error }, 'failed to record stored file')
    } finally {
      cancel()
    }
  }

  async #recordAttempt(row: MediaRow, { intake }: Session, attempt: Attempt): Promise<void> {
    const { media, metrics, log } = this.#parts
    const { instance, messageid } = row
    if (attempt.kind === 'stored') {
      const { key, bytes } = attempt.file
      await intake.recordFile(messageid, true, [markMediaStored(row, key, bytes)])
      metrics.countFile('stored')
      log.info({ instance, messageid, bytes }, 'file stored')
      if (this.#storedBytes !== undefined) this.#storedBytes += bytes
      return this.#limitTotal()
    }
    if (attempt.kind === 'hopeless') {
      await intake.recordFile(messageid, false, [endMedia(instance, messageid)])
      metrics.countFile(attempt.reason)
      log.warn({ instance, messageid, reason: attempt.reason }, 'file is not kept')
      return
    }
    metrics.countFile('failed')
    const ms = Math.min(RETRY.firstMs * 2 ** Math.min(row.attempts, 20), RETRY.maxMs)
    const nextAt = this.#now() + ms * (0.5 + Math.random() / 2)
    const { file } = attempt
    log.warn({ instance, messageid, attempt: row.attempts + 1, error: attempt.error }, 'failed to store file')
    await media.store.commitFor(instance, [
      markMediaFailed({ ...row, key: file?.key ?? null, bytes: file?.bytes ?? 0 }, Math.round(nextAt)),
    ])
  }

  async #limitTotal(): Promise<void> {
    const { media, totalBytes } = this.#parts
    this.#storedBytes ??= (await readMediaTotals(media.store)).bytes
    if (this.#storedBytes <= totalBytes) return
    await endOldestMedia(media.store, this.#storedBytes - totalBytes)
    this.#storedBytes = undefined
    void this.#deletion.run()
  }

  async #deleteEnded(): Promise<void> {
    const { media, log } = this.#parts
    try {
      await this.#limitTotal()
      await deleteEndedMedia(media, this.#stopping.signal)
    } catch (error) {
      if (!this.#stopping.signal.aborted) log.error({ error }, 'failed to delete old files')
    }
  }
}
