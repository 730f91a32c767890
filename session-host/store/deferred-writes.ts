// Deferred writes wait for the next commit of their instance, and are on disk before its socket sends anything more.

import type { Statement } from '../../shared/db/prepared-queries.ts'

export interface DeferredWrite {
  /** Resolves when it is on disk. Rejects when the write failed; it is not tried again. */
  written: Promise<void>
}

interface Waiting {
  statements: Statement[]
  completion: PromiseWithResolvers<void>
}

export interface DeferredWrites {
  addWrite(instance: string, statements: Statement[]): DeferredWrite
  /** Whether the instance has writes that are not on disk yet. */
  hasWrites(instance: string): boolean
  /** Resolves when all of them are on disk; calls `commit` once for each that was not started yet. */
  writeAll(instance: string, commit: (statements: Statement[]) => Promise<void>): Promise<unknown>
  /** Rejects the waiting writes, which must no longer be written. */
  rejectAll(instance: string, error: unknown): void
  /** The error of a write that was lost since the last call; undefined when none was lost. */
  takeError(instance: string): Error | undefined
}

export function createDeferredWrites(): DeferredWrites {
  const waiting = new Map<string, Waiting[]>()
  const inFlight = new Map<string, Set<Promise<void>>>()
  const errors = new Map<string, Error>()

  function takeWaiting(instance: string): Waiting[] {
    const all = waiting.get(instance) ?? []
    waiting.delete(instance)
    return all
  }

  function startWrite(instance: string, { statements, completion }: Waiting, written: Promise<void>): void {
    const all = inFlight.get(instance) ?? new Set()
    inFlight.set(instance, all)
    const tracked = written.finally(() => {
      all.delete(tracked)
      if (all.size === 0) inFlight.delete(instance)
    })
    all.add(tracked)
    tracked.then(completion.resolve, (error) => {
      errors.set(instance, new Error(`${statements.length} deferred statements are lost`, { cause: error }))
      completion.reject(error)
    })
  }

  return {
    addWrite(instance, statements) {
      const completion = Promise.withResolvers<void>()
      // The caller may no longer wait for it, and `write` reports a failure too.
      completion.promise.catch(() => undefined)
      waiting.set(instance, [...(waiting.get(instance) ?? []), { statements, completion }])
      return { written: completion.promise }
    },
    hasWrites: (instance) => waiting.has(instance) || inFlight.has(instance),
    writeAll(instance, commit) {
      for (const one of takeWaiting(instance)) startWrite(instance, one, commit(one.statements))
      return Promise.all(inFlight.get(instance) ?? [])
    },
    rejectAll(instance, error) {
      for (const { completion } of takeWaiting(instance)) completion.reject(error)
    },
    takeError(instance) {
      const failure = errors.get(instance)
      errors.delete(instance)
      return failure
    },
  }
}
