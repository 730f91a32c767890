// A backup of an earlier version: two SQLite files that nobody signed. Of their contents only the rows of plain tables are read.

import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { type Side, sides } from '../../shared/seal-keys.ts'
import { Complaint } from '../settings/settings.ts'
import { openRegular } from './archive.ts'
import { type Backup, needNames } from './backup.ts'
import { openFile } from './databases.ts'
import { NOT_COPIED } from './load-rows.ts'
import type { FormerManifest } from './manifest.ts'
import { readRows } from './rows.ts'

export function openFormerBackup(folder: string, manifest: FormerManifest): Backup {
  const keys: Backup['keys'] = { edge: manifest.sealKeys }
  if (manifest.hostStore) keys.host = manifest.hostSealKeys
  const fileOf = (side: Side) => join(folder, `${side}.db`)
  // As it is, without the log of pages that may lie beside it.
  const urlOf = (side: Side) => new URL(`${pathToFileURL(resolve(fileOf(side))).href}?immutable=1`)
  return {
    madeAt: manifest.madeAt,
    keys,
    async verify(sealKeys) {
      needNames(keys, sealKeys)
      for (const side of sides) {
        if (sealKeys[side] === undefined || !keys[side]) continue
        await (await openRegular(fileOf(side))).close()
        checkFile(fileOf(side), urlOf(side))
      }
    },
    async read(side, use) {
      const source = openFile(urlOf(side))
      try {
        await use(readRows(source.ask, NOT_COPIED))
      } finally {
        source.close()
      }
    },
    close: async () => undefined,
  }
}

/** Throws a Complaint for a file that was cut short or damaged. */
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
  if (found !== 'ok') throw new Complaint(`${file} is damaged (${found}).`)
}
