// `npm run compact`: rewrites the database and the host's store while the gateway is stopped, so that no deleted data is left in a file.

import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { findLayout, type Layout, layoutOptions } from './data-folder/layout.ts'
import { lockDataDir } from './data-folder/lock.ts'
import { giveToOwner } from './data-folder/owner.ts'
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

/** The server's own log of all written pages; it makes a new one from the file. */
const LOGS = ['wallog', 'snapshots']

/** The files of all sides, with what is removed beside each. Throws a Complaint if one would be left out unasked. */
function findFiles({ edge, host }: Layout, embedded: boolean): { file: string; logs: string[] }[] {
  const files: { file: string; logs: string[] }[] = []
  if (edge) {
    const folder = join(edge.databaseDir, 'dbs', 'default')
    const file = join(folder, 'data')
    if (existsSync(file) && !(embedded && edge.settings.DATABASE_URL))
      files.push({ file, logs: LOGS.map((name) => join(folder, name)) })
    else if (!embedded || edge.settings.DATABASE_URL)
      throw new Complaint(
        `The database at ${edge.settings.DATABASE_URL} has no file at ${file}: compact it where it runs, and say --only host here.`,
      )
  }
  if (host) {
    const { settings, file } = host
    if (settings.SESSION_STORE_URL)
      throw new Complaint(
        `The store at ${settings.SESSION_STORE_URL} is shared: compact it where it runs, and say --only edge here.`,
      )
    if (existsSync(file)) files.push({ file, logs: [] })
    else if (!embedded)
      throw new Complaint(
        `There is no host's store at ${file}. If this machine has no host, say --only edge.`,
      )
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
    for (const { file } of files) refuseUsed(file)
    for (const { file, logs } of files) {
      rewrite(file)
      for (const log of logs) rmSync(log, { recursive: true, force: true })
    }
  } finally {
    for (const lock of locks) lock.release()
  }
  const names = files.map(({ file }) => file).join(', ')
  console.log(names ? `Written anew: ${names}.` : `${layout.from} has no database.`)
}

await runCommand(() => withSentences(main))
