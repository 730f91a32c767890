// `npm run backup`: copies the database and the host store into a new folder while the gateway runs; keys are named there, not copied.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { dump } from './data-folder/dump.ts'
import { keyNames, readRun } from './data-folder/running.ts'
import { readKeys } from './keys/secrets.ts'
import { databaseToken } from './parts/database.ts'
import { runCommand } from './settings/command.ts'
import { Complaint, readSettings } from './settings/settings.ts'

const NOT_RUNNING = 'The gateway is not running: its database is reached through it.'

/** The manifest in the folder. */
export interface Manifest {
  madeAt: string
  rows: number
  /** Whether a host's own store is in it; a shared store is backed up on its server. */
  hostStore: boolean
  /** Names of the keys that are needed to open the sealed values. */
  sealKeys: string[]
  hostSealKeys: string[]
}

async function main(): Promise<void> {
  process.umask(0o077)
  const { values } = parseArgs({ options: { to: { type: 'string' } } })
  if (!values.to) throw new Complaint('Say where to: npm run backup -- --to backups/2026-11-22')
  if (existsSync(values.to))
    throw new Complaint(`${values.to} is there already: a backup has a folder of its own.`)
  const settings = readSettings(process.env)
  const embedded = readRun(settings.DATA_DIR)?.databaseUrl
  if (!settings.DATABASE_URL && !embedded) throw new Complaint(NOT_RUNNING)
  const { sealKeys, hostSealKeys, databaseKey } = await readKeys(settings)
  const database = settings.DATABASE_URL
    ? { url: settings.DATABASE_URL, token: settings.DATABASE_TOKEN ?? '' }
    : embedded && { url: embedded, token: databaseToken(databaseKey) }
  if (!database) throw new Complaint(NOT_RUNNING)
  mkdirSync(values.to, { recursive: true, mode: 0o700 })

  // The host first: events that leave its outbox after its copy are in the database before that is copied.
  const store = join(settings.DATA_DIR, 'host', 'host.db')
  const hostStore = !settings.SESSION_STORE_URL && existsSync(store)
  if (hostStore) {
    const source = new DatabaseSync(store, { readOnly: true })
    await backup(source, join(values.to, 'host.db'))
    source.close()
  }
  const rows = await dump(database, join(values.to, 'edge.db'))
  const manifest: Manifest = {
    ...{ madeAt: new Date().toISOString(), rows, hostStore },
    ...{ sealKeys: keyNames(sealKeys), hostSealKeys: keyNames(hostSealKeys) },
  }
  // Written last: a folder without it is no backup.
  writeFileSync(join(values.to, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  console.log(`${rows} rows and ${hostStore ? 'the host’s store' : 'no host’s store'} are in ${values.to}.`)
  console.log(
    `Keep these keys elsewhere: ${[...new Set([...manifest.sealKeys, ...manifest.hostSealKeys])].join(', ')}.`,
  )
}

await runCommand(main)
