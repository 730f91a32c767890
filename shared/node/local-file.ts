// A database file of one process, used in this thread: a call takes microseconds, less than passing it to another thread.

import type { InStatement, InValue, ResultSet } from '@libsql/client'
import Database from 'libsql'
import { LRUCache } from 'lru-cache'

/** More than the statements with a fixed text. Without a limit, those with a variable text would accumulate forever. */
const MAX_CACHED_STATEMENTS = 200

/**
 * With a write-ahead log NORMAL keeps every commit if this process crashes or is killed. A power cut may lose the last
 * moments; FULL would keep those with an fsync for each commit, in the thread that serves every session.
 */
const SYNCHRONOUS = 'PRAGMA synchronous = NORMAL'

/** A checkpoint waits for the disk, so `checkpoints.ts` makes it in another thread. */
const NO_CHECKPOINTS_HERE = 'PRAGMA wal_autocheckpoint = 0'

/** A process that was killed may have the file locked until it is gone. */
const MAX_OPENING_MS = 5000
/** Once it is open a lock is an error at once: a wait would stop this thread. */
const NO_WAIT = 'PRAGMA busy_timeout = 0'

/** A prepared statement, with the names of its columns if it returns rows. */
interface Prepared {
  statement: Database.Statement<unknown[]>
  columns: string[] | undefined
  isWriting: boolean
}

const WRITING =
  /^\s*(insert|update|delete|replace|create|drop|alter|with\b[\s\S]*\b(insert|update|delete))\b/i

export class LocalFile {
  readonly #database: Database.Database
  readonly #prepared = new LRUCache<string, Prepared>({ max: MAX_CACHED_STATEMENTS })

  constructor(path: string) {
    this.#database = new Database(path, { timeout: MAX_OPENING_MS })
    try {
      for (const pragma of ['PRAGMA journal_mode = WAL', SYNCHRONOUS, NO_CHECKPOINTS_HERE, NO_WAIT])
        this.#database.exec(pragma)
    } catch (error) {
      this.#database.close()
      throw error
    }
  }

  /** One statement. Rows are arrays, blobs in them Buffers. */
  execute(statement: InStatement): ResultSet {
    const { sql, args } = typeof statement === 'string' ? { sql: statement, args: [] } : statement
    const entry = this.#prepare(sql)
    const values = (args as InValue[]).map(toDatabaseValue)
    // A statement that finds the file locked stays begun, and no later transaction could commit. Only BEGIN may find that.
    return entry.isWriting && !this.#database.inTransaction
      ? this.runTransaction(() => runPrepared(entry, values))
      : runPrepared(entry, values)
  }

  /** Commits all that `work` executes or none of it; on disk when it returns. */
  runTransaction<Value>(work: () => Value): Value {
    this.#database.exec('BEGIN IMMEDIATE')
    try {
      const value = work()
      this.#database.exec('COMMIT')
      return value
    } catch (error) {
      // Some faults have ended the transaction already.
      if (this.#database.inTransaction) this.#database.exec('ROLLBACK')
      throw error
    }
  }

  commit(statements: InStatement[]): void {
    this.runTransaction(() => {
      for (const statement of statements) this.execute(statement)
    })
  }

  close(): void {
    this.#database.close()
  }

  #prepare(sql: string): Prepared {
    const cached = this.#prepared.get(sql)
    if (cached) return cached
    const statement = this.#database.prepare(sql)
    const fresh = { statement, columns: listColumns(statement), isWriting: WRITING.test(sql) }
    this.#prepared.set(sql, fresh)
    return fresh
  }
}

function runPrepared({ statement, columns }: Prepared, values: InValue[]): ResultSet {
  if (!columns) return toResultSet([], [], statement.run(values).changes)
  // Not `get`, which is a third cheaper for one row: after `all` it returns the row of the values before.
  const rows = statement.all(values) as unknown[][]
  return toResultSet(columns, rows, rows.length)
}

/** Undefined for a statement that returns no data. */
function listColumns(statement: Database.Statement<unknown[]>): string[] | undefined {
  if (!statement.reader) return undefined
  return statement
    .raw(true)
    .columns()
    .map(({ name }) => name)
}

/** The part of a result that drizzle reads. */
export const toResultSet = (columns: string[], rows: unknown[][], rowsAffected: number): ResultSet =>
  ({ columns, columnTypes: [], rows, rowsAffected, lastInsertRowid: undefined }) as unknown as ResultSet

/** Converts values as the libSQL client does for servers. */
export function toDatabaseValue(value: InValue): InValue {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value instanceof Date) return value.valueOf()
  if (value instanceof ArrayBuffer) return new Uint8Array(value)
  if (value === undefined) throw new TypeError('undefined is no value of the database')
  return value
}
