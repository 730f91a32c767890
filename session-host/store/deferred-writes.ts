// Deferred writes wait for the next commit of their instance, and are on disk before its socket sends anything more.

import type { Statement } from '../../shared/db/statements.ts'

export interface DeferredWrite {
  /** Resolves when it is on disk. Rejects when the write failed; it is not tried again. */
  written: Promise<void>
}

interface Waiting {
  statements: Statement[]
  end: PromiseWithResolvers<void>
}

export interface DeferredWrites {
  add(instance: string, statements: Statement[]): DeferredWrite
  /** Whether the instance has writes that are not on disk yet. */
  open(instance: string): boolean
  /** Resolves when all of them are on disk; calls `commit` once for each that was not started yet. */
  write(instance: string, commit: (statements: Statement[]) => Promise<void>): Promise<unknown>
  /** Rejects the waiting writes, which must no longer be written. */
  reject(instance: string, thrown: unknown): void
  /** The error of a write that was lost since the last call; undefined when none was lost. */
  lost(instance: string): Error | undefined
}

export function makeDeferredWrites(): DeferredWrites {
  const waiting = new Map<string, Waiting[]>()
  const underway = new Map<string, Set<Promise<void>>>()
  const losses = new Map<string, Error>()

  function take(instance: string): Waiting[] {
    const all = waiting.get(instance) ?? []
    waiting.delete(instance)
    return all
  }

  function begin(instance: string, { statements, end }: Waiting, written: Promise<void>): void {
    const all = underway.get(instance) ?? new Set()
    underway.set(instance, all)
    const mine = written.finally(() => {
      all.delete(mine)
      if (all.size === 0) underway.delete(instance)
    })
    all.add(mine)
    mine.then(end.resolve, (thrown) => {
      losses.set(instance, new Error(`${statements.length} deferred statements are lost`, { cause: thrown }))
      end.reject(thrown)
    })
  }

  return {
    add(instance, statements) {
      const end = Promise.withResolvers<void>()
      // The caller may no longer wait for it, and `write` reports a failure too.
      end.promise.catch(() => undefined)
      waiting.set(instance, [...(waiting.get(instance) ?? []), { statements, end }])
      return { written: end.promise }
    },
    open: (instance) => waiting.has(instance) || underway.has(instance),
    write(instance, commit) {
      for (const one of take(instance)) begin(instance, one, commit(one.statements))
      return Promise.all(underway.get(instance) ?? [])
    },
    reject(instance, thrown) {
      for (const { end } of take(instance)) end.reject(thrown)
    },
    lost(instance) {
      const loss = losses.get(instance)
      losses.delete(instance)
      return loss
    },
  }
}
