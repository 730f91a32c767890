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
  /** For an instance, or at all. */
  waits(instance?: string): boolean
  /** Those of an instance, or all of them, as one call of `commit` each; nobody else commits them then. */
  commit(commit: (statements: Statement[]) => Promise<void>, instance?: string): Promise<unknown> | undefined
  /** They must not be written any more. */
  reject(thrown: unknown, instance?: string): void
}

export function makeDeferredWrites(): DeferredWrites {
  const waiting = new Map<string, Waiting[]>()

  function take(instance?: string): Waiting[] {
    const all = instance === undefined ? [...waiting.values()].flat() : (waiting.get(instance) ?? [])
    if (instance === undefined) waiting.clear()
    else waiting.delete(instance)
    return all
  }

  async function settle({ statements, end }: Waiting, commit: (statements: Statement[]) => Promise<void>) {
    try {
      await commit(statements)
      end.resolve()
    } catch (thrown) {
      end.reject(thrown)
      throw thrown
    }
  }

  return {
    add(instance, statements) {
      const end = Promise.withResolvers<void>()
      // Whoever asked for it may have gone, and who commits it hears of a failure too.
      end.promise.catch(() => undefined)
      waiting.set(instance, [...(waiting.get(instance) ?? []), { statements, end }])
      return { written: end.promise }
    },
    waits: (instance) => (instance === undefined ? waiting.size > 0 : waiting.has(instance)),
    commit(commit, instance) {
      const taken = take(instance)
      if (taken.length === 0) return undefined
      return Promise.all(taken.map((one) => settle(one, commit)))
    },
    reject(thrown, instance) {
      for (const { end } of take(instance)) end.reject(thrown)
    },
  }
}
