// The store of a host: reads are free, writes are whole batches. Opens a host's own file as a store.

import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { type Client, createClient, type InStatement, type ResultSet } from '@libsql/client'
import { formats } from '@msgnet/shared/data-formats.ts'
import { type Statement, toInStatement } from '@msgnet/shared/db/prepared-queries.ts'
import { startCheckpoints } from '@msgnet/shared/node/checkpoints.ts'
import { findVersionFault } from '@msgnet/shared/node/database-version.ts'
import { LocalFile } from '@msgnet/shared/node/local-file.ts'
import { drizzle } from 'drizzle-orm/libsql'
import { migrate } from 'drizzle-orm/libsql/migrator'
import { StoreFault } from '../process/store-fault.ts'
import { FileReads, type HeavyReadOptions, HeavyReads, type StoreReader } from './heavy-reads.ts'
import { nameColumns, statement } from './sql.ts'
import { createGroupCommit } from './store-group-commit.ts'
import { Guard } from './store-guard.ts'

export { type Row, statement } from './sql.ts'

export const MIGRATIONS = join(import.meta.dirname, '../../migrations/host')
const IDENTITY = 'SELECT id FROM store_identity WHERE one = 1'
// Another host may be doing the same.
const IDENTIFY = 'INSERT INTO store_identity (one, id) VALUES (1, ?) ON CONFLICT DO NOTHING'

interface WriteStats {
  commits: number
  statements: number
  /** The time that they took. */
  seconds: number
}

export interface Store extends StoreReader {
  /** The last fault of the store, until a commit succeeds again. */
  readonly fault: StoreFault | undefined
  /** The transactions that were begun so far, and their statements. */
  readonly writeStats: Readonly<WriteStats>
  /** For reads that may take more than a millisecond. The other reads of a host's own file are made in the thread that serves every session. */
  readonly heavyReads: HeavyReads
  /** For the host itself. Commits all statements or none; on disk when it resolves. */
  commit(statements: Statement[]): Promise<void>
  /** The same for an instance. */
  commitFor(instance: string, statements: Statement[]): Promise<void>
  /** The same for a cleanup, which may wait for another commit. `make` is called when it is written; a killed process drops it. */
  cleanUpFor(instance: string, make: () => Statement[]): Promise<void>
  /** Stored in the store itself: hosts whose stores have the same id share one. */
  readonly id: string
  /** Other hosts may write to it. */
  readonly shared: boolean
  /** Its path, if it is a file of this host alone. */
  readonly file: string | undefined
  close(): void | Promise<void>
}

/** This and every call of the store throws StoreFault for a fault of the store. `onCheckpointError` is called with errors of checkpoints. */
export async function openStore(
  file: string,
  onCheckpointError: (error: unknown) => void,
  heavyReadOptions: HeavyReadOptions = {},
): Promise<Store> {
  const guard = new Guard()
  await guard.runWrite(() => migrateFile(file))
  const local = await guard.runWrite(() => new LocalFile(file))
  const checkpoints = startCheckpoints(file, onCheckpointError)
  const heavyReads = new HeavyReads(new FileReads(file, guard), heavyReadOptions)
  const close = async () => {
    await heavyReads.close()
    await checkpoints.stop()
    // SQLite would do it with the last connection, but those of heavy reads are released when their garbage is collected.
    local.execute('PRAGMA wal_checkpoint(TRUNCATE)')
    local.close()
  }
  const engine = {
    execute: (statement: InStatement) => local.execute(statement),
    commit: (statements: InStatement[]) => local.commit(statements),
    close,
  }
  return createStore(engine, guard, heavyReads, file)
}

/** Runs statements: a file synchronously, a server with a promise. */
export interface Engine {
  execute(statement: InStatement): ResultSet | Promise<ResultSet>
  commit(statements: InStatement[]): void | Promise<void>
  close(): void | Promise<void>
}

/** A store on a migrated database: this file, or a server. */
export async function createStore(
  engine: Engine,
  guard: Guard,
  heavyReads: HeavyReads,
  file?: string,
): Promise<Store> {
  const shared = file === undefined
  const execute = (query: InStatement) => guard.runRead(() => engine.execute(query))
  const rows: Store['rows'] = async (sql, ...args) => nameColumns(await execute({ sql, args }))
  const writeStats: WriteStats = { commits: 0, statements: 0, seconds: 0 }
  async function writeBatch(batch: InStatement[]): Promise<void> {
    writeStats.commits += 1
    writeStats.statements += batch.length
    const began = performance.now()
    try {
      await guard.runWrite(() => engine.commit(batch))
    } finally {
      writeStats.seconds += (performance.now() - began) / 1000
    }
  }
  // While a server works, further commits arrive; for a file they are gathered within one turn of the event loop.
  const groupCommit = shared ? createGroupCommit(writeBatch) : createGroupCommit(writeBatch, setImmediate)
  async function commit(statements: Statement[]): Promise<void> {
    if (statements.length > 0) await groupCommit(statements.map(toInStatement))
  }

  const [known] = await rows(IDENTITY)
  if (!known) await commit([statement(IDENTIFY, crypto.randomUUID())])
  const [identity] = known ? [known] : await rows(IDENTITY)
  return {
    // The part of a client that drizzle needs for single statements.
    db: drizzle({ execute } as unknown as Client),
    read: async (query, values) => query.readRows(await execute(query.bind(values))),
    get fault() {
      return guard.fault
    },
    writeStats,
    rows,
    heavyReads,
    commit,
    commitFor: (_, statements) => commit(statements),
    cleanUpFor: (_, make) => commit(make()),
    id: String(identity?.id),
    shared,
    file,
    close: () => engine.close(),
  }
}

async function migrateFile(file: string): Promise<void> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  // SQLite's own error would not say that the folder or the file is read-only.
  for (const path of [dirname(file), file]) if (existsSync(path)) accessSync(path, constants.W_OK)
  const client = createClient({ url: pathToFileURL(file).href, concurrency: 1 })
  try {
    await refuseOtherVersion(client)
    await migrate(drizzle(client), { migrationsFolder: MIGRATIONS })
  } finally {
    client.close()
  }
}

export async function refuseOtherVersion(client: Client): Promise<void> {
  const fault = await findVersionFault(client, MIGRATIONS, formats.host)
  if (fault) throw new StoreFault(fault)
}
