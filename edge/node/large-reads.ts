// Reads that may take long, in a worker thread with its own connection to the file: the thread that serves requests goes on.

import { Worker } from 'node:worker_threads'
import { SECOND } from '../../shared/clock.ts'
import type { Query, Result } from '../store/database/statements.ts'
import { DatabaseRefusal, StorageError } from '../store/database/storage-error.ts'

/** As long as a server has. */
const ANSWER_WITHIN = 8 * SECOND

export type LargeAnswer = { results: Result[] } | { refused: { message: string; code: string } }

interface Reading {
  queries: Query[]
  resolve(results: Result[]): void
  reject(error: unknown): void
}

/** One read at a time. The thread starts with the first of them. */
export class LargeReads {
  readonly #file: string
  readonly #waiting: Reading[] = []
  #current: Reading | undefined
  #worker: Worker | undefined

  constructor(file: string) {
    this.#file = file
  }

  read(queries: Query[]): Promise<Result[]> {
    const { promise, resolve, reject } = Promise.withResolvers<Result[]>()
    const reading = { queries, resolve, reject }
    const timer = setTimeout(() => this.#giveUp(reading), ANSWER_WITHIN)
    this.#waiting.push(reading)
    this.#readNext()
    return promise.finally(() => clearTimeout(timer))
  }

  close(): void {
    this.#end(new StorageError('the database is closed'))
    for (const { reject } of this.#waiting.splice(0)) reject(new StorageError('the database is closed'))
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
      resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 4 },
    })
    worker.unref()
    worker.on('message', (answer: LargeAnswer) => {
      const reading = this.#current
      this.#current = undefined
      this.#readNext()
      if ('results' in answer) reading?.resolve(answer.results)
      else reading?.reject(toError(answer.refused))
    })
    worker.on('error', (error) => {
      if (this.#worker === worker)
        this.#end(new StorageError('the thread of large reads failed', { cause: error }))
    })
    return worker
  }

  /** The next read starts another thread. */
  #end(error: StorageError): void {
    void this.#worker?.terminate()
    this.#worker = undefined
    this.#current?.reject(error)
    this.#current = undefined
    this.#readNext()
  }

  #giveUp(reading: Reading): void {
    const error = new StorageError('the database did not answer in time')
    if (reading === this.#current) this.#end(error)
    else {
      this.#waiting.splice(this.#waiting.indexOf(reading), 1)
      reading.reject(error)
    }
  }
}

const toError = ({ message, code }: { message: string; code: string }): Error =>
  code ? new DatabaseRefusal(message, code) : new StorageError(message)
