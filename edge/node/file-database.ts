// The edge's database as a file of this process. Writes of one turn of the event loop are one commit.

import { setImmediate, setTimeout as wait } from 'node:timers/promises'
import { SECOND } from '../../shared/clock.ts'
import { type Checkpoints, startCheckpoints } from '../../shared/node/checkpoints.ts'
import { type LocalFile, openLocalFile } from '../../shared/node/local-file.ts'
import { type Operation, recordFailure, recordSuccess } from '../database-health.ts'
import { makeObserver } from '../histograms.ts'
import { count } from '../metrics.ts'
import type { Database, Query, Result } from '../store/database/statements.ts'
import { DatabaseRefusal, findFailureKind, isRefusal } from '../store/database/storage-error.ts'
import { FilePlace } from './file-place.ts'
import { execute, refusable } from './file-statements.ts'
import { LargeReads } from './large-reads.ts'

/** How long a write waits for another connection to the file, such as that of a purge. */
const LOCKED_AT_MOST = 8 * SECOND
/** After 1 ms, 2, 4 and so on: equal waits could meet every lock of a writer that locks as regularly. */
const LONGEST_PAUSE = 25

const observeRead = makeObserver('db_client_operation_duration_seconds', { db_operation_name: 'read' })
const observeLargeRead = makeObserver('db_client_operation_duration_seconds', {
  db_operation_name: 'large_read',
})
const observeWrite = makeObserver('db_client_operation_duration_seconds', { db_operation_name: 'write' })
const observeCommit = makeObserver('edge_database_commit_duration_seconds')

/** Nothing else is served during a commit. */
const LONGEST_WRITE = 5

interface Write {
  queries: Query[]
  askedAt: number
  resolve(results: Result[]): void
  reject(error: unknown): void
}

export interface FileDatabase extends Database {
  close(): Promise<void>
}

/** `failed` is called with the error of a checkpoint; the next one is made all the same. */
export function openFileDatabase(path: string, failed: (error: unknown) => void): FileDatabase {
  // First: an empty file in the place of one that is gone would hide that.
  const place = new FilePlace(path)
  const file = openLocalFile(path)
  const checkpoints: Checkpoints = startCheckpoints(path, failed)
  const writes = new WriteQueue(file, place)
  const largeReads = new LargeReads(path)

  return {
    longestWrite: LONGEST_WRITE,
    async read(queries) {
      countCall()
      const isLarge = queries.some((query) => query.isLarge)
      const began = performance.now()
      try {
        const results = isLarge
          ? await largeReads.read(queries)
          : queries.map((query) => executeCounted(file, query))
        recordSuccess('read')
        return results
      } catch (error) {
        noteFailure('read', error)
        throw error
      } finally {
        const observe = isLarge ? observeLargeRead : observeRead
        observe(performance.now() - began)
      }
    },
    write: (queries) => writes.add(queries),
    async ping() {
      await place.look()
      execute(file, { sql: 'select count(*) from sqlite_schema', args: [] })
    },
    async close() {
      await Promise.all([checkpoints.stop(), largeReads.close()])
      file.close()
    },
  }
}

class WriteQueue {
  readonly #file: LocalFile
  readonly #place: FilePlace
  #waiting: Write[] = []
  #isRunning = false

  constructor(file: LocalFile, place: FilePlace) {
    this.#file = file
    this.#place = place
  }

  add(queries: Query[]): Promise<Result[]> {
    const { promise, resolve, reject } = Promise.withResolvers<Result[]>()
    this.#waiting.push({ queries, askedAt: performance.now(), resolve, reject })
    if (!this.#isRunning) void this.#run()
    return promise
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#waiting.length > 0) {
      // Writes of the same turn join this commit.
      await setImmediate()
      await this.#commit(this.#waiting.splice(0))
    }
    this.#isRunning = false
  }

  /** If a statement is refused, each write is tried alone, so that only its own fails. */
  async #commit(writes: Write[]): Promise<void> {
    try {
      const results = await this.#commitWhenFree(writes.flatMap(({ queries }) => queries))
      // A write that changes nothing succeeds on a full disk too.
      if (results.some(({ rowsAffected }) => rowsAffected > 0)) recordSuccess('write')
      for (const { queries, askedAt, resolve } of writes) {
        observeWrite(performance.now() - askedAt)
        resolve(results.splice(0, queries.length))
      }
    } catch (error) {
      if (writes.length > 1 && isRefusal(error)) for (const write of writes) await this.#commit([write])
      else {
        // A refused statement is no failure of the database.
        if (!isRefusal(error)) count('edge_database_failed_writes_total')
        noteFailure('write', error)
        for (const { askedAt, reject } of writes) {
          observeWrite(performance.now() - askedAt)
          reject(error)
        }
      }
    }
  }

  async #commitWhenFree(queries: Query[]): Promise<Result[]> {
    const until = Date.now() + LOCKED_AT_MOST
    for (let pause = 1; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      try {
        this.#place.check()
        return commit(this.#file, queries)
      } catch (error) {
        if (!isLocked(error) || Date.now() > until) throw error
      }
      await wait(pause)
    }
  }
}

function noteFailure(operation: Operation, error: unknown): void {
  const kind = findFailureKind(error)
  if (kind) recordFailure(operation, kind)
}

let isCounted = false

/** What is asked in one turn is one call, as it is with a server. */
function countCall(): void {
  if (isCounted) return
  isCounted = true
  queueMicrotask(() => {
    isCounted = false
  })
  count('edge_database_calls_total')
}

function commit(file: LocalFile, queries: Query[]): Result[] {
  countCall()
  const began = performance.now()
  const run = () => queries.map((query) => executeCounted(file, query))
  // A single statement is its own transaction.
  const results = queries.length === 1 ? run() : refusable(() => file.transaction(run))
  observeCommit(performance.now() - began)
  count('edge_database_commits_total')
  return results
}

function executeCounted(file: LocalFile, query: Query): Result {
  count('edge_database_statements_total')
  return execute(file, query)
}

const isLocked = (error: unknown): boolean =>
  error instanceof DatabaseRefusal && /^SQLITE_(BUSY|LOCKED)/.test(error.code)
