// Migrates databases to the newest tables. As a command it takes DATABASE_URL and DATABASE_TOKEN, and migrates the edge's.

import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type Client, createClient } from '@libsql/client/web'
import { formats } from '@msgnet/shared/data-formats.ts'
import { withDeadline } from '@msgnet/shared/deadline.ts'
import { findVersionFault } from '@msgnet/shared/node/database-version.ts'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { refuseArguments, runCommand } from '@msgnet/shared/node/run-command.ts'
import type { Side } from '@msgnet/shared/seal-keys.ts'
import { migrate } from 'drizzle-orm/libsql/migrator'
import { drizzle } from 'drizzle-orm/libsql/web'
import { projectRoot } from './build/root.ts'
import type { DatabaseAccess } from './parts/database-part.ts'

const PROBE_TIMEOUT_MS = 10_000

const toMigrationsFolder = (side: Side) => join(projectRoot, 'migrations', side)

export const migrateEdge = (access: DatabaseAccess): Promise<void> => migrateServer(access, 'edge')

/** A store that hosts share. */
export const migrateStore = (access: DatabaseAccess): Promise<void> => migrateServer(access, 'host')

async function migrateServer({ url, token }: DatabaseAccess, side: Side): Promise<void> {
  const client = url.startsWith('file:') ? await openFileClient(url) : createClient({ url, authToken: token })
  try {
    await refuseUnusable(client, url)
    await refuseOtherVersion(client, url, side)
    await migrate(drizzle(client), { migrationsFolder: toMigrationsFolder(side) })
  } finally {
    client.close()
  }
}

/** The edge's own database, made if there is none at this path. */
export const migrateEdgeFile = (path: string): Promise<void> => migrateFile(path, 'edge')

/** A host's own store, made if there is none at this path. */
export const migrateStoreFile = (path: string): Promise<void> => migrateFile(path, 'host')

async function migrateFile(path: string, side: Side): Promise<void> {
  const client = await openFileClient(pathToFileURL(path).href)
  try {
    await migrate(drizzle(client), { migrationsFolder: toMigrationsFolder(side) })
  } finally {
    client.close()
  }
}

/** Its client is loaded only here, because the start of every edge loads this file. */
async function openFileClient(url: string): Promise<Client> {
  const { createClient: openClient } = await import('@libsql/client')
  return openClient({ url, concurrency: 1 })
}

/** A migration may take long, but whether the database responds is known soon. */
async function refuseUnusable(client: Client, url: string): Promise<void> {
  // `select 1` would not look into a file.
  const probe = client.execute('SELECT count(*) FROM sqlite_schema').then(
    () => undefined,
    (error: Error) => error.message,
  )
  const problem = await withDeadline(probe, PROBE_TIMEOUT_MS, () => 'it did not respond')
  if (problem !== undefined) throw new OperatorError(`${describeDatabase(url)} cannot be used (${problem}).`)
}

const describeDatabase = (url: string) =>
  url.startsWith('file:') ? `The database ${fileURLToPath(url)}` : 'DATABASE_URL: the database'

async function refuseOtherVersion(client: Client, url: string, side: Side): Promise<void> {
  const fault = await findVersionFault(client, toMigrationsFolder(side), formats[side])
  if (fault === 'newer')
    throw new OperatorError(
      'A newer version has changed the database so that this one cannot use it: start that version again, or restore a backup from before.',
    )
  if (fault === 'unreleased')
    throw new OperatorError(
      `${describeDatabase(url)} was made before the first release, and this version cannot use it: start with an empty one (a new DATA_DIR). What is to be kept, export with the version that made it.`,
    )
}

async function migrateConfigured(): Promise<void> {
  refuseArguments()
  const { DATABASE_URL: url, DATABASE_TOKEN: token = '' } = process.env
  if (!url) throw new OperatorError('DATABASE_URL is not set: npm start migrates its own database.')
  await migrateEdge({ url, token })
  console.log('The database is up to date.')
}

if (import.meta.main) await runCommand(migrateConfigured)
