// The way to libSQL: one client a request, every call bounded in time, many statements only as one write batch.

import { createClient, type InStatement, type InValue, LibsqlError, type ResultSet } from '@libsql/client/web'
import { DrizzleQueryError } from 'drizzle-orm/errors'
import { drizzle } from 'drizzle-orm/libsql/web'
import { SECOND } from '../../shared/clock.ts'
import type { Env } from '../env.ts'

/** Past this a statement counts as unanswered; whoever asked gets `storage_unavailable`. */
const ANSWER_WITHIN = 8 * SECOND

/** The database's own clock in milliseconds: leases are judged by it and by no other. */
export const DATABASE_NOW = `cast(unixepoch('subsec') * 1000 as integer)`

/** A statement that drizzle built, or one written by hand. */
export type Statement = { toSQL(): { sql: string; params: unknown[] } } | InStatement

export interface Store {
  readonly db: ReturnType<typeof drizzle>
  /** All or nothing, with the write lock taken at the start: a deferred one may fail half-way for want of it. */
  write(statements: Statement[]): Promise<ResultSet[]>
}

/** The database did not answer, or not in time. */
class StorageError extends Error {}

type DatabaseEnv = Pick<Env, 'DATABASE' | 'DATABASE_URL' | 'DATABASE_TOKEN'>

export function openStore(env: DatabaseEnv): Store {
  if (!env.DATABASE_URL) throw new StorageError('DATABASE_URL is not set')
  // A client of the whole isolate would queue one request's promises behind another's, and hang for good when busy.
  const client = createClient({
    url: env.DATABASE_URL,
    ...(env.DATABASE_TOKEN && { authToken: env.DATABASE_TOKEN }),
    fetch: (request: Request) => boundedFetch(env, request),
  })
  return {
    db: drizzle(client),
    write: (statements) => client.batch(statements.map(plain), 'write'),
  }
}

/** True for every way in which the database can fail us, whichever layer speaks of it. */
export function isStorageError(error: unknown): boolean {
  const known = [StorageError, LibsqlError, DrizzleQueryError].some((kind) => error instanceof kind)
  return known || (error instanceof Error && error.cause !== undefined && isStorageError(error.cause))
}

/** Throws a storage error unless the database answers. */
export async function pingDatabase(env: DatabaseEnv): Promise<void> {
  await openStore(env).db.run('select 1')
}

function plain(statement: Statement): InStatement {
  if (typeof statement === 'string' || !('toSQL' in statement)) return statement
  const { sql, params } = statement.toSQL()
  return { sql, args: params as InValue[] }
}

async function boundedFetch(env: DatabaseEnv, request: Request): Promise<Response> {
  // The binding speaks plain HTTP to one address; a remote database is reached over TLS like any other site.
  const outbound = env.DATABASE && request.url.startsWith('http:') ? env.DATABASE : globalThis
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), ANSWER_WITHIN)
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
