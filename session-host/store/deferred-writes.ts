// Deferred writes wait for the next commit of their instance, and are on disk before its socket sends anything more.

import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'

export interface DeferredWrite {
  /** Resolves when it is on disk. Rejects when the write failed; it is not tried again. */
  written: Promise<void>
}

interface Waiting {
  statements: Statement[]
  completion: PromiseWithResolvers<void>
}

export class DeferredWrites {
  readonly #waiting = new Map<string, Waiting[]>()
  readonly #inFlight = new Map<string, Set<Promise<void>>>()
  readonly #errors = new Map<string, Error>()

  addWrite(instance: string, statements: Statement[]): DeferredWrite {
    const completion = Promise.withResolvers<void>()
    // The caller may no longer wait for it, and `writeAll` reports a failure too.
    completion.promise.catch(() => undefined)
    this.#waiting.set(instance, [...(this.#waiting.get(instance) ?? []), { statements, completion }])
    return { written: completion.promise }
  }

  /** A write that has begun elsewhere: the frames of the instance wait for it too. */
  addRunning(instance: string, statements: Statement[], written: Promise<void>): DeferredWrite {
    const completion = Promise.withResolvers<void>()
    completion.promise.catch(() => undefined)
    this.#track(instance, { statements, completion }, written)
    return { written: completion.promise }
  }

  /** Whether the instance has writes that are not on disk yet. */
  hasWrites(instance: string): boolean {
    return this.#waiting.has(instance) || this.#inFlight.has(instance)
  }

  /** Resolves when all of them are on disk; calls `commit` once for each that was not started yet. */
  writeAll(instance: string, commit: (statements: Statement[]) => Promise<void>): Promise<unknown> {
    for (const one of this.#takeWaiting(instance)) this.#track(instance, one, commit(one.statements))
    return Promise.all(this.#inFlight.get(instance) ?? [])
  }

  async waitForRunning(instance: string): Promise<void> {
    await Promise.all(this.#inFlight.get(instance) ?? [])
  }

  /** Rejects the waiting writes, which must no longer be written. */
  rejectAll(instance: string, error: unknown): void {
    for (const { completion } of this.#takeWaiting(instance)) completion.reject(error)
  }

  /** The error of a write that has failed since the last call; undefined when none has. */
  takeError(instance: string): Error | undefined {
    const error = this.#errors.get(instance)
    this.#errors.delete(instance)
    return error
  }

  #takeWaiting(instance: string): Waiting[] {
    const all = this.#waiting.get(instance) ?? []
    this.#waiting.delete(instance)
    return all
  }

  #track(instance: string, { statements, completion }: Waiting, written: Promise<void>): void {
    const all = this.#inFlight.get(instance) ?? new Set()
    this.#inFlight.set(instance, all)
    const tracked = written.finally(() => {
      all.delete(tracked)
      if (all.size === 0) this.#inFlight.delete(instance)
    })
    all.add(tracked)
    tracked.then(completion.resolve, (error) => {
      const message = `${statements.length} deferred statements are lost`
      this.#errors.set(instance, new Error(message, { cause: error }))
      completion.reject(error)
    })
  }
}
