// The way to libSQL: every call bounded in time, many statements only as one write batch, no transaction held open.

import { type Client, createClient, type InStatement, type ResultSet } from '@libsql/client/web'
import { drizzle } from 'drizzle-orm/libsql/web'
import { SECOND } from '../../shared/clock.ts'
import { type Prepared, plain, type Statement } from '../../shared/db/statements.ts'
import type { Env } from '../env.ts'
import { StorageError } from './storage-error.ts'
import { ANSWER_WITHIN, Rounds } from './together.ts'

/** The database's own clock in milliseconds: leases are judged by it and by no other. */
export const DATABASE_NOW = `cast(unixepoch('subsec') * 1000 as integer)`

export interface Store {
  readonly db: ReturnType<typeof drizzle>
  read<Rows>(query: Prepared<Rows>, values: object): Promise<Rows>
  /** All or nothing. */
  write(statements: Statement[]): Promise<ResultSet[]>
}

type DatabaseEnv = Pick<Env, 'DATABASE' | 'DATABASE_URL' | 'DATABASE_TOKEN'>

// Shared by all requests of the isolate. They hold statements and nothing of a connection, which is one request's own:
// a client of the whole isolate would queue one request's promises behind another's, and hang for good when busy.
const reads = new Rounds('read')
const writes = new Rounds('write')

/** Who asks whether we are ready gives up after two seconds, and must not wait behind anybody's reads. */
const PING_WITHIN = 1.5 * SECOND
const pings = new Rounds('read', PING_WITHIN)

/** For one request, or one run of an object. */
export function openStore(env: DatabaseEnv): Store {
  const connect = () => connection(env)
  return {
    db: drizzle(new Executor(connect) as unknown as Client),
    async read(query, values) {
      const [result] = await reads.ask(connect, [query.statement(values)])
      return query.rows(answered(result))
    },
    write: (statements) => writes.ask(connect, statements.map(plain)),
  }
}

/** Throws a storage error unless the database answers. */
export async function pingDatabase(env: DatabaseEnv): Promise<void> {
  await pings.ask(() => connection(env, PING_WITHIN), ['select 1'])
}

/** As much of a client as drizzle asks of it for single statements. */
class Executor {
  readonly #connect: () => Client

  constructor(connect: () => Client) {
    this.#connect = connect
  }

  async execute(statement: InStatement): Promise<ResultSet> {
    const sql = typeof statement === 'string' ? statement : statement.sql
    const rounds = /^\s*select\b/i.test(sql) ? reads : writes
    const [result] = await rounds.ask(this.#connect, [statement])
    return answered(result)
  }
}

function answered(result: ResultSet | undefined): ResultSet {
  if (!result) throw new StorageError('the database answered without a result')
  return result
}

function connection(env: DatabaseEnv, within = ANSWER_WITHIN): Client {
  if (!env.DATABASE_URL) throw new StorageError('DATABASE_URL is not set')
  return createClient({
    url: env.DATABASE_URL,
    ...(env.DATABASE_TOKEN && { authToken: env.DATABASE_TOKEN }),
    fetch: (request: Request) => boundedFetch(env, request, within),
  })
}

async function boundedFetch(env: DatabaseEnv, request: Request, within: number): Promise<Response> {
  // The binding speaks plain HTTP to one address; a remote database is reached over TLS like any other site.
  const outbound = env.DATABASE && request.url.startsWith('http:') ? env.DATABASE : globalThis
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), within)
  try {
    const response = await outbound.fetch(request, { signal: limit.signal })
    // Read here, so that the limit covers the body too.
    const body = await response.arrayBuffer()
    return new Response(body, { status: response.status, headers: response.headers })
  } catch (error) {
    throw new StorageError('the database did not answer', { cause: error })
  } finally {
    clearTimeout(timer)
  }
}
