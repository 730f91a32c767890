// The edge's database as a file of this process. Writes of one turn of the event loop are one commit.

import { setImmediate, setTimeout as wait } from 'node:timers/promises'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { type Checkpoints, startCheckpoints } from '@msgnet/shared/node/checkpoints.ts'
import { LocalFile } from '@msgnet/shared/node/local-file.ts'
import { count } from '../observability/counters.ts'
import {
  type Operation,
  recordDatabaseFailure,
  recordDatabaseSuccess,
} from '../observability/database-health.ts'
import { createObserver } from '../observability/histograms.ts'
import type { Database, Query, Result } from '../runtime/query-types.ts'
import { DatabaseRefusal, findFailureKind, isRefusal } from '../store/database/storage-error.ts'
import { FileIdentity } from './file-identity.ts'
import { executeQuery, wrapRefusal } from './file-statements.ts'
import { LargeReads } from './large-reads.ts'
import { isRepeatable, UnchangedReads } from './unchanged-reads.ts'

/** How long a write waits for another connection to the file, such as that of a purge. */
const MAX_LOCKED_MS = 8 * SECOND
/** After 1 ms, 2, 4 and so on: equal waits could meet every lock of a writer that locks as regularly. */
const MAX_PAUSE_MS = 25

const observeRead = createObserver('db_client_operation_duration_seconds', { db_operation_name: 'read' })
const observeLargeRead = createObserver('db_client_operation_duration_seconds', {
  db_operation_name: 'large_read',
})
const observeWrite = createObserver('db_client_operation_duration_seconds', { db_operation_name: 'write' })
const observeCommit = createObserver('edge_database_commit_duration_seconds')

/** Nothing else is served during a commit. */
const MAX_WRITE_MS = 5

interface Write {
  queries: Query[]
  requestedAt: number
  resolve(results: Result[]): void
  reject(error: unknown): void
}

export class FileDatabase implements Database {
  readonly maxWriteMs = MAX_WRITE_MS
  readonly #identity: FileIdentity
  readonly #file: LocalFile
  readonly #checkpoints: Checkpoints
  readonly #writes: WriteQueue
  readonly #largeReads: LargeReads
  readonly #unchangedReads: UnchangedReads

  /** `onCheckpointError` is called with the error of a checkpoint; the next one is written all the same. */
  constructor(path: string, onCheckpointError: (error: unknown) => void) {
    // First: an empty file in the place of a missing one would hide that.
    this.#identity = new FileIdentity(path)
    this.#file = new LocalFile(path)
    this.#checkpoints = startCheckpoints(path, onCheckpointError)
    this.#writes = new WriteQueue(this.#file, this.#identity)
    this.#largeReads = new LargeReads(path)
    this.#unchangedReads = new UnchangedReads(
      (sql) => this.#readVersion(sql),
      (queries) => this.#largeReads.readQueries(queries),
    )
  }

  async read(queries: Query[]): Promise<Result[]> {
    countCall()
    const isLarge = queries.some((query) => query.isLarge)
    const startedAt = performance.now()
    try {
      const results = isLarge
        ? await this.#readLarge(queries)
        : queries.map((query) => executeCounted(this.#file, query))
      recordDatabaseSuccess('read')
      return results
    } catch (error) {
      recordErrorKind('read', error)
      throw error
    } finally {
      const observe = isLarge ? observeLargeRead : observeRead
      observe(performance.now() - startedAt)
    }
  }

  #readLarge(queries: Query[]): Promise<Result[]> {
    const [query] = queries
    return queries.length === 1 && isRepeatable(query)
      ? this.#unchangedReads.readQuery(query)
      : this.#largeReads.readQueries(queries)
  }

  /** Another text after each commit, of this connection (`total_changes`) or of any other (`data_version`). */
  #readVersion(sql: string): string {
    const select = `select total_changes(), data_version, (${sql}) from pragma_data_version`
    return String(executeCounted(this.#file, { sql: select, args: [] }).rows[0])
  }

  write(queries: Query[]): Promise<Result[]> {
    return this.#writes.addWrite(queries)
  }

  async ping(): Promise<void> {
    await this.#identity.checkNow()
    executeQuery(this.#file, { sql: 'select count(*) from sqlite_schema', args: [] })
  }

  async close(): Promise<void> {
    await Promise.all([this.#checkpoints.stop(), this.#largeReads.close()])
    this.#file.close()
  }
}

class WriteQueue {
  readonly #file: LocalFile
  readonly #identity: FileIdentity
  #waiting: Write[] = []
  #isRunning = false

  constructor(file: LocalFile, identity: FileIdentity) {
    this.#file = file
    this.#identity = identity
  }

  addWrite(queries: Query[]): Promise<Result[]> {
    const { promise, resolve, reject } = Promise.withResolvers<Result[]>()
    this.#waiting.push({ queries, requestedAt: performance.now(), resolve, reject })
    if (!this.#isRunning) void this.#runQueue()
    return promise
  }

  async #runQueue(): Promise<void> {
    this.#isRunning = true
    while (this.#waiting.length > 0) {
      // Writes of the same turn join this commit.
      await setImmediate()
      await this.#commitWrites(this.#waiting.splice(0))
    }
    this.#isRunning = false
  }

  /** If a statement is refused, each write is tried alone, so that only its own fails. */
  async #commitWrites(writes: Write[]): Promise<void> {
    try {
      const results = await this.#commitWhenFree(writes.flatMap(({ queries }) => queries))
      // A write that changes nothing succeeds on a full disk too.
      if (results.some(({ rowsAffected }) => rowsAffected > 0)) recordDatabaseSuccess('write')
      for (const { queries, requestedAt, resolve } of writes) {
        observeWrite(performance.now() - requestedAt)
        resolve(results.splice(0, queries.length))
      }
    } catch (error) {
      if (writes.length > 1 && isRefusal(error)) for (const write of writes) await this.#commitWrites([write])
      else {
        // A refused statement is no failure of the database.
        if (!isRefusal(error)) count('edge_database_failed_writes_total')
        recordErrorKind('write', error)
        for (const { requestedAt, reject } of writes) {
          observeWrite(performance.now() - requestedAt)
          reject(error)
        }
      }
    }
  }

  async #commitWhenFree(queries: Query[]): Promise<Result[]> {
    const until = Date.now() + MAX_LOCKED_MS
    for (let pause = 1; ; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
      try {
        this.#identity.checkIfDue()
        return commitQueries(this.#file, queries)
      } catch (error) {
        if (!isLocked(error) || Date.now() > until) throw error
      }
      await wait(pause)
    }
  }
}

function recordErrorKind(operation: Operation, error: unknown): void {
  const kind = findFailureKind(error)
  if (kind) recordDatabaseFailure(operation, kind)
}

let isCounted = false

/** The queries of one turn are one call, as they are with a server. */
function countCall(): void {
  if (isCounted) return
  isCounted = true
  queueMicrotask(() => {
    isCounted = false
  })
  count('edge_database_calls_total')
}

function commitQueries(file: LocalFile, queries: Query[]): Result[] {
  countCall()
  const startedAt = performance.now()
  const executeAll = () => queries.map((query) => executeCounted(file, query))
  // A single statement is its own transaction.
  const results = queries.length === 1 ? executeAll() : wrapRefusal(() => file.runTransaction(executeAll))
  observeCommit(performance.now() - startedAt)
  count('edge_database_commits_total')
  return results
}

function executeCounted(file: LocalFile, query: Query): Result {
  count('edge_database_statements_total')
  return executeQuery(file, query)
}

const isLocked = (error: unknown): boolean =>
  error instanceof DatabaseRefusal && /^SQLITE_(BUSY|LOCKED)/.test(error.code)
