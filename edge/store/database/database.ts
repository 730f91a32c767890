// Access to libSQL: every call has a time limit, several writes are one batch, and no transaction stays open.

import type { InStatement, ResultSet } from '@libsql/client/web'
import { SECOND } from '../../../shared/clock.ts'
import { drizzleOver } from '../../../shared/db/drizzle.ts'
import { type Prepared, plain, type Statement } from '../../../shared/db/statements.ts'
import { type After, afterTimer } from '../../deadlines.ts'
import type { Env } from '../../env.ts'
import { observe } from '../../histograms.ts'
import { type Access, ANSWER_WITHIN, GroupCommit } from './group-commit.ts'
import type { Bulk, Post, Query, Result } from './pipeline.ts'
import { StorageError } from './storage-error.ts'
import type { Value } from './values.ts'

/** The database's clock in milliseconds. Leases are checked by this clock only. */
export const DATABASE_NOW = `cast(unixepoch('subsec') * 1000 as integer)`

export interface Store {
  readonly db: ReturnType<typeof drizzleOver>
  read<Rows>(query: Prepared<Rows>, values: object, bulk?: Bulk): Promise<Rows>
  /** Reads in SQL. */
  ask(...queries: Query[]): Promise<Result[]>
  /** All or nothing. */
  write(statements: Statement[]): Promise<Result[]>
}

type DatabaseEnv = Pick<Env, 'DATABASE' | 'DATABASE_URL' | 'DATABASE_TOKEN' | 'after'>

// Shared by all requests of the isolate. They hold statements and no connection, which belongs to one request: with one
// client for the isolate, a request would wait for promises of another and hang for ever under load.
const reads = new GroupCommit('read')
const writes = new GroupCommit('write')

/** A readiness probe gives up after two seconds, so it must not wait behind other reads. */
const PING_WITHIN = 1.5 * SECOND
const pings = new GroupCommit('read', PING_WITHIN)

/** A store for one request, or for one run of an object. */
export function openStore(env: DatabaseEnv): Store {
  const access = accessTo(env)
  return {
    db: drizzleOver(new Executor(access)),
    async read(query, values, bulk) {
      const [result] = await reads.ask(access, [withBulk(query.statement(values), bulk)])
      return query.rows(answered(result))
    },
    ask: (...queries) => reads.ask(access, queries),
    write: (statements) =>
      writes.ask(
        access,
        statements.map((statement) => queryOf(plain(statement))),
      ),
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
export async function pingDatabase(env: DatabaseEnv): Promise<void> {
  await pings.ask(accessTo(env, PING_WITHIN), [{ sql: 'select 1', args: [] }])
}

/** The part of a client that drizzle needs for single statements. */
class Executor {
  readonly #access: Access

  constructor(access: Access) {
    this.#access = access
  }

  async execute(statement: InStatement): Promise<ResultSet> {
    const query = queryOf(statement)
    const group = /^\s*select\b/i.test(query.sql) ? reads : writes
    const [result] = await group.ask(this.#access, [query])
    return answered(result)
  }
}

/** Drizzle reads rows by position. */
function answered(result: Result | undefined): ResultSet {
  if (!result) throw new StorageError('the database answered without a result')
  return result as unknown as ResultSet
}

function accessTo(env: DatabaseEnv, within = ANSWER_WITHIN): Access {
  const { after = afterTimer } = env
  return { after, post: postTo(env, after, within) }
}

const postTo =
  (env: DatabaseEnv, after: After, within: number): Post =>
  async (path, body) => {
    if (!env.DATABASE_URL) throw new StorageError('DATABASE_URL is not set')
    const url = env.DATABASE_URL.replace(/^libsql:/, 'https:').replace(/\/$/, '') + path
    // The binding is for plain HTTP to one address; a remote database is reached over TLS with `fetch`.
    const outbound = env.DATABASE && url.startsWith('http:') ? env.DATABASE : globalThis
    const limit = new AbortController()
    const forgetLimit = after(within, () => limit.abort())
    const started = Date.now()
    let outcome = 'none'
    try {
      const response = await outbound.fetch(url, {
        ...{ method: 'POST', body, signal: limit.signal },
        headers: {
          'content-type': 'application/json',
          ...(env.DATABASE_TOKEN && { authorization: `Bearer ${env.DATABASE_TOKEN}` }),
        },
      })
      // Read here, so that the time limit covers the body too.
      const text = await response.text()
      outcome = String(response.status)
      return { status: response.status, text }
    } catch (error) {
      throw new StorageError('the database did not answer', { cause: error })
    } finally {
      forgetLimit()
      observe(
        'db_client_operation_duration_seconds',
        { http_response_status_code: outcome },
        Date.now() - started,
      )
    }
  }
