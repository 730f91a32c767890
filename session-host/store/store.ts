// Where a host keeps what the network told it, read freely and written in whole batches only; and a host's own file as one.

import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Client, createClient, type InStatement, type InValue, type Row } from '@libsql/client'
import { drizzle, type LibSQLDatabase } from 'drizzle-orm/libsql'
import { migrate } from 'drizzle-orm/libsql/migrator'
import { type Prepared, plain, type Statement } from '../../shared/db/statements.ts'
import type { StoreFault } from './fault.ts'
import { type Guard, makeGuard } from './guard.ts'
import { keepStatements } from './kept-statements.ts'
import { makeRounds } from './rounds.ts'

export const MIGRATIONS = join(import.meta.dirname, '../../migrations/host')
const IDENTITY = 'SELECT id FROM store_identity WHERE one = 1'
// Another host may be doing the same.
const IDENTIFY = 'INSERT INTO store_identity (one, id) VALUES (1, ?) ON CONFLICT DO NOTHING'

/**
 * With a write-ahead log NORMAL keeps every commit through a crash or kill of this process. A power cut may take the last
 * moments; FULL would buy those with an fsync a commit, in the thread that serves every session.
 */
const SYNCHRONOUS = 'PRAGMA synchronous = NORMAL'

/** In SQL. */
export const statement = (sql: string, ...args: InValue[]): Statement => ({ sql, args })

export interface Store {
  db: LibSQLDatabase
  read<Rows>(query: Prepared<Rows>, values: object): Promise<Rows>
  /** What the store last failed of, until a commit succeeds again. */
  readonly fault: StoreFault | undefined
  /** Rows in SQL; blobs come as ArrayBuffer. */
  rows(sql: string, ...params: InValue[]): Promise<Row[]>
  /** For the host itself. All of them or none; on disk when it returns. */
  commit(statements: Statement[]): Promise<void>
  /** The same for an instance. */
  commitFor(instance: string, statements: Statement[]): Promise<void>
  /** Kept in the store itself: hosts whose stores have the same id share one. */
  readonly id: string
  /** Other hosts may write to it. */
  readonly shared: boolean
  close(): void
}

/** Every call of it throws StoreFault where the store is at fault, this one too. */
export async function openStore(file: string): Promise<Store> {
  const client = await makeGuard(async () => undefined).writing(() => open(file))
  // A transaction that could not begin leaves its connection in the middle of it: no later one would ever begin.
  const guard = makeGuard(() => connectAnew(client))
  await guard.writing(() => migrate(drizzle(client), { migrationsFolder: MIGRATIONS }))
  return storeOn(client, guard, { shared: false })
}

/** On a database that is up to date. */
export async function storeOn(client: Client, guard: Guard, { shared }: { shared: boolean }): Promise<Store> {
  const write = (batch: InStatement[]) => guard.writing(async () => void (await client.batch(batch, 'write')))
  const keep = shared ? makeRounds(write) : write
  const execute = (query: InStatement) => guard.reading(() => client.execute(query))
  const rows: Store['rows'] = async (sql, ...args) => (await execute({ sql, args })).rows
  async function commit(statements: Statement[]): Promise<void> {
    if (statements.length > 0) await keep(statements.map(plain))
  }

  const [known] = await rows(IDENTITY)
  if (!known) await commit([statement(IDENTIFY, crypto.randomUUID())])
  const [identity] = known ? [known] : await rows(IDENTITY)
  return {
    db: drizzle(Object.create(client, { execute: { value: execute } })),
    read: async (query, values) => query.rows(await execute(query.statement(values))),
    get fault() {
      return guard.fault
    },
    rows,
    commit,
    commitFor: (_, statements) => commit(statements),
    id: String(identity?.id),
    shared,
    close: () => client.close(),
  }
}

async function open(file: string): Promise<Client> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  // SQLite would only say that it cannot open it.
  for (const path of [dirname(file), file]) if (existsSync(path)) accessSync(path, constants.W_OK)
  keepStatements()
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
