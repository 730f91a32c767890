// Fencing: only the host that holds an instance writes for it. In a shared store every batch checks that itself.

import { type InValue, LibsqlError } from '@libsql/client'
import type { PreparedQuery, Statement } from '@msgnet/shared/db/prepared-queries.ts'
import type { Lease } from '../process/lease.ts'
import { type DeferredWrite, DeferredWrites } from './deferred-writes.ts'
import { type Row, type Store, statement } from './host-store.ts'

/** A cleanup waits at most this long for a commit to join. A killed process loses it, and it is done again. */
const CLEANUP_DELAY_MS = 250

/** A cleanup that waits for the next commit. */
interface Cleanup {
  buildStatements(): Statement[]
  done: PromiseWithResolvers<void>
}

/** Why this host writes nothing for an instance. */
export type Fence = 'deleted' | 'held elsewhere' | 'no lease'

/** This host does not hold the instance now: nothing was written. */
export class FencedError extends Error {
  readonly fence: Fence

  constructor(instance: string, fence: Fence) {
    super(`nothing is written for ${instance}: ${fence}`)
    this.fence = fence
  }
}

/** Deleted instances that are remembered, for the requests that were under way then. */
const MAX_DELETED = 10_000

/** The table is always empty: inserting a row with 0 violates its only constraint, which fails the whole batch. */
const GUARD = `INSERT INTO fence (held) SELECT 0 WHERE NOT EXISTS
  (SELECT 1 FROM sessions WHERE instance = ? AND epoch = ? AND holder = ?)`

const NEWER = `INSERT INTO fence (held) SELECT 0 WHERE EXISTS
  (SELECT 1 FROM sessions WHERE instance = ? AND epoch > ?)`

const isFenceError = (error: unknown) =>
  error instanceof LibsqlError && /fence|CHECK constraint/.test(error.message)

export class FencedStore implements Store {
  /** The name of this host in the store: its sessions and its reports have it. */
  readonly holder: string
  readonly #store: Store
  readonly #lease: Pick<Lease, 'runs'>
  readonly #epochs = new Map<string, number>()
  /** The epochs of instances that this process has deleted. */
  readonly #deleted = new Map<string, number>()
  readonly #listeners: ((instance: string) => void)[] = []
  readonly #cleanups = new Map<string, Cleanup>()
  readonly #deferred = new DeferredWrites()
  #timer: NodeJS.Timeout | undefined
  #cleanupCount = 0

  constructor(store: Store, lease: Pick<Lease, 'runs'>, holder: string) {
    this.#store = store
    this.#lease = lease
    this.holder = holder
  }

  get db() {
    return this.#store.db
  }

  get fault() {
    return this.#store.fault
  }

  get writeStats() {
    return this.#store.writeStats
  }

  get id() {
    return this.#store.id
  }

  get shared() {
    return this.#store.shared
  }

  get file() {
    return this.#store.file
  }

  read<Rows>(query: PreparedQuery<Rows>, values: object): Promise<Rows> {
    return this.#store.read(query, values)
  }

  rows(sql: string, ...params: InValue[]): Promise<Row[]> {
    return this.#store.rows(sql, ...params)
  }

  get heavyReads() {
    return this.#store.heavyReads
  }

  close(): void | Promise<void> {
    return this.#store.close()
  }

  /** For an instance that this host held before a restart: its batches are written under this epoch. */
  setEpoch(instance: string, epoch: number): void {
    this.#epochs.set(instance, epoch)
  }

  stopWriting(instance: string): void {
    this.#epochs.delete(instance)
    this.#rejectDeferred(instance)
  }

  /** The last commit for an instance: what comes behind it is not written, unless it fails. */
  async endWriting(instance: string, statements: Statement[], how: { deletes: boolean }): Promise<void> {
    const epoch = this.#epochs.get(instance)
    const written = this.commitFor(instance, statements)
    if (epoch === undefined) return written
    this.#epochs.delete(instance)
    if (how.deletes) this.#addDeleted(instance, epoch)
    try {
      await written
    } catch (error) {
      this.#deleted.delete(instance)
      if (!(error instanceof FencedError) && !this.#epochs.has(instance)) this.#epochs.set(instance, epoch)
      throw error
    }
  }

  /** Whether this process has deleted it, under this assignment or a later one. */
  hasDeleted(instance: string, epoch = 0): boolean {
    return (this.#deleted.get(instance) ?? -1) >= epoch
  }

  /** Undefined while this host may write for the instance. */
  findFence(instance: string): Fence | undefined {
    if (this.#epochs.has(instance)) return this.#lease.runs ? undefined : 'no lease'
    return this.#deleted.has(instance) ? 'deleted' : 'held elsewhere'
  }

  requireHeld(instance: string): void {
    const fence = this.findFence(instance)
    if (fence) throw new FencedError(instance, fence)
  }

  /** Adds a listener that is called when a batch finds that another host holds the instance. */
  onTakenOver(listener: (instance: string) => void): void {
    this.#listeners.push(listener)
  }

  /** Takes the instance over with these statements. Returns false if another host has it under a newer epoch. */
  async claimInstance(instance: string, epoch: number, statements: Statement[]): Promise<boolean> {
    if (!this.#lease.runs) throw new FencedError(instance, 'no lease')
    try {
      await this.#store.commit([statement(NEWER, instance, epoch), ...statements])
    } catch (error) {
      if (isFenceError(error)) return false
      throw error
    }
    this.#epochs.set(instance, epoch)
    return true
  }

  async commit(statements: Statement[]): Promise<void> {
    if (!this.#lease.runs) throw new FencedError('this host', 'no lease')
    return this.#commitAll(statements)
  }

  async commitFor(instance: string, statements: Statement[]): Promise<void> {
    const epoch = this.#epochs.get(instance)
    if (epoch === undefined || !this.#lease.runs) throw this.#rejectDeferred(instance)
    if (!this.shared) {
      // Deferred writes are never skipped: if they are refused, this fails too.
      const deferred = this.#deferred.writeAll(instance, (some) => this.#store.commit(some))
      await Promise.all([deferred, this.#commitAll(statements)])
      return
    }
    try {
      await this.#commitAll([statement(GUARD, instance, epoch, this.holder), ...statements])
    } catch (error) {
      if (isFenceError(error)) this.#handleTakenOver(instance)
      throw error
    }
  }

  /**
   * For a cleanup: joins the next commit, or runs alone after a while. Resolves when it is done. If the process dies first,
   * it is done again later. It replaces a waiting cleanup of the same name: `buildStatements`, called when it is written,
   * has to include that one's.
   */
  scheduleCleanup(name: string, buildStatements: () => Statement[]): Promise<void> {
    // In a shared store another host may take over before a cleanup is done, so it is written at once.
    if (this.shared) return this.#store.commit(buildStatements())
    const done = this.#cleanups.get(name)?.done ?? Promise.withResolvers<void>()
    this.#cleanups.set(name, { buildStatements, done })
    this.#timer ??= setTimeout(() => this.runCleanups(), CLEANUP_DELAY_MS).unref()
    return done.promise
  }

  cleanUpFor(instance: string, buildStatements: () => Statement[]): Promise<void> {
    if (this.shared) return this.commitFor(instance, buildStatements())
    this.#cleanupCount += 1
    return this.scheduleCleanup(`cleanup ${this.#cleanupCount}`, buildStatements)
  }

  /** Runs the waiting cleanups now. Resolves when they are done or have failed. */
  async runCleanups(): Promise<void> {
    const waiting = [...this.#cleanups]
    this.#cleanups.clear()
    clearTimeout(this.#timer)
    this.#timer = undefined
    const ends = waiting.map(([name, cleanup]) =>
      this.#store.commit(cleanup.buildStatements()).then(cleanup.done.resolve, () => {
        // A failed cleanup is tried again later.
        const newer = this.#cleanups.get(name)
        if (newer) void newer.done.promise.then(cleanup.done.resolve)
        else this.#cleanups.set(name, cleanup)
      }),
    )
    await Promise.all(ends)
  }

  /**
   * Joins the next commit for the instance, in the same transaction; if it fails, that commit fails too. To a shared
   * store it is written at once.
   */
  async deferWrite(instance: string, statements: Statement[]): Promise<DeferredWrite> {
    if (!this.shared) return this.#deferred.addWrite(instance, statements)
    await this.commitFor(instance, statements)
    return { written: Promise.resolve() }
  }

  /** On disk before the next frame of the instance. */
  writeBeforeFrame(instance: string, statements: Statement[]): DeferredWrite {
    if (!this.shared) return this.#deferred.addWrite(instance, statements)
    return this.#deferred.addRunning(instance, statements, this.commitFor(instance, statements))
  }

  /** Writes the deferred statements of the instance now; undefined if there are none. */
  writeDeferred(instance: string): Promise<void> | undefined {
    if (!this.#deferred.hasWrites(instance)) return undefined
    return this.shared ? this.#deferred.waitForRunning(instance) : this.commitFor(instance, [])
  }

  /** The same for its socket. Rejects, once, if a deferred write has failed since the last call. */
  flushBeforeFrame(instance: string): Promise<void> | undefined {
    const error = this.#deferred.takeError(instance)
    return error ? Promise.reject(error) : this.writeDeferred(instance)
  }

  /** Commits the waiting cleanups too: in the same transaction, unless one of them is refused, which does not affect the others. */
  async #commitAll(statements: Statement[]): Promise<void> {
    if (statements.length > 0) void this.runCleanups()
    await this.#store.commit(statements)
  }

  #addDeleted(instance: string, epoch: number): void {
    this.#deleted.set(instance, epoch)
    const [oldest] = this.#deleted.keys()
    if (oldest !== undefined && this.#deleted.size > MAX_DELETED) this.#deleted.delete(oldest)
  }

  #rejectDeferred(instance: string): FencedError {
    const error = new FencedError(instance, this.findFence(instance) ?? 'no lease')
    this.#deferred.rejectAll(instance, error)
    return error
  }

  #handleTakenOver(instance: string): never {
    this.#epochs.delete(instance)
    for (const listener of this.#listeners) listener(instance)
    throw new FencedError(instance, 'held elsewhere')
  }
}
