// A database file of one process, used in this thread: a call takes microseconds, less than passing it to another thread.

import type { InStatement, InValue, ResultSet } from '@libsql/client'
import Database from 'libsql'
import { LRUCache } from 'lru-cache'

/** More than the statements with a fixed text. Without a limit, those with a variable text would accumulate forever. */
const STATEMENTS_KEPT = 200

/**
 * With a write-ahead log NORMAL keeps every commit if this process crashes or is killed. A power cut may lose the last
 * moments; FULL would keep those with an fsync for each commit, in the thread that serves every session.
 */
const SYNCHRONOUS = 'PRAGMA synchronous = NORMAL'

/** A checkpoint waits for the disk, so `checkpoints.ts` makes it in another thread. */
const NO_CHECKPOINTS_HERE = 'PRAGMA wal_autocheckpoint = 0'

export interface LocalFile {
  /** One statement. Rows are arrays, blobs in them Buffers. */
  execute(statement: InStatement): ResultSet
  /** Commits all that `work` executes or none of it; on disk when it returns. */
  transaction<Value>(work: () => Value): Value
  commit(statements: InStatement[]): void
  close(): void
}

/** A prepared statement, with the names of its columns if it returns rows. */
interface Prepared {
  statement: Database.Statement<unknown[]>
  columns: string[] | undefined
  isWriting: boolean
}

const WRITING =
  /^\s*(insert|update|delete|replace|create|drop|alter|with\b[\s\S]*\b(insert|update|delete))\b/i

export function openLocalFile(path: string): LocalFile {
  const database = new Database(path)
  const prepared = new LRUCache<string, Prepared>({ max: STATEMENTS_KEPT })

  function prepare(sql: string): Prepared {
    const known = prepared.get(sql)
    if (known) return known
    const statement = database.prepare(sql)
    const made = { statement, columns: columnsOf(statement), isWriting: WRITING.test(sql) }
    prepared.set(sql, made)
    return made
  }

  function execute(statement: InStatement): ResultSet {
    const { sql, args } = typeof statement === 'string' ? { sql: statement, args: [] } : statement
    const ready = prepare(sql)
    const values = (args as InValue[]).map(toDatabase)
    // A statement that finds the file locked stays begun, and no later transaction could commit. Only BEGIN may find that.
    return ready.isWriting && !database.inTransaction
      ? transaction(() => run(ready, values))
      : run(ready, values)
  }

  function run({ statement, columns }: Prepared, values: InValue[]): ResultSet {
    if (!columns) return resultOf([], [], statement.run(values).changes)
    const rows = statement.all(values) as unknown[][]
    return resultOf(columns, rows, rows.length)
  }

  try {
    for (const pragma of ['PRAGMA journal_mode = WAL', SYNCHRONOUS, NO_CHECKPOINTS_HERE])
      database.exec(pragma)
  } catch (thrown) {
    database.close()
    throw thrown
  }

  function transaction<Value>(work: () => Value): Value {
    database.exec('BEGIN IMMEDIATE')
    try {
      const value = work()
      database.exec('COMMIT')
      return value
    } catch (thrown) {
      // Some faults have ended the transaction already.
      if (database.inTransaction) database.exec('ROLLBACK')
      throw thrown
    }
  }

  return {
    execute,
    transaction,
    commit: (statements) => transaction(() => void statements.forEach(execute)),
    close: () => database.close(),
  }
}

/** Undefined for a statement that returns no data. */
function columnsOf(statement: Database.Statement<unknown[]>): string[] | undefined {
  if (!statement.reader) return undefined
  return statement
    .raw(true)
    .columns()
    .map(({ name }) => name)
}

/** The part of a result that drizzle reads. */
const resultOf = (columns: string[], rows: unknown[][], rowsAffected: number): ResultSet =>
  ({ columns, columnTypes: [], rows, rowsAffected, lastInsertRowid: undefined }) as unknown as ResultSet

/** Converts values as the libSQL client does for servers. */
function toDatabase(value: InValue): InValue {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value instanceof Date) return value.valueOf()
  if (value instanceof ArrayBuffer) return new Uint8Array(value)
  if (value === undefined) throw new TypeError('undefined is no value of the database')
  return value
}
