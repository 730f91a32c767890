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

/** Without a connection: it builds statements and runs none. */
const blueprint = createDrizzle({})

/** Its SQL is built once in the life of the process or isolate, at the first use, because building costs more than running it. */
export class PreparedQuery<Rows> {
  readonly #build: () => Query
  #built: ReturnType<typeof buildQuery> | undefined

  constructor(build: () => Query) {
    this.#build = build
  }

  /** A statement with these values for its placeholders. */
  bind(values: object): InStatement {
    const { sql, params } = this.#getBuilt()
    return { sql, args: fillPlaceholders(params, { ...values }) as InValue[] }
  }

  readRows(result: ResultSet): Rows {
    return this.#getBuilt().mapRows(result) as Rows
  }

  /** The SQL with `?` for its placeholders. */
  get sql(): string {
    return this.#getBuilt().sql
  }

  #getBuilt() {
    this.#built ??= buildQuery(this.#build())
    return this.#built
  }
}

function buildQuery(query: Query) {
  const prepared = query.prepare()
  return { mapRows: createRowMapper(prepared), ...prepared.getQuery() }
}

/** `build` returns a query with `sql.placeholder`s. */
export const prepareQuery = <Q extends Query>(build: (db: typeof blueprint) => Q): PreparedQuery<RowsOf<Q>> =>
  new PreparedQuery(() => build(blueprint))
