// A backup of an earlier version: two SQLite files without a signature. Only the rows of plain tables are read from them.

import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { type Side, sides } from '../../shared/seal-keys.ts'
import { OperatorError } from '../settings/gateway-settings.ts'
import { openRegularFile } from './archive.ts'
import { NOT_COPIED } from './load-rows.ts'
import type { UnsignedManifest } from './manifest.ts'
import { type Backup, requireKeyIds } from './open-parts.ts'
import { readRows } from './read-rows.ts'
import { openFileSource } from './row-sources.ts'

export function openUnsignedBackup(folder: string, manifest: UnsignedManifest): Backup {
  const keys: Backup['keys'] = { edge: manifest.sealKeys }
  if (manifest.hostStore) keys.host = manifest.hostSealKeys
  const toPartFile = (side: Side) => join(folder, `${side}.db`)
  // Read without a write-ahead log that may be next to the file.
  const toPartUrl = (side: Side) => new URL(`${pathToFileURL(resolve(toPartFile(side))).href}?immutable=1`)
  return {
    madeAt: manifest.madeAt,
    keys,
    async verifyParts(sealKeys) {
      requireKeyIds(keys, sealKeys)
      for (const side of sides) {
        if (sealKeys[side] === undefined || !keys[side]) continue
        await (await openRegularFile(toPartFile(side))).close()
        checkFile(toPartFile(side), toPartUrl(side))
      }
    },
    async readPart(side, use) {
      const source = openFileSource(toPartUrl(side))
      try {
        await use(readRows(source.query, NOT_COPIED))
      } finally {
        source.close()
      }
    },
    close: async () => undefined,
  }
}

/** Throws an OperatorError for a file that was cut short or damaged. */
function checkFile(file: string, url: URL): void {
  let found: unknown
  try {
    const database = new DatabaseSync(url, { readOnly: true })
    try {
      database.exec('pragma trusted_schema = off')
      found = database.prepare('pragma quick_check(1)').get()?.quick_check
    } finally {
      database.close()
    }
  } catch (error) {
    found = (error as Error).message
  }
  if (found !== 'ok') throw new OperatorError(`${file} is damaged (${found}).`)
}
