// Statements for libSQL, from drizzle or as SQL. Those that run for every message or request are built once.

import type { InStatement, InValue, ResultSet } from '@libsql/client/web'
import { fillPlaceholders } from 'drizzle-orm'
import { createDrizzle } from './drizzle.ts'
import { createRowMapper, type MappedQuery } from './row-mapper.ts'

/** A drizzle query that has not been run, or plain SQL. */
export type Statement = { toSQL(): { sql: string; params: unknown[] } } | InStatement

/** As plain SQL. */
export function toInStatement(statement: Statement): InStatement {
  if (typeof statement === 'string' || !('toSQL' in statement)) return statement
  const { sql, params } = statement.toSQL()
  return { sql, args: params as InValue[] }
}

/** The part of drizzle's queries that is used here. */
interface Query {
  prepare(): MappedQuery & {
    getQuery(): { sql: string; params: unknown[] }
    execute(): Promise<unknown>
  }
}
type RowsOf<Q extends Query> = Awaited<ReturnType<ReturnType<Q['prepare']>['execute']>>

export interface PreparedQuery<Rows> {
  /** A statement with these values for its placeholders. */
  bind(values: object): InStatement
  readRows(result: ResultSet): Rows
  /** The SQL with `?` for its placeholders. */
  readonly sql: string
}

/** Without a connection: it builds statements and runs none. */
const blueprint = createDrizzle({})

/**
 * `build` returns a query with `sql.placeholder`s. Its SQL is built once in the life of the process or isolate, at the first
 * use, because building costs more than running it.
 */
export function prepareQuery<Q extends Query>(build: (db: typeof blueprint) => Q): PreparedQuery<RowsOf<Q>> {
  const buildQuery = () => {
    const query = build(blueprint).prepare()
    return { mapRows: createRowMapper(query), ...query.getQuery() }
  }
  let built: ReturnType<typeof buildQuery> | undefined
  const getBuilt = () => (built ??= buildQuery())
  return {
    bind(values) {
      const { sql, params } = getBuilt()
      return { sql, args: fillPlaceholders(params, { ...values }) as InValue[] }
    },
    get sql() {
      return getBuilt().sql
    },
    readRows: (result) => getBuilt().mapRows(result) as RowsOf<Q>,
  }
}
