// Whether this version can use a database: a newer one may have changed it, or one from before the first release made it.

import type { Client } from '@libsql/client'
import { readMigrationFiles } from 'drizzle-orm/migrator'

const IS_MIGRATED = "SELECT 1 FROM sqlite_schema WHERE name = '__drizzle_migrations'"
const FIRST_MIGRATION = 'SELECT min(created_at) AS time FROM __drizzle_migrations'

/** Undefined if it can. Tables that have only grown since can be used; what else a newer version changes raises the format. */
export async function findVersionFault(
  client: Client,
  migrationsFolder: string,
  format: number,
): Promise<'newer' | 'unreleased' | undefined> {
  if ((await client.execute(IS_MIGRATED)).rows.length > 0) {
    // The migrations of development became one, whose time no database from before has.
    const time = (await client.execute(FIRST_MIGRATION)).rows[0]?.time
    const [first] = readMigrationFiles({ migrationsFolder })
    if (time && Number(time) !== first?.folderMillis) return 'unreleased'
  }
  const { rows } = await client.execute('PRAGMA user_version')
  return Number(rows[0]?.user_version) > format ? 'newer' : undefined
}
