// `npm run compact`: rewrites the embedded database and the host's store, so that no deleted data is left in a file.

import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { lockDataDir } from './data-folder/lock.ts'
import { refuseArguments, runCommand } from './settings/command.ts'
import { readSettings } from './settings/settings.ts'

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

function main(): void {
  refuseArguments()
  process.umask(0o077)
  const { DATA_DIR } = readSettings(process.env)
  const lock = lockDataDir(DATA_DIR)
  const folder = join(DATA_DIR, 'database', 'dbs', 'default')
  const [database, host] = [join(folder, 'data'), join(DATA_DIR, 'host', 'host.db')]
  const there = [database, host].filter((file) => existsSync(file))
  for (const file of there) rewrite(file)
  if (there.includes(database))
    for (const name of LOGS) rmSync(join(folder, name), { recursive: true, force: true })
  lock.release()
  console.log(there.length > 0 ? `Written anew: ${there.join(', ')}.` : `${DATA_DIR} has no database.`)
}

await runCommand(main)
