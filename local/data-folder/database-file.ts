// The edge's database as a file of the data folder.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { DatabaseAccess } from '../parts/database.ts'
import type { Settings } from '../settings/settings.ts'
import { recordFormat } from './format.ts'
import { takeOverDatabase } from './take-over.ts'

export const databasePath = (dataDir: string): string => join(dataDir, 'database', 'edge.db')

/** Its address. The file itself is made by its migration, or from the database that an earlier version left. */
export async function prepareDatabaseFile(
  { DATA_DIR }: Pick<Settings, 'DATA_DIR'>,
  say: (line: string) => void,
): Promise<DatabaseAccess> {
  const path = databasePath(DATA_DIR)
  mkdirSync(join(DATA_DIR, 'database'), { recursive: true, mode: 0o700 })
  await takeOverDatabase(DATA_DIR, path, say)
  recordFormat(DATA_DIR)
  return { url: pathToFileURL(path).href, token: '' }
}
