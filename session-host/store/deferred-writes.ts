// Writes that wait for the next commit of their instance: they are on disk before its socket says anything more.

import type { Statement } from '../../shared/db/statements.ts'

export interface DeferredWrite {
  /** Fulfilled when it is on disk. Rejected when it could not be written: then it never will be. */
  written: Promise<void>
}

interface Waiting {
  statements: Statement[]
  end: PromiseWithResolvers<void>
}

export interface DeferredWrites {
  add(instance: string, statements: Statement[]): DeferredWrite
  /** Something of the instance is not on disk yet. */
  open(instance: string): boolean
  /** All of them are on disk when it is fulfilled; those that nobody has committed yet are one call of `commit` each. */
  write(instance: string, commit: (statements: Statement[]) => Promise<void>): Promise<unknown>
  /** They must not be written any more. */
  reject(instance: string, thrown: unknown): void
  /** Why one was not written since this was asked last; undefined when none was lost. */
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
      // Whoever asked for it may have gone, and who writes it hears of a failure too.
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
