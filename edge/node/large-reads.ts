// Reads that may take long, in a worker thread with its own connection to the file: the thread that serves requests goes on.

import { Worker } from 'node:worker_threads'
import { SECOND } from '../../shared/clock.ts'
import { count } from '../metrics.ts'
import type { Query, Result } from '../store/database/statements.ts'
import { DatabaseRefusal, StorageError } from '../store/database/storage-error.ts'

/** As long as a server has. */
const ANSWER_WITHIN = 8 * SECOND

export type LargeAnswer = { results: Result[] } | { refused: { message: string; code: string } }

interface Reading {
  queries: Query[]
  /** Equal for equal queries; undefined for those that cannot be compared. */
  key: string | undefined
  answer: Promise<Result[]>
  resolve(results: Result[]): void
  reject(error: unknown): void
}

/**
 * One read at a time; equal ones that wait are read once. The thread starts with the first of them, and is never terminated: inside a call of the database that would
 * end the whole process.
 */
export class LargeReads {
  readonly #file: string
  readonly #waiting: Reading[] = []
  /** Until the thread has answered, even if nothing waits for that any more. */
  #current: Reading | undefined
  #worker: Worker | undefined

  constructor(file: string) {
    this.#file = file
  }

  read(queries: Query[]): Promise<Result[]> {
    const key = makeKey(queries)
    // It has not begun, so it will find all that was written by now.
    const equal = key && this.#waiting.find((reading) => reading.key === key)
    if (equal) return equal.answer
    count('edge_database_statements_total', undefined, queries.length)
    const { promise, resolve, reject } = Promise.withResolvers<Result[]>()
    const answer = promise.finally(() => clearTimeout(timer))
    const reading = { queries, key, answer, resolve, reject }
    const timer = setTimeout(() => this.#giveUp(reading), ANSWER_WITHIN)
    this.#waiting.push(reading)
    this.#readNext()
    return answer
  }

  /** Resolves when the thread has ended. */
  async close(): Promise<void> {
    for (const reading of this.#waiting.slice()) this.#giveUp(reading)
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
    this.#worker ??= this.#start()
    // A bulk form is for servers.
    this.#worker.postMessage(this.#current.queries.map(({ sql, args }) => ({ sql, args })))
  }

  #start(): Worker {
    const worker = new Worker(new URL('./large-reads-worker.ts', import.meta.url), {
      workerData: { file: this.#file },
      // A hundred of the largest events are read in one piece.
      resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 4 },
    })
    worker.unref()
    worker.on('message', (answer: LargeAnswer) => {
      const reading = this.#current
      this.#current = undefined
      this.#readNext()
      if ('results' in answer) reading?.resolve(answer.results)
      else reading?.reject(toError(answer.refused))
    })
    // The next read starts another thread.
    worker.on('error', (error) => {
      const reading = this.#current
      this.#worker = undefined
      this.#current = undefined
      reading?.reject(new StorageError('the thread of large reads failed', { cause: error }))
      this.#readNext()
    })
    return worker
  }

  #giveUp(reading: Reading): void {
    if (this.#waiting.includes(reading)) this.#waiting.splice(this.#waiting.indexOf(reading), 1)
    reading.reject(new StorageError('the database did not answer in time'))
  }
}

function makeKey(queries: Query[]): string | undefined {
  const values = queries.flatMap(({ sql, args }) => [sql, args.length, ...args])
  const isPlain = values.every(
    (value) => ['string', 'number', 'boolean'].includes(typeof value) || value === null,
  )
  return isPlain ? JSON.stringify(values) : undefined
}

const toError = ({ message, code }: { message: string; code: string }): Error =>
  code ? new DatabaseRefusal(message, code) : new StorageError(message)
