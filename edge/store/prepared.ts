// Reads that nearly every request makes: their SQL is built once in the life of an isolate, not once a request.

import type { Client, InStatement, InValue, ResultSet } from '@libsql/client/web'
import { fillPlaceholders } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/libsql/web'

/** What of drizzle's queries is needed here. */
interface Query {
  prepare(): {
    getQuery(): { sql: string; params: unknown[] }
    mapResult(result: unknown, fromBatch: true): unknown
    execute(): Promise<unknown>
  }
}
type RowsOf<Q extends Query> = Awaited<ReturnType<ReturnType<Q['prepare']>['execute']>>

export interface Read<Rows> {
  statement(values: Record<string, InValue>): InStatement
  rows(result: ResultSet): Rows
}

/** Belongs to no connection: it makes statements and runs none. */
const blueprint = drizzle(new (class Nobody {})() as Client)

/** `build` makes a query with `sql.placeholder`s, which takes its values when it is asked. */
export function prepare<Q extends Query>(build: (db: typeof blueprint) => Q): Read<RowsOf<Q>> {
  const make = () => {
    const query = build(blueprint).prepare()
    return { query, ...query.getQuery() }
  }
  let made: ReturnType<typeof make> | undefined
  const ready = () => (made ??= make())
  return {
    statement(values) {
      const { sql, params } = ready()
      return { sql, args: fillPlaceholders(params, values) as InValue[] }
    },
    rows: (result) => ready().query.mapResult(result, true) as RowsOf<Q>,
  }
}
