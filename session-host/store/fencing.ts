// Fencing: only the host that holds an instance writes for it. In a shared store every batch checks that itself.

import { LibsqlError } from '@libsql/client'
import type { Statement } from '../../shared/db/statements.ts'
import type { Lease } from '../lease.ts'
import { type DeferredWrite, makeDeferredWrites } from './deferred-writes.ts'
import { type Store, statement } from './store.ts'

/** A cleanup waits at most this long for a commit to join. A killed process loses it, and it is done again. */
const LATER_MS = 250

/** A cleanup that waits for the next commit. */
interface Cleanup {
  make(): Statement[]
  done: PromiseWithResolvers<void>
}

/** This host does not hold the instance now: nothing was written. */
export class FencedOff extends Error {
  constructor(instance: string, why: string) {
    super(`nothing is written for ${instance}: ${why}`)
  }
}

export interface FencedStore extends Store {
  /** The name of this host in the store: its sessions and its reports have it. */
  readonly holder: string
  /** For an instance that this host held before a restart: its batches are written under this epoch. */
  writeUnder(instance: string, epoch: number): void
  /** Takes the instance over with these statements. Answers false if another host has it under a newer epoch. */
  claim(instance: string, epoch: number, statements: Statement[]): Promise<boolean>
  stopWriting(instance: string): void
  /**
   * For a cleanup: joins the next commit, or runs alone after a while. Resolves when it is done. If the process dies first,
   * it is done again later. It replaces a waiting cleanup of the same name: `make`, called when it is written,
   * has to answer everything.
   */
  later(name: string, make: () => Statement[]): Promise<void>
  /** Runs the waiting cleanups now. */
  tidyUp(): Promise<void>
  /**
   * Joins the next commit for the instance, in the same transaction; if it fails, that commit fails too. To a shared
   * store it is written at once.
   */
  defer(instance: string, statements: Statement[]): Promise<DeferredWrite>
  /** Writes the deferred statements of the instance now; undefined if there are none. */
  writeDeferred(instance: string): Promise<void> | undefined
  /** The same for its socket. Rejects, once, if a deferred write was lost since the last call. */
  beforeFrame(instance: string): Promise<void> | undefined
  /** Adds a listener that is called when a batch finds that another host holds the instance. */
  onLost(listener: (instance: string) => void): void
}

/** The table is always empty: inserting a row with 0 violates its only constraint, which fails the whole batch. */
const GUARD = `INSERT INTO fence (held) SELECT 0 WHERE NOT EXISTS
  (SELECT 1 FROM sessions WHERE instance = ? AND epoch = ? AND holder = ?)`

const NEWER = `INSERT INTO fence (held) SELECT 0 WHERE EXISTS
  (SELECT 1 FROM sessions WHERE instance = ? AND epoch > ?)`

const isFenced = (thrown: unknown) =>
  thrown instanceof LibsqlError && /fence|CHECK constraint/.test(thrown.message)

export function fenceStore(store: Store, lease: Pick<Lease, 'runs'>, holder: string): FencedStore {
  const epochs = new Map<string, number>()
  const listeners: ((instance: string) => void)[] = []
  const cleanups = new Map<string, Cleanup>()
  const deferred = makeDeferredWrites()
  let timer: NodeJS.Timeout | undefined
  let tidied = 0

  /** Resolves when the cleanups that waited are done or have failed. */
  async function tidyUp(): Promise<void> {
    const mine = [...cleanups]
    cleanups.clear()
    clearTimeout(timer)
    timer = undefined
    const ends = mine.map(([name, cleanup]) =>
      store.commit(cleanup.make()).then(cleanup.done.resolve, () => {
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
    if (statements.length > 0) void tidyUp()
    await store.commit(statements)
  }

  function fencedOff(instance: string, why: string): FencedOff {
    const thrown = new FencedOff(instance, why)
    deferred.reject(instance, thrown)
    return thrown
  }

  async function commitFor(instance: string, statements: Statement[]): Promise<void> {
    if (!lease.runs) throw fencedOff(instance, 'the lease is over')
    const epoch = epochs.get(instance)
    if (epoch === undefined) throw fencedOff(instance, 'it was let go')
    if (!store.shared) {
      // Deferred writes are never skipped: if they are refused, this fails too.
      await Promise.all([deferred.write(instance, store.commit), commitAll(statements)])
      return
    }
    try {
      const guarded = [statement(GUARD, instance, epoch, holder), ...statements]
      await commitAll(guarded)
    } catch (thrown) {
      if (isFenced(thrown)) lost(instance)
      throw thrown
    }
  }

  function later(name: string, make: () => Statement[]): Promise<void> {
    // In a shared store another host may take over before a cleanup is done, so it is written at once.
    if (store.shared) return store.commit(make())
    const cleanup = { make, done: cleanups.get(name)?.done ?? Promise.withResolvers<void>() }
    cleanups.set(name, cleanup)
    timer ??= setTimeout(tidyUp, LATER_MS).unref()
    return cleanup.done.promise
  }

  function lost(instance: string): never {
    epochs.delete(instance)
    for (const listener of listeners) listener(instance)
    throw new FencedOff(instance, 'another host has taken it over')
  }

  return {
    ...store,
    get fault() {
      return store.fault
    },
    holder,
    writeUnder: (instance, epoch) => void epochs.set(instance, epoch),
    stopWriting(instance) {
      epochs.delete(instance)
      deferred.reject(instance, new FencedOff(instance, 'it was let go'))
    },
    onLost: (listener) => void listeners.push(listener),
    async claim(instance, epoch, statements) {
      if (!lease.runs) throw new FencedOff(instance, 'the lease is over')
      try {
        await store.commit([statement(NEWER, instance, epoch), ...statements])
      } catch (thrown) {
        if (isFenced(thrown)) return false
        throw thrown
      }
      epochs.set(instance, epoch)
      return true
    },
    async commit(statements) {
      if (!lease.runs) throw new FencedOff('this host', 'the lease is over')
      return commitAll(statements)
    },
    later,
    tidyUp,
    commitFor,
    tidyFor: (instance, make) =>
      store.shared ? commitFor(instance, make()) : later(`tidying ${++tidied}`, make),
    async defer(instance, statements) {
      if (!store.shared) return deferred.add(instance, statements)
      await commitFor(instance, statements)
      return { written: Promise.resolve() }
    },
    writeDeferred: (instance) => (deferred.open(instance) ? commitFor(instance, []) : undefined),
    beforeFrame(instance) {
      const loss = deferred.lost(instance)
      return loss ? Promise.reject(loss) : this.writeDeferred(instance)
    },
  }
}
