// Statements on their way to libSQL, however they were made. Those that run for every message or request are built once.

import type { InStatement, InValue, ResultSet } from '@libsql/client/web'
import { fillPlaceholders } from 'drizzle-orm'
import { drizzleOver } from './drizzle.ts'
import { type Mapped, rowMapper } from './rows.ts'

/** A query of drizzle's that has not been run, or one in SQL. */
export type Statement = { toSQL(): { sql: string; params: unknown[] } } | InStatement

/** In SQL. */
export function plain(statement: Statement): InStatement {
  if (typeof statement === 'string' || !('toSQL' in statement)) return statement
  const { sql, params } = statement.toSQL()
  return { sql, args: params as InValue[] }
}

/** What of drizzle's queries is needed here. */
interface Query {
  prepare(): Mapped & {
    getQuery(): { sql: string; params: unknown[] }
    execute(): Promise<unknown>
  }
}
type RowsOf<Q extends Query> = Awaited<ReturnType<ReturnType<Q['prepare']>['execute']>>

export interface Prepared<Rows> {
  /** Of the values that stand in for its placeholders. */
  statement(values: object): InStatement
  rows(result: ResultSet): Rows
  /** With `?` for its placeholders. */
  readonly sql: string
}

/** Belongs to no connection: it makes statements and runs none. */
const blueprint = drizzleOver({})

/**
 * `build` makes a query with `sql.placeholder`s. Its SQL is built at its first use, and never again in the life of the
 * process or isolate: that costs more than running it.
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
