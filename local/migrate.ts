// Migrates a libSQL database to the newest schema of the edge. As a command it takes DATABASE_URL and DATABASE_TOKEN.

import { join } from 'node:path'
import { type Client, createClient } from '@libsql/client/web'
import { migrate } from 'drizzle-orm/libsql/migrator'
import { drizzle } from 'drizzle-orm/libsql/web'
import { withDeadline } from '../shared/deadline.ts'
import { formats } from '../shared/format.ts'
import { projectRoot } from './build/bundle.ts'
import type { DatabaseAccess } from './parts/database.ts'
import { refuseArguments, runCommand } from './settings/command.ts'
import { Complaint } from './settings/settings.ts'

const ANSWERS_WITHIN_MS = 10_000

export async function migrateEdge({ url, token }: DatabaseAccess): Promise<void> {
  const client = createClient({ url, authToken: token })
  try {
    await answering(client)
    await refuseNewer(client)
    await migrate(drizzle(client), { migrationsFolder: join(projectRoot, 'migrations', 'edge') })
  } finally {
    client.close()
  }
}

/** A migration may take long, but whether the database answers is known soon. */
async function answering(client: Client): Promise<void> {
  const asked = client.execute('SELECT 1').then(
    () => undefined,
    (error: Error) => error.message,
  )
  const trouble = await withDeadline(asked, ANSWERS_WITHIN_MS, () => 'it did not answer')
  if (trouble !== undefined) throw new Complaint(`DATABASE_URL: the database cannot be used (${trouble}).`)
}

/** Tables of a newer version can be used as long as they have only grown. */
async function refuseNewer(client: Client): Promise<void> {
  const { rows } = await client.execute('PRAGMA user_version')
  if (Number(rows[0]?.user_version) > formats.edge)
    throw new Complaint(
      'A newer version has changed the database so that this one cannot use it: start that version again, or restore a backup from before.',
    )
}

async function main(): Promise<void> {
  refuseArguments()
  const { DATABASE_URL: url, DATABASE_TOKEN: token = '' } = process.env
  if (!url) throw new Complaint('DATABASE_URL is not set: npm start migrates the database of its own.')
  await migrateEdge({ url, token })
  console.log('The database is up to date.')
}

if (import.meta.main) await runCommand(main)
