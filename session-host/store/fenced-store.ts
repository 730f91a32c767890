// Fencing: only the host that holds an instance writes for it. In a shared store every batch checks that itself.

import { LibsqlError } from '@libsql/client'
import type { Statement } from '../../shared/db/prepared-queries.ts'
import type { Lease } from '../lease.ts'
import { createDeferredWrites, type DeferredWrite } from './deferred-writes.ts'
import { type Store, statement } from './host-store.ts'

/** A cleanup waits at most this long for a commit to join. A killed process loses it, and it is done again. */
const CLEANUP_DELAY_MS = 250

/** A cleanup that waits for the next commit. */
interface Cleanup {
  buildStatements(): Statement[]
  done: PromiseWithResolvers<void>
}

/** This host does not hold the instance now: nothing was written. */
export class FencedError extends Error {
  constructor(instance: string, why: string) {
    super(`nothing is written for ${instance}: ${why}`)
  }
}

export interface FencedStore extends Store {
  /** The name of this host in the store: its sessions and its reports have it. */
  readonly holder: string
  /** For an instance that this host held before a restart: its batches are written under this epoch. */
  setEpoch(instance: string, epoch: number): void
  /** Takes the instance over with these statements. Answers false if another host has it under a newer epoch. */
  claimInstance(instance: string, epoch: number, statements: Statement[]): Promise<boolean>
  stopWriting(instance: string): void
  /**
   * For a cleanup: joins the next commit, or runs alone after a while. Resolves when it is done. If the process dies first,
   * it is done again later. It replaces a waiting cleanup of the same name: `make`, called when it is written,
   * has to answer everything.
   */
  scheduleCleanup(name: string, buildStatements: () => Statement[]): Promise<void>
  /** Runs the waiting cleanups now. */
  runCleanups(): Promise<void>
  /**
   * Joins the next commit for the instance, in the same transaction; if it fails, that commit fails too. To a shared
   * store it is written at once.
   */
  deferWrite(instance: string, statements: Statement[]): Promise<DeferredWrite>
  /** Writes the deferred statements of the instance now; undefined if there are none. */
  writeDeferred(instance: string): Promise<void> | undefined
  /** The same for its socket. Rejects, once, if a deferred write was lost since the last call. */
  flushBeforeFrame(instance: string): Promise<void> | undefined
  /** Adds a listener that is called when a batch finds that another host holds the instance. */
  onTakenOver(listener: (instance: string) => void): void
}

/** The table is always empty: inserting a row with 0 violates its only constraint, which fails the whole batch. */
const GUARD = `INSERT INTO fence (held) SELECT 0 WHERE NOT EXISTS
  (SELECT 1 FROM sessions WHERE instance = ? AND epoch = ? AND holder = ?)`

const NEWER = `INSERT INTO fence (held) SELECT 0 WHERE EXISTS
  (SELECT 1 FROM sessions WHERE instance = ? AND epoch > ?)`

const isFenceError = (error: unknown) =>
  error instanceof LibsqlError && /fence|CHECK constraint/.test(error.message)

export function createFencedStore(store: Store, lease: Pick<Lease, 'runs'>, holder: string): FencedStore {
  const epochs = new Map<string, number>()
  const listeners: ((instance: string) => void)[] = []
  const cleanups = new Map<string, Cleanup>()
  const deferred = createDeferredWrites()
  let timer: NodeJS.Timeout | undefined
  let cleanupCount = 0

  /** Resolves when the cleanups that waited are done or have failed. */
  async function runCleanups(): Promise<void> {
    const waiting = [...cleanups]
    cleanups.clear()
    clearTimeout(timer)
    timer = undefined
    const ends = waiting.map(([name, cleanup]) =>
      store.commit(cleanup.buildStatements()).then(cleanup.done.resolve, () => {
        // A failed cleanup is tried again later.
        const newer = cleanups.get(name)
        if (newer) void newer.done.promise.then(cleanup.done.resolve)
        else cleanups.set(name, cleanup)
      }),
    )
    await Promise.all(ends)
  }

  /** Commits the waiting cleanups too: in the same transaction, unless one of them is refused, which does not affect the others. */
  async function commitAll(statements: Statement[]): Promise<void> {
    if (statements.length > 0) void runCleanups()
    await store.commit(statements)
  }

  function createFencedError(instance: string, why: string): FencedError {
    const error = new FencedError(instance, why)
    deferred.rejectAll(instance, error)
    return error
  }

  async function commitFor(instance: string, statements: Statement[]): Promise<void> {
    if (!lease.runs) throw createFencedError(instance, 'the lease is over')
    const epoch = epochs.get(instance)
    if (epoch === undefined) throw createFencedError(instance, 'it was let go')
    if (!store.shared) {
      // Deferred writes are never skipped: if they are refused, this fails too.
      await Promise.all([deferred.writeAll(instance, store.commit), commitAll(statements)])
      return
    }
    try {
      const guarded = [statement(GUARD, instance, epoch, holder), ...statements]
      await commitAll(guarded)
    } catch (error) {
      if (isFenceError(error)) handleTakenOver(instance)
      throw error
    }
  }

  function scheduleCleanup(name: string, buildStatements: () => Statement[]): Promise<void> {
    // In a shared store another host may take over before a cleanup is done, so it is written at once.
    if (store.shared) return store.commit(buildStatements())
    const cleanup = { buildStatements, done: cleanups.get(name)?.done ?? Promise.withResolvers<void>() }
    cleanups.set(name, cleanup)
    timer ??= setTimeout(runCleanups, CLEANUP_DELAY_MS).unref()
    return cleanup.done.promise
  }

  function handleTakenOver(instance: string): never {
    epochs.delete(instance)
    for (const listener of listeners) listener(instance)
    throw new FencedError(instance, 'another host has taken it over')
  }

  return {
    ...store,
    get fault() {
      return store.fault
    },
    holder,
    setEpoch: (instance, epoch) => void epochs.set(instance, epoch),
    stopWriting(instance) {
      epochs.delete(instance)
      deferred.rejectAll(instance, new FencedError(instance, 'it was let go'))
    },
    onTakenOver: (listener) => void listeners.push(listener),
    async claimInstance(instance, epoch, statements) {
      if (!lease.runs) throw new FencedError(instance, 'the lease is over')
      try {
        await store.commit([statement(NEWER, instance, epoch), ...statements])
      } catch (error) {
        if (isFenceError(error)) return false
        throw error
      }
      epochs.set(instance, epoch)
      return true
    },
    async commit(statements) {
      if (!lease.runs) throw new FencedError('this host', 'the lease is over')
      return commitAll(statements)
    },
    scheduleCleanup,
    runCleanups,
    commitFor,
    cleanUpFor: (instance, buildStatements) =>
      store.shared
        ? commitFor(instance, buildStatements())
        : scheduleCleanup(`tidying ${++cleanupCount}`, buildStatements),
    async deferWrite(instance, statements) {
      if (!store.shared) return deferred.addWrite(instance, statements)
      await commitFor(instance, statements)
      return { written: Promise.resolve() }
    },
    writeDeferred: (instance) => (deferred.hasWrites(instance) ? commitFor(instance, []) : undefined),
    flushBeforeFrame(instance) {
      const failure = deferred.takeError(instance)
      return failure ? Promise.reject(failure) : this.writeDeferred(instance)
    },
  }
}
