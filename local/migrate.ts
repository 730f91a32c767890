// Brings a libSQL database to the newest migration of the edge. Run alone: DATABASE_URL and DATABASE_TOKEN say which.

import { join } from 'node:path'
import { createClient } from '@libsql/client/web'
import { migrate } from 'drizzle-orm/libsql/migrator'
import { drizzle } from 'drizzle-orm/libsql/web'
import { projectRoot } from './bundle.ts'
import type { DatabaseAccess } from './database.ts'

export async function migrateEdge({ url, token }: DatabaseAccess): Promise<void> {
  const client = createClient({ url, authToken: token })
  try {
    await migrate(drizzle(client), { migrationsFolder: join(projectRoot, 'migrations', 'edge') })
  } finally {
    client.close()
  }
}

if (import.meta.main) {
  const { DATABASE_URL: url, DATABASE_TOKEN: token = '' } = process.env
  if (!url) throw new Error('DATABASE_URL is not set.')
  await migrateEdge({ url, token })
  console.log('The database is up to date.')
}
