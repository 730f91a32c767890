// Reads that may take long run in a worker thread with its own connection to the file, so that the serving thread is not blocked.

import { Worker } from 'node:worker_threads'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { locateProgram } from '@msgnet/shared/node/locate-program.ts'
import { count } from '../observability/counters.ts'
import type { Query, Result } from '../runtime/query-types.ts'
import { DatabaseRefusal, StorageError } from '../store/database/storage-error.ts'

/** As long as a server has. */
const READ_TIMEOUT = 8 * SECOND

export type LargeReadResult = { results: Result[] } | { refused: { message: string; code: string } }

interface PendingRead {
  queries: Query[]
  /** Equal for equal queries; undefined for those that cannot be compared. */
  key: string | undefined
  result: Promise<Result[]>
  resolve(results: Result[]): void
  reject(error: unknown): void
}

/**
 * One read at a time; equal reads that wait run once. The thread starts with the first read, and is never terminated: during a
 * call of the database that would end the process.
 */
export class LargeReads {
  readonly #file: string
  readonly #waiting: PendingRead[] = []
  /** Until the thread has responded, even if nothing waits for that any more. */
  #current: PendingRead | undefined
  #worker: Worker | undefined

  constructor(file: string) {
    this.#file = file
  }

  readQueries(queries: Query[]): Promise<Result[]> {
    const key = createKey(queries)
    // It has not started, so it will find all that was written by now.
    const equal = key && this.#waiting.find((pendingRead) => pendingRead.key === key)
    if (equal) return equal.result
    count('edge_database_statements_total', undefined, queries.length)
    const { promise, resolve, reject } = Promise.withResolvers<Result[]>()
    const result = promise.finally(() => clearTimeout(timer))
    const pendingRead = { queries, key, result, resolve, reject }
    const timer = setTimeout(() => this.#rejectRead(pendingRead), READ_TIMEOUT)
    this.#waiting.push(pendingRead)
    this.#readNext()
    return result
  }

  /** Resolves when the thread has ended. */
  async close(): Promise<void> {
    for (const pendingRead of this.#waiting.slice()) this.#rejectRead(pendingRead)
    const worker = this.#worker
    if (!worker) return
    this.#worker = undefined
    const { promise, resolve } = Promise.withResolvers<void>()
    worker.once('exit', () => resolve())
    worker.postMessage('stop')
    await promise
  }

  #readNext(): void {
    if (this.#current) return
    this.#current = this.#waiting.shift()
    if (!this.#current) return
    this.#worker ??= this.#startWorker()
    // A bulk form is for servers.
    this.#worker.postMessage(this.#current.queries.map(({ sql, args }) => ({ sql, args })))
  }

  #startWorker(): Worker {
    const worker = new Worker(locateProgram('./large-reads-worker.ts', import.meta.url), {
      workerData: { file: this.#file },
      // A hundred of the largest events are read in one piece.
      resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 4 },
    })
    worker.unref()
    worker.on('message', (result: LargeReadResult) => {
      const pendingRead = this.#current
      this.#current = undefined
      this.#readNext()
      if ('results' in result) pendingRead?.resolve(result.results)
      else pendingRead?.reject(toError(result.refused))
    })
    // The next read starts another thread.
    worker.on('error', (error) => {
      const pendingRead = this.#current
      this.#worker = undefined
      this.#current = undefined
      pendingRead?.reject(new StorageError('the thread of large reads failed', { cause: error }))
      this.#readNext()
    })
    return worker
  }

  #rejectRead(pendingRead: PendingRead): void {
    if (this.#waiting.includes(pendingRead)) this.#waiting.splice(this.#waiting.indexOf(pendingRead), 1)
    pendingRead.reject(new StorageError('the database did not respond in time'))
  }
}

function createKey(queries: Query[]): string | undefined {
  const values = queries.flatMap(({ sql, args }) => [sql, args.length, ...args])
  const isPlain = values.every(
    (value) => ['string', 'number', 'boolean'].includes(typeof value) || value === null,
  )
  return isPlain ? JSON.stringify(values) : undefined
}

const toError = ({ message, code }: { message: string; code: string }): Error =>
  code ? new DatabaseRefusal(message, code) : new StorageError(message)
