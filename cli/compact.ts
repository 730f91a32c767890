// `npm run compact`: rewrites the database and the host's store while the gateway is stopped, so that no deleted data is left in a file.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { OperatorError, withOperatorErrors } from '@msgnet/shared/node/operator-errors.ts'
import { runCommand } from '@msgnet/shared/node/run-command.ts'
import { isLockedElsewhere } from '@msgnet/shared/node/sqlite-errors.ts'
import { assignOwner } from './data-folder/assign-owner.ts'
import { lockDataDir } from './data-folder/folder-lock.ts'
import {
  findLayout,
  type Layout,
  layoutOptions,
  requireDatabase,
  requireStore,
} from './data-folder/layout.ts'

/** Throws an OperatorError if a process has the file open. */
function refuseFileInUse(file: string): void {
  const database = new DatabaseSync(file)
  try {
    // With a write-ahead log an exclusive lock is granted only if no other process has the file open.
    database.exec('pragma locking_mode = exclusive; begin exclusive; rollback')
  } catch (error) {
    if (!isLockedElsewhere(error)) throw error
    throw new OperatorError(`${file} is in use: stop what uses it first. Nothing was changed.`)
  } finally {
    database.close()
  }
}

/** First moves what a killed process left in the log into the file. */
function vacuumFile(file: string): void {
  const database = new DatabaseSync(file)
  try {
    database.exec('pragma secure_delete = on')
    database.prepare('pragma wal_checkpoint(truncate)').all()
    resetWords(database)
    database.exec('vacuum')
    database.prepare('pragma wal_checkpoint(truncate)').all()
  } finally {
    database.close()
  }
}

/** The index of words keeps what was deleted until it is merged, and names rows by their place. The host fills it again. */
function resetWords(database: DatabaseSync): void {
  const hasWords = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'message_words'").get()
  if (!hasWords) return
  database.exec(`INSERT INTO message_words (message_words) VALUES ('delete-all');
    DELETE FROM changed_words; DELETE FROM deleted_words; UPDATE indexed_words SET row = 0`)
}

/** Throws an OperatorError if a side would be left out without an option. */
function findFiles({ edge, host }: Layout, embedded: boolean): string[] {
  const files: string[] = []
  if (edge) {
    const { settings, file } = edge
    if (settings.DATABASE_URL)
      throw new OperatorError(
        `The database at ${settings.DATABASE_URL} is on a server: compact it there, and use --only host here.`,
      )
    if (!embedded) requireDatabase(edge)
    if (existsSync(file)) files.push(file)
  }
  if (host) {
    const { settings, file } = host
    if (settings.SESSION_STORE_URL)
      throw new OperatorError(
        `The store at ${settings.SESSION_STORE_URL} is on a server: compact it there, and use --only edge here.`,
      )
    if (!embedded) requireStore(host)
    if (existsSync(file)) files.push(file)
  }
  return files
}

async function runCompact(): Promise<void> {
  const { values } = parseArgs({ options: layoutOptions })
  process.umask(0o077)
  const layout = await findLayout(values)
  const files = findFiles(layout, values.folder === undefined)
  const folders = new Set([layout.edge, layout.host].flatMap((side) => side?.settings.DATA_DIR ?? []))
  const locks = [...folders].map((dataDir) => {
    const lock = lockDataDir(dataDir)
    assignOwner(join(dataDir, 'lock'), dataDir)
    return lock
  })
  try {
    for (const file of files) refuseFileInUse(file)
    for (const file of files) vacuumFile(file)
  } finally {
    for (const lock of locks) lock.release()
  }
  const names = files.join(', ')
  console.log(names ? `Compacted: ${names}.` : `${layout.from} has no database.`)
}

await runCommand(() => withOperatorErrors(runCompact))
