// Statements for libSQL, from drizzle or as SQL. Those that run for every message or request are built once.

import type { InStatement, InValue, ResultSet } from '@libsql/client/web'
import { fillPlaceholders } from 'drizzle-orm'
import { drizzleOver } from './drizzle.ts'
import { type Mapped, rowMapper } from './rows.ts'

/** A drizzle query that has not been run, or plain SQL. */
export type Statement = { toSQL(): { sql: string; params: unknown[] } } | InStatement

/** As plain SQL. */
export function plain(statement: Statement): InStatement {
  if (typeof statement === 'string' || !('toSQL' in statement)) return statement
  const { sql, params } = statement.toSQL()
  return { sql, args: params as InValue[] }
}

/** The part of drizzle's queries that is used here. */
interface Query {
  prepare(): Mapped & {
    getQuery(): { sql: string; params: unknown[] }
    execute(): Promise<unknown>
  }
}
type RowsOf<Q extends Query> = Awaited<ReturnType<ReturnType<Q['prepare']>['execute']>>

export interface Prepared<Rows> {
  /** A statement with these values for its placeholders. */
  statement(values: object): InStatement
  rows(result: ResultSet): Rows
  /** The SQL with `?` for its placeholders. */
  readonly sql: string
}

/** Without a connection: it builds statements and runs none. */
const blueprint = drizzleOver({})

/**
 * `build` returns a query with `sql.placeholder`s. Its SQL is built once in the life of the process or isolate, at the first
 * use, because building costs more than running it.
 */
export function prepare<Q extends Query>(build: (db: typeof blueprint) => Q): Prepared<RowsOf<Q>> {
  const make = () => {
    const query = build(blueprint).prepare()
    return { mapRows: rowMapper(query), ...query.getQuery() }
  }
  let made: ReturnType<typeof make> | undefined
  const ready = () => (made ??= make())
  return {
    statement(values) {
      const { sql, params } = ready()
      return { sql, args: fillPlaceholders(params, { ...values }) as InValue[] }
    },
    get sql() {
      return ready().sql
    },
    rows: (result) => ready().mapRows(result) as RowsOf<Q>,
  }
}
