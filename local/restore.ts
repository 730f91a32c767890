// `npm run restore`: restores a backup into an empty data folder. Its devices have to be linked again.

import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { createClient } from '@libsql/client/web'
import type { Manifest } from './backup.ts'
import { closeDataFolder } from './data-folder/data-folder.ts'
import { load } from './data-folder/dump.ts'
import { lockDataDir } from './data-folder/lock.ts'
import { keyNames } from './data-folder/running.ts'
import { keepSecrets } from './keys/secrets.ts'
import { type DatabaseAccess, databasePart, databaseToken } from './parts/database.ts'
import { makeCrew } from './processes/crew.ts'
import { runCommand } from './settings/command.ts'
import { freePort } from './settings/ports.ts'
import { Complaint, readSettings, type Settings } from './settings/settings.ts'

/**
 * A ratchet that is older than the network's state must never encrypt again, because it would use keys a second time. Its age
 * is unknown here, so none is restored: linked instances become `bad_session` and have to be linked again.
 */
const UNLINKED =
  "logged_in = 0, connected = 0, status = 'disconnected', jid = '', lid = '', pairing = null, rev = 0"
const REASON = "last_disconnect_reason = 'bad_session', last_disconnect = ?"

async function main(): Promise<void> {
  process.umask(0o077)
  const { values } = parseArgs({ options: { from: { type: 'string' } } })
  if (!values.from || !existsSync(join(values.from, 'manifest.json')))
    throw new Complaint('Say from which backup: npm run restore -- --from backups/2026-11-22')
  const { from } = values
  const manifest: Manifest = JSON.parse(readFileSync(join(from, 'manifest.json'), 'utf8'))
  const settings = readSettings(process.env)
  const { DATA_DIR } = settings
  for (const taken of ['host/host.db', ...(settings.DATABASE_URL ? [] : ['database'])])
    if (existsSync(join(DATA_DIR, taken)))
      throw new Complaint(`${join(DATA_DIR, taken)} is there already: restore into a folder without it.`)
  needKeys(settings, manifest)
  closeDataFolder(DATA_DIR)
  const lock = lockDataDir(DATA_DIR)
  mkdirSync(join(DATA_DIR, 'logs'), { recursive: true })
  const now = Date.now()
  if (manifest.hostStore) restoreHost(join(from, 'host.db'), DATA_DIR, now)
  await withDatabase(settings, async (database) => {
    await load(database, join(from, 'edge.db'))
    const client = createClient({ url: database.url, authToken: database.token })
    await client.execute({ sql: `update instances set ${UNLINKED}, ${REASON} where jid <> ''`, args: [now] })
    client.close()
  })
  lock.release()
  console.log(`Restored the backup of ${manifest.madeAt} into ${DATA_DIR}. Devices have to be linked anew.`)
}

/** Checked before anything is written, because without the keys most of the backup is of no use. */
function needKeys({ DATA_DIR, SEAL_KEYS, HOST_SEAL_KEYS }: Settings, manifest: Manifest): void {
  const held = (given: string | undefined, file: string) => {
    const path = join(DATA_DIR, file)
    return keyNames([given, existsSync(path) && readFileSync(path, 'utf8')].filter(Boolean).join())
  }
  const sealKeys = held(SEAL_KEYS, 'seal-keys')
  const missing = manifest.sealKeys.filter((name) => !sealKeys.includes(name))
  // Some keys of a host are derived from the edge's.
  const hostKeys = [...held(HOST_SEAL_KEYS, 'host-seal-keys'), ...sealKeys]
  const missingOfHost = manifest.hostSealKeys.filter((name) => !hostKeys.includes(name))
  const all = new Set([...missing, ...missingOfHost])
  if (all.size > 0)
    throw new Complaint(
      `These keys are missing: ${[...all].join(', ')}. Bring seal-keys and host-seal-keys into ${DATA_DIR}, or set SEAL_KEYS and HOST_SEAL_KEYS.`,
    )
}

function restoreHost(copy: string, dataDir: string, now: number): void {
  const file = join(dataDir, 'host', 'host.db')
  mkdirSync(join(dataDir, 'host'), { recursive: true })
  cpSync(copy, file)
  const store = new DatabaseSync(file)
  store.exec('pragma secure_delete = on; begin')
  store.exec('delete from credentials')
  store
    .prepare(
      `update sessions set wanted = 0, status = 'disconnected', jid = '', lid = '', ${REASON} where jid <> ''`,
    )
    .run(now)
  store.exec('commit; vacuum')
  store.close()
}

async function withDatabase(
  settings: Settings,
  use: (database: DatabaseAccess) => Promise<void>,
): Promise<void> {
  if (settings.DATABASE_URL) return use({ url: settings.DATABASE_URL, token: settings.DATABASE_TOKEN ?? '' })
  const { databaseKey } = await keepSecrets(settings)
  const port = await freePort()
  const crew = makeCrew(console.log, () => undefined, { keepMb: settings.LOG_KEEP_MB })
  try {
    await crew.start(databasePart(settings.DATA_DIR, port, databaseKey))
    await use({ url: `http://127.0.0.1:${port}`, token: databaseToken(databaseKey) })
  } finally {
    await crew.stop()
  }
}

await runCommand(main)
