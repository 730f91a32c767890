// Who may write for an instance: only the host that holds it. In a shared store every batch proves that by itself.

import { LibsqlError } from '@libsql/client'
import type { Statement } from '../../shared/db/statements.ts'
import type { Lease } from '../lease.ts'
import { type DeferredWrite, makeDeferredWrites } from './deferred-writes.ts'
import { type Store, statement } from './store.ts'

/** What tidies up waits no longer than this for a commit to go with: after a kill it is done again. */
const LATER_MS = 250

/** What tidies up and waits for the next commit. */
interface Rider {
  make(): Statement[]
  done: PromiseWithResolvers<void>
}

/** The instance is not ours, or not at this moment: nothing was written. */
export class FencedOff extends Error {
  constructor(instance: string, why: string) {
    super(`nothing is written for ${instance}: ${why}`)
  }
}

export interface FencedStore extends Store {
  /** Names this host in the store: what it holds and what it has to report carry it. */
  readonly holder: string
  /** It is ours since an earlier life of this process: its batches go under this epoch. */
  writeUnder(instance: string, epoch: number): void
  /** Makes it ours by these statements. Answers false when another host has it under a newer epoch. */
  claim(instance: string, epoch: number, statements: Statement[]): Promise<boolean>
  stopWriting(instance: string): void
  /**
   * For what only tidies up: goes with the next commit, or alone after a while. Fulfilled when it is done; lost with the process,
   * it is done again by whoever finds what was to be tidied up. What waits under the same name is replaced: `make`, called
   * when it goes, says it all.
   */
  later(name: string, make: () => Statement[]): Promise<void>
  /** What waits goes now. */
  tidyUp(): Promise<void>
  /**
   * Goes with the next commit for the instance, in the same transaction; where that fails, the commit fails too. Into a shared
   * store it is written at once.
   */
  defer(instance: string, statements: Statement[]): Promise<DeferredWrite>
  /** What is deferred for the instance goes now; undefined when that is nothing. */
  writeDeferred(instance: string): Promise<void> | undefined
  /** The same for its socket, which hears once of what was lost since it asked last. */
  beforeFrame(instance: string): Promise<void> | undefined
  /** Told when a batch found out that the instance is another host's by now. */
  onLost(listener: (instance: string) => void): void
}

/** No row is ever there: one that says 0 violates the table's only constraint, and the whole batch with it. */
const GUARD = `INSERT INTO fence (held) SELECT 0 WHERE NOT EXISTS
  (SELECT 1 FROM sessions WHERE instance = ? AND epoch = ? AND holder = ?)`

const NEWER = `INSERT INTO fence (held) SELECT 0 WHERE EXISTS
  (SELECT 1 FROM sessions WHERE instance = ? AND epoch > ?)`

const isFenced = (thrown: unknown) =>
  thrown instanceof LibsqlError && /fence|CHECK constraint/.test(thrown.message)

export function fenceStore(store: Store, lease: Pick<Lease, 'runs'>, holder: string): FencedStore {
  const epochs = new Map<string, number>()
  const listeners: ((instance: string) => void)[] = []
  const riders = new Map<string, Rider>()
  const deferred = makeDeferredWrites()
  let timer: NodeJS.Timeout | undefined
  let tidied = 0

  /** Fulfilled when none of what waited is on its way any more. */
  async function tidyUp(): Promise<void> {
    const mine = [...riders]
    riders.clear()
    clearTimeout(timer)
    timer = undefined
    const ends = mine.map(([name, rider]) =>
      store.commit(rider.make()).then(rider.done.resolve, () => {
        // What fails now goes with a later one.
        const newer = riders.get(name)
        if (newer) void newer.done.promise.then(rider.done.resolve)
        else riders.set(name, rider)
      }),
    )
    await Promise.all(ends)
  }

  /** Takes what waits along: in the same transaction, unless one of them is refused, which is nothing to the others. */
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
      // What was deferred is never passed over: where that is refused, this fails too.
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
    // Whoever takes over in a shared store does again what is still there.
    if (store.shared) return store.commit(make())
    const rider = { make, done: riders.get(name)?.done ?? Promise.withResolvers<void>() }
    riders.set(name, rider)
    timer ??= setTimeout(tidyUp, LATER_MS).unref()
    return rider.done.promise
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
