// Access to the database: statements in, rows out. Several writes are one transaction, and none stays open.

import type { InStatement, ResultSet } from '@libsql/client/web'
import { createDrizzle } from '@msgnet/shared/db/drizzle.ts'
import { type PreparedQuery, type Statement, toInStatement } from '@msgnet/shared/db/prepared-queries.ts'
import { setTimerDeadline } from '../../runtime/deadlines.ts'
import type { Bulk, Database, Query, Result, Value } from '../../runtime/query-types.ts'
import type { Env } from '../../settings/env.ts'
import { StorageError } from './storage-error.ts'

/** The database's clock in milliseconds. Leases are checked by this clock only. */
export const DATABASE_NOW = `cast(unixepoch('subsec') * 1000 as integer)`

export type Store = ReturnType<typeof openStore>

type DatabaseEnv = Pick<Env, 'runtime' | 'setDeadline'>

/** A store for one request, or for one run of an object. */
export function openStore({ runtime, setDeadline = setTimerDeadline }: DatabaseEnv) {
  const database = runtime.openDatabase(setDeadline)
  return {
    /** Built when it is asked for: what is read most often needs only prepared queries. */
    get db() {
      return createDrizzle(new Executor(database))
    },
    /** For reads that may take long; see `isLarge`. */
    get large() {
      return createDrizzle(new Executor(database, { isLarge: true }))
    },
    /** As `maxWriteMs` of the database. */
    maxWriteMs: database.maxWriteMs,
    async read<Rows>(query: PreparedQuery<Rows>, values: object, bulk?: Bulk): Promise<Rows> {
      const [result] = await database.read([addBulkForm(query.bind(values), bulk)])
      return query.readRows(requireResult(result))
    },
    /** Reads in SQL. */
    readAll: (...queries: Query[]): Promise<Result[]> => database.read(queries),
    /** All or nothing. */
    write: (statements: Statement[]): Promise<Result[]> =>
      database.write(statements.map((statement) => toQuery(toInStatement(statement)))),
  }
}

/** The rows that a prepared query's statement returned in a batch. */
export const readRows = <Rows>(query: PreparedQuery<Rows>, result: Result): Rows =>
  query.readRows(requireResult(result))

/** The rows of plain SQL, by the names of its columns. */
export const toRecords = ({ columns, rows }: Result): Record<string, unknown>[] =>
  rows.map((row) => Object.fromEntries(columns.map((column, at) => [column, row[at]])))

/** A statement with the bulk form that replaces it if several requests read the same. */
export const addBulkForm = (statement: InStatement, bulk?: Bulk): Query =>
  bulk ? { ...toQuery(statement), bulk } : toQuery(statement)

const toQuery = (statement: InStatement | Query): Query => {
  if (typeof statement === 'string') return { sql: statement, args: [] }
  const query = { sql: statement.sql, args: (statement.args ?? []) as Value[] }
  return 'bulk' in statement && statement.bulk ? { ...query, bulk: statement.bulk } : query
}

/** Throws a storage error unless the database responds. */
export const pingDatabase = ({ runtime, setDeadline = setTimerDeadline }: DatabaseEnv): Promise<void> =>
  runtime.openDatabase(setDeadline).ping()

/** The part of a client that drizzle needs for single statements. */
class Executor {
  readonly #database: Database
  readonly #marks: Pick<Query, 'isLarge'>

  constructor(database: Database, marks: Pick<Query, 'isLarge'> = {}) {
    this.#database = database
    this.#marks = marks
  }

  async execute(statement: InStatement): Promise<ResultSet> {
    const query = { ...toQuery(statement), ...this.#marks }
    const isRead = /^\s*select\b/i.test(query.sql)
    const [result] = await (isRead ? this.#database.read([query]) : this.#database.write([query]))
    return requireResult(result)
  }
}

/** Drizzle reads rows by position. */
function requireResult(result: Result | undefined): ResultSet {
  if (!result) throw new StorageError('the database answered without a result')
  return result as unknown as ResultSet
}
