// `npm run reseal`: seals the values of older keys with the first of SEAL_KEYS and HOST_SEAL_KEYS, while the gateway runs.

import { type Client, createClient } from '@libsql/client'
import { SealError } from '../shared/seal.ts'
import { keyNames, readRun } from './data-folder/running.ts'
import { openHostStore } from './keys/host-store.ts'
import { type Keys, type Resealed, reseal } from './keys/resealing.ts'
import { inEdge, inHosts, type SealedColumn } from './keys/sealed-columns.ts'
import { readKeys } from './keys/secrets.ts'
import { databaseToken } from './parts/database.ts'
import { refuseArguments, runCommand } from './settings/command.ts'
import { Complaint, readSettings } from './settings/settings.ts'

const NOT_RUNNING = 'The gateway is not running: its database is reached through it.'

async function main(): Promise<void> {
  refuseArguments()
  process.umask(0o077)
  const settings = readSettings(process.env)
  const run = readRun(settings.DATA_DIR)
  if (!settings.DATABASE_URL && !run?.databaseUrl) throw new Complaint(NOT_RUNNING)
  const { sealKeys, hostSealKeys, databaseKey } = await readKeys(settings)
  for (const [held, list] of [
    [run?.sealKeys, sealKeys],
    [run?.hostSealKeys, hostSealKeys],
  ] as const) {
    const [first = ''] = keyNames(list)
    if (held && !held.includes(first))
      throw new Complaint(
        `The gateway that runs does not hold the key "${first}": start it with that key first.`,
      )
  }
  const embedded = run?.databaseUrl
  const edge = settings.DATABASE_URL
    ? { url: settings.DATABASE_URL, authToken: settings.DATABASE_TOKEN ?? '' }
    : embedded && { url: embedded, authToken: databaseToken(databaseKey) }
  if (!edge) throw new Complaint(NOT_RUNNING)

  const told = ({ what, resealed }: Resealed) => console.log(`${what}: ${resealed}`)
  const done: Resealed[] = []
  const all = async (client: Client, keys: Keys, columns: SealedColumn[]) => {
    for (const column of columns) done.push(await reseal(client, keys, column, { told }))
    client.close()
  }
  await all(createClient(edge), { sealKeys, formerly: sealKeys }, inEdge)
  const hostStore = openHostStore(settings)
  if (hostStore) await all(hostStore, { sealKeys: hostSealKeys, formerly: sealKeys }, inHosts)
  console.table(done)
  const closed = done.reduce((sum, table) => sum + table.closed, 0)
  if (closed > 0) throw new Complaint(`${closed} rows are sealed by a key that is not at hand.`)
  console.log(
    'Everything kept is sealed with the first key of its side. Links to files live for a day: then the older keys may go.',
  )
}

await runCommand(() =>
  main().catch((error) => {
    throw error instanceof SealError ? new Complaint(error.message) : error
  }),
)
