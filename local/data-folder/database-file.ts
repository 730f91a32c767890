// The edge's database as a file of the data folder.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { DatabaseAccess } from '../parts/database.ts'
import type { Settings } from '../settings/settings.ts'

export const databasePath = (dataDir: string): string => join(dataDir, 'database', 'edge.db')

/** Its address; the file itself is made by its migration. */
export function databaseFile({ DATA_DIR }: Pick<Settings, 'DATA_DIR'>): DatabaseAccess {
  const path = databasePath(DATA_DIR)
  mkdirSync(join(DATA_DIR, 'database'), { recursive: true, mode: 0o700 })
  return { url: pathToFileURL(path).href, token: '' }
}
