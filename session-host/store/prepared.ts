// Statements that every message or act makes: their SQL is built once in the life of the process.

import type { Client, InValue } from '@libsql/client'
import { fillPlaceholders } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/libsql'
import { type Statement, statement } from './store.ts'

/** What of drizzle's queries is needed here. */
interface Query {
  prepare(): { getQuery(): { sql: string; params: unknown[] } }
}

/** Belongs to no connection: it makes statements and runs none. */
const blueprint = drizzle(new (class Nobody {})() as Client)

/** `build` makes a query with `sql.placeholder`s, which takes its values each time. */
export function prepare<Values extends object>(
  build: (db: typeof blueprint) => Query,
): (values: Values) => Statement {
  let made: { sql: string; params: unknown[] } | undefined
  return (values) => {
    made ??= build(blueprint).prepare().getQuery()
    return statement(
      made.sql,
      ...(fillPlaceholders(made.params, { ...values } as Record<string, unknown>) as InValue[]),
    )
  }
}
