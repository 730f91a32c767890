// Access to the database: statements in, rows out. Several writes are one transaction, and none stays open.

import type { InStatement, ResultSet } from '@libsql/client/web'
import { drizzleOver } from '../../../shared/db/drizzle.ts'
import { type Prepared, plain, type Statement } from '../../../shared/db/statements.ts'
import { afterTimer } from '../../deadlines.ts'
import type { Env } from '../../env.ts'
import type { Bulk, Database, Query, Result, Value } from './statements.ts'
import { StorageError } from './storage-error.ts'

/** The database's clock in milliseconds. Leases are checked by this clock only. */
export const DATABASE_NOW = `cast(unixepoch('subsec') * 1000 as integer)`

export interface Store {
  readonly db: ReturnType<typeof drizzleOver>
  /** For reads that may take long; see `isLarge`. */
  readonly large: ReturnType<typeof drizzleOver>
  read<Rows>(query: Prepared<Rows>, values: object, bulk?: Bulk): Promise<Rows>
  /** Reads in SQL. */
  ask(...queries: Query[]): Promise<Result[]>
  /** All or nothing. */
  write(statements: Statement[]): Promise<Result[]>
  /** As `longestWrite` of the database. */
  readonly longestWrite: number
}

type DatabaseEnv = Pick<Env, 'runtime' | 'after'>

/** A store for one request, or for one run of an object. */
export function openStore({ runtime, after = afterTimer }: DatabaseEnv): Store {
  const database = runtime.openDatabase(after)
  return {
    db: drizzleOver(new Executor(database)),
    get large() {
      return drizzleOver(new Executor(database, { isLarge: true }))
    },
    longestWrite: database.longestWrite,
    async read(query, values, bulk) {
      const [result] = await database.read([withBulk(query.statement(values), bulk)])
      return query.rows(answered(result))
    },
    ask: (...queries) => database.read(queries),
    write: (statements) => database.write(statements.map((statement) => queryOf(plain(statement)))),
  }
}

/** The rows that a prepared query's statement returned in a batch. */
export const rowsOf = <Rows>(query: Prepared<Rows>, result: Result): Rows => query.rows(answered(result))

/** The rows of plain SQL, by the names of its columns. */
export const byName = ({ columns, rows }: Result): Record<string, unknown>[] =>
  rows.map((row) => Object.fromEntries(columns.map((column, at) => [column, row[at]])))

/** A statement with the bulk form that replaces it if several requests ask the same. */
export const withBulk = (statement: InStatement, bulk?: Bulk): Query =>
  bulk ? { ...queryOf(statement), bulk } : queryOf(statement)

const queryOf = (statement: InStatement | Query): Query => {
  if (typeof statement === 'string') return { sql: statement, args: [] }
  const query = { sql: statement.sql, args: (statement.args ?? []) as Value[] }
  return 'bulk' in statement && statement.bulk ? { ...query, bulk: statement.bulk } : query
}

/** Throws a storage error unless the database answers. */
export const pingDatabase = ({ runtime, after = afterTimer }: DatabaseEnv): Promise<void> =>
  runtime.openDatabase(after).ping()

/** The part of a client that drizzle needs for single statements. */
class Executor {
  readonly #database: Database
  readonly #marks: Pick<Query, 'isLarge'>

  constructor(database: Database, marks: Pick<Query, 'isLarge'> = {}) {
    this.#database = database
    this.#marks = marks
  }

  async execute(statement: InStatement): Promise<ResultSet> {
    const query = { ...queryOf(statement), ...this.#marks }
    const isRead = /^\s*select\b/i.test(query.sql)
    const [result] = await (isRead ? this.#database.read([query]) : this.#database.write([query]))
    return answered(result)
  }
}

/** Drizzle reads rows by position. */
function answered(result: Result | undefined): ResultSet {
  if (!result) throw new StorageError('the database answered without a result')
  return result as unknown as ResultSet
}
