// `npm run compact`: rewrites the database and the host's store while the gateway is stopped, so that no deleted data is left in a file.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { findLayout, type Layout, layoutOptions, needDatabase, needStore } from './data-folder/layout.ts'
import { lockDataDir } from './data-folder/lock.ts'
import { giveToOwner } from './data-folder/owner.ts'
import { hasServerDatabase } from './data-folder/take-over.ts'
import { runCommand } from './settings/command.ts'
import { withSentences } from './settings/faults.ts'
import { Complaint } from './settings/settings.ts'

/** SQLite: another process has the file open. */
const SQLITE_BUSY = 5

/** Throws a Complaint if a process has the file open. */
function refuseUsed(file: string): void {
  const database = new DatabaseSync(file)
  try {
    // With a write-ahead log an exclusive lock is granted only if no other process has the file open.
    database.exec('pragma locking_mode = exclusive; begin exclusive; rollback')
  } catch (error) {
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error
    throw new Complaint(`${file} is in use: stop what uses it first. Nothing was changed.`)
  } finally {
    database.close()
  }
}

/** First moves what a killed process left in the log into the file. */
function rewrite(file: string): void {
  const database = new DatabaseSync(file)
  try {
    database.exec('pragma secure_delete = on')
    database.prepare('pragma wal_checkpoint(truncate)').all()
    database.exec('vacuum')
    database.prepare('pragma wal_checkpoint(truncate)').all()
  } finally {
    database.close()
  }
}

/** Throws a Complaint if a side would be left out unasked. */
function findFiles({ edge, host }: Layout, embedded: boolean): string[] {
  const files: string[] = []
  if (edge) {
    const { settings, file } = edge
    if (settings.DATABASE_URL)
      throw new Complaint(
        `The database at ${settings.DATABASE_URL} is a server's: compact it where it runs, and say --only host here.`,
      )
    if (!embedded || hasServerDatabase(settings.DATA_DIR)) needDatabase(edge)
    if (existsSync(file)) files.push(file)
  }
  if (host) {
    const { settings, file } = host
    if (settings.SESSION_STORE_URL)
      throw new Complaint(
        `The store at ${settings.SESSION_STORE_URL} is shared: compact it where it runs, and say --only edge here.`,
      )
    if (!embedded) needStore(host)
    if (existsSync(file)) files.push(file)
  }
  return files
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: layoutOptions })
  process.umask(0o077)
  const layout = await findLayout(values)
  const files = findFiles(layout, values.folder === undefined)
  const folders = new Set([layout.edge, layout.host].flatMap((side) => side?.settings.DATA_DIR ?? []))
  const locks = [...folders].map((dataDir) => {
    const lock = lockDataDir(dataDir)
    giveToOwner(join(dataDir, 'lock'), dataDir)
    return lock
  })
  try {
    for (const file of files) refuseUsed(file)
    for (const file of files) rewrite(file)
  } finally {
    for (const lock of locks) lock.release()
  }
  const names = files.join(', ')
  console.log(names ? `Written anew: ${names}.` : `${layout.from} has no database.`)
}

await runCommand(() => withSentences(main))
