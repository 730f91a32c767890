// The host's own libSQL file: opened, brought up to date, and written to in whole batches only.

import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Client, createClient, type InStatement, type InValue, type Row } from '@libsql/client'
import { drizzle, type LibSQLDatabase } from 'drizzle-orm/libsql'
import { migrate } from 'drizzle-orm/libsql/migrator'
import type { StoreFault } from './fault.ts'
import { makeGuard } from './guard.ts'

const MIGRATIONS = join(import.meta.dirname, '../../migrations/host')

/**
 * With a write-ahead log NORMAL keeps every commit through a crash or kill of this process. A power cut may take the last
 * moments; FULL would buy those with an fsync a commit, in the thread that serves every session.
 */
const SYNCHRONOUS = 'PRAGMA synchronous = NORMAL'

/** A query of drizzle's that has not been run. */
export interface Statement {
  toSQL(): { sql: string; params: unknown[] }
}

/** The same in SQL, for what runs several times a message: building a query costs more than running it. */
export const statement = (sql: string, ...params: InValue[]): Statement => ({
  toSQL: () => ({ sql, params }),
})

export interface Store {
  read: LibSQLDatabase
  /** What the store last failed of, until a commit succeeds again. */
  readonly fault: StoreFault | undefined
  /** Rows in SQL, for the same reason; blobs come as ArrayBuffer. */
  rows(sql: string, ...params: InValue[]): Promise<Row[]>
  /** All of them or none; on disk when it returns. */
  commit(statements: Statement[]): Promise<void>
  close(): void
}

/** Every call of it throws StoreFault where the store is at fault, this one too. */
export async function openStore(file: string): Promise<Store> {
  const client = await makeGuard(async () => undefined).writing(() => open(file))
  // A transaction that could not begin leaves its connection in the middle of it: no later one would ever begin.
  const guard = makeGuard(() => connectAnew(client))
  await guard.writing(() => migrate(drizzle(client), { migrationsFolder: MIGRATIONS }))
  const execute = (query: InStatement) => guard.reading(() => client.execute(query))

  return {
    read: drizzle(Object.create(client, { execute: { value: execute } })),
    get fault() {
      return guard.fault
    },
    rows: async (sql, ...args) => (await execute({ sql, args })).rows,
    async commit(statements) {
      if (statements.length === 0) return
      const batch = statements.map((statement) => {
        const { sql, params } = statement.toSQL()
        return { sql, args: params as InValue[] }
      })
      await guard.writing(() => client.batch(batch, 'write'))
    },
    close: () => client.close(),
  }
}

async function open(file: string): Promise<Client> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  // SQLite would only say that it cannot open it.
  for (const path of [dirname(file), file]) if (existsSync(path)) accessSync(path, constants.W_OK)
  // One connection: its pragmas hold for every statement, and a statement never finds the file locked by a sibling.
  const client = createClient({ url: pathToFileURL(file).href, concurrency: 1 })
  try {
    await client.execute('PRAGMA journal_mode = WAL')
    await client.execute(SYNCHRONOUS)
    return client
  } catch (thrown) {
    client.close()
    throw thrown
  }
}

async function connectAnew(client: Client): Promise<void> {
  await client.reconnect()
  await client.execute(SYNCHRONOUS)
}
