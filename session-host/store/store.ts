// Where a host keeps what the network told it, read freely and written in whole batches only; and a host's own file as one.

import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { type Client, createClient, type InStatement, type InValue, type ResultSet } from '@libsql/client'
import { drizzle, type LibSQLDatabase } from 'drizzle-orm/libsql'
import { migrate } from 'drizzle-orm/libsql/migrator'
import { type Prepared, plain, type Statement } from '../../shared/db/statements.ts'
import { type Checkpoints, startCheckpoints } from './checkpoints.ts'
import type { StoreFault } from './fault.ts'
import { makeGroupCommit } from './group-commit.ts'
import { type Guard, makeGuard } from './guard.ts'
import { openLocalFile } from './local-file.ts'

export const MIGRATIONS = join(import.meta.dirname, '../../migrations/host')
const IDENTITY = 'SELECT id FROM store_identity WHERE one = 1'
// Another host may be doing the same.
const IDENTIFY = 'INSERT INTO store_identity (one, id) VALUES (1, ?) ON CONFLICT DO NOTHING'

/** In SQL. */
export const statement = (sql: string, ...args: InValue[]): Statement => ({ sql, args })

/** Blobs are ArrayBuffers or Buffers. */
export type Row = Record<string, unknown>

interface Written {
  commits: number
  statements: number
  /** That they took. */
  seconds: number
}

export interface Store {
  db: LibSQLDatabase
  read<Rows>(query: Prepared<Rows>, values: object): Promise<Rows>
  /** What the store last failed of, until a commit succeeds again. */
  readonly fault: StoreFault | undefined
  /** Transactions that were begun so far, and the statements in them. */
  readonly written: Readonly<Written>
  /** Rows in SQL, by the names of their columns. */
  rows(sql: string, ...params: InValue[]): Promise<Row[]>
  /** For the host itself. All of them or none; on disk when it returns. */
  commit(statements: Statement[]): Promise<void>
  /** The same for an instance. */
  commitFor(instance: string, statements: Statement[]): Promise<void>
  /** The same for what only tidies up: it may wait for another commit. What `make` answers when it goes is written, or never. */
  tidyFor(instance: string, make: () => Statement[]): Promise<void>
  /** Kept in the store itself: hosts whose stores have the same id share one. */
  readonly id: string
  /** Other hosts may write to it. */
  readonly shared: boolean
  /** Where it lies, if it is a file of this host alone. */
  readonly file: string | undefined
  close(): void
}

/** Every call of it throws StoreFault where the store is at fault, this one too. `failed` hears what checkpoints fail of. */
export async function openStore(file: string, failed: (thrown: unknown) => void): Promise<Store> {
  const guard = makeGuard()
  await guard.writing(() => bringUpToDate(file))
  const local = await guard.writing(() => openLocalFile(file))
  const checkpoints: Checkpoints = startCheckpoints(file, failed)
  const close = () => {
    checkpoints.stop()
    local.close()
  }
  return storeOn({ ...local, close }, guard, file)
}

/** What runs statements: a file at once, a server with a promise. */
export interface Engine {
  execute(statement: InStatement): ResultSet | Promise<ResultSet>
  commit(statements: InStatement[]): void | Promise<void>
  close(): void
}

/** On a database that is up to date: this file, or a server. */
export async function storeOn(engine: Engine, guard: Guard, file?: string): Promise<Store> {
  const shared = file === undefined
  const execute = (query: InStatement) => guard.reading(() => engine.execute(query))
  const rows: Store['rows'] = async (sql, ...args) => named(await execute({ sql, args }))
  const written: Written = { commits: 0, statements: 0, seconds: 0 }
  async function write(batch: InStatement[]): Promise<void> {
    written.commits += 1
    written.statements += batch.length
    const began = performance.now()
    try {
      await guard.writing(() => engine.commit(batch))
    } finally {
      written.seconds += (performance.now() - began) / 1000
    }
  }
  // A server takes its time, in which others come; to a file they come in the same turn of the event loop.
  const groupCommit = shared ? makeGroupCommit(write) : makeGroupCommit(write, setImmediate)
  async function commit(statements: Statement[]): Promise<void> {
    if (statements.length > 0) await groupCommit(statements.map(plain))
  }

  const [known] = await rows(IDENTITY)
  if (!known) await commit([statement(IDENTIFY, crypto.randomUUID())])
  const [identity] = known ? [known] : await rows(IDENTITY)
  return {
    // As much of a client as drizzle asks of it for single statements.
    db: drizzle({ execute } as unknown as Client),
    read: async (query, values) => query.rows(await execute(query.statement(values))),
    get fault() {
      return guard.fault
    },
    written,
    rows,
    commit,
    commitFor: (_, statements) => commit(statements),
    tidyFor: (_, make) => commit(make()),
    id: String(identity?.id),
    shared,
    file,
    close: () => engine.close(),
  }
}

const named = ({ columns, rows }: ResultSet): Row[] =>
  rows.map((row) => Object.fromEntries(columns.map((column, at) => [column, row[at]])))

async function bringUpToDate(file: string): Promise<void> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  // SQLite would only say that it cannot open it.
  for (const path of [dirname(file), file]) if (existsSync(path)) accessSync(path, constants.W_OK)
  const client = createClient({ url: pathToFileURL(file).href, concurrency: 1 })
  try {
    await migrate(drizzle(client), { migrationsFolder: MIGRATIONS })
  } finally {
    client.close()
  }
}
