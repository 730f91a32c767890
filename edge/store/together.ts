// Calls to the database that an isolate has at the same time, sent as one: the database takes one writer at a time,
// and a commit costs the same for one request's statements as for those of fifty.

import { waitUntil } from 'cloudflare:workers'
import { type Client, type InStatement, LibsqlError, type ResultSet } from '@libsql/client/web'
import { SECOND } from '../../shared/clock.ts'
import { StorageError } from './storage-error.ts'

/** Past this a call counts as unanswered, unless its rounds are told otherwise. */
export const ANSWER_WITHIN = 8 * SECOND
const CALLS_A_ROUND = 256
const TRIES_WHEN_BUSY = 5

interface Call {
  statements: InStatement[]
  /** Answered, or nobody waits any more. */
  over: boolean
  resolve(results: ResultSet[]): void
  reject(error: unknown): void
  /** A round ended without this call: it may have to lead the next. */
  lookAgain(): void
}

/**
 * Rounds follow each other; what arrives during one rides in the next. A round is led by one of those who wait, in
 * its own request, because a connection cannot be used by another; were that request to end, its time runs out.
 */
export class Rounds {
  readonly #mode: 'read' | 'write'
  readonly #within: number
  #waiting: Call[] = []
  #ledUntil = 0

  constructor(mode: 'read' | 'write', within = ANSWER_WITHIN) {
    this.#mode = mode
    this.#within = within
  }

  /** All statements or none, in order. `connect` must belong to the asking request. */
  async ask(connect: () => Client, statements: InStatement[]): Promise<ResultSet[]> {
    const { promise, resolve, reject } = Promise.withResolvers<ResultSet[]>()
    const call: Call = { statements, over: false, resolve, reject, lookAgain: () => undefined }
    // Its own limit: it ends the waiting if the leader is gone, and tells the runtime that this request is not stuck.
    const timer = setTimeout(() => {
      call.over = true
      reject(new StorageError('the database did not answer in time'))
    }, this.#within)
    this.#waiting.push(call)
    try {
      while (!call.over) {
        if (this.#ledUntil < Date.now()) this.#lead(connect)
        // Made here: the runtime drops whoever waits for a promise of a request that has ended.
        const ended = Promise.withResolvers<void>()
        call.lookAgain = ended.resolve
        await Promise.race([promise, ended.promise])
      }
      return await promise
    } finally {
      clearTimeout(timer)
    }
  }

  #lead(connect: () => Client): void {
    this.#ledUntil = Date.now() + this.#within
    // The others' statements ride along: they must not end with this request.
    waitUntil(this.#round(connect()))
  }

  async #round(client: Client): Promise<void> {
    const calls = this.#waiting.splice(0, CALLS_A_ROUND).filter(({ over }) => !over)
    try {
      await this.#answer(client, calls)
    } finally {
      this.#ledUntil = 0
      for (const call of this.#waiting) call.lookAgain()
    }
  }

  async #answer(client: Client, calls: Call[]): Promise<void> {
    try {
      const results = await this.#send(
        client,
        calls.flatMap(({ statements }) => statements),
      )
      for (const call of calls) settle(call).resolve(results.splice(0, call.statements.length))
    } catch (error) {
      // One call's mistake undid the others' work too: each on its own, so that only the mistaken one fails.
      if (calls.length > 1 && wasUndone(error)) for (const call of calls) await this.#answer(client, [call])
      else for (const call of calls) settle(call).reject(error)
    }
  }

  async #send(client: Client, statements: InStatement[]): Promise<ResultSet[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await client.batch(statements, this.#mode)
      } catch (error) {
        // Another edge is writing. Nothing of ours has begun, so asking again is harmless.
        if (attempt === TRIES_WHEN_BUSY || !isBusy(error)) throw error
        await new Promise((resolve) => setTimeout(resolve, 20 * attempt))
      }
    }
  }
}

function settle(call: Call): Call {
  call.over = true
  return call
}

const isBusy = (error: unknown) => error instanceof LibsqlError && error.code === 'SQLITE_BUSY'

/** The database answered with a refusal, so the transaction was rolled back. Silence leaves it open. */
const wasUndone = (error: unknown) =>
  error instanceof LibsqlError && /^(SQL|ARGS_|RESPONSE_)/.test(error.code)
