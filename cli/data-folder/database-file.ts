// The edge's database as a file of the data folder.

import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import type { DatabaseAccess } from '../parts/database-part.ts'
import type { Settings } from '../settings/gateway-settings.ts'
import { recordFormat } from './folder-format.ts'

export const databasePath = (dataDir: string): string => join(dataDir, 'database', 'edge.db')

/** An edge with another database knows none of the devices, and the folder's host would forget them. */
const describeOtherEngine = (dataDir: string, which: string) =>
  `${dataDir} has the database of an edge ${which}: set DATA_DIR to another folder.`

/** Throws an OperatorError if the folder has a database that an edge under Miniflare would not use. */
export function refuseDatabaseFile({ DATA_DIR }: Pick<Settings, 'DATA_DIR'>): void {
  if (existsSync(databasePath(DATA_DIR))) throw new OperatorError(describeOtherEngine(DATA_DIR, 'in Node'))
}

/** Its address. The file itself is made by its migration. */
export function prepareDatabaseFile({ DATA_DIR }: Pick<Settings, 'DATA_DIR'>): DatabaseAccess {
  const path = databasePath(DATA_DIR)
  if (!existsSync(path) && existsSync(join(DATA_DIR, 'database-server')))
    throw new OperatorError(describeOtherEngine(DATA_DIR, 'under Miniflare'))
  mkdirSync(join(DATA_DIR, 'database'), { recursive: true, mode: 0o700 })
  recordFormat(DATA_DIR)
  return { url: pathToFileURL(path).href, token: '' }
}
