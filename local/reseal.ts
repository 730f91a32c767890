// `npm run reseal`: everything that an older key has sealed, sealed with the first of SEAL_KEYS, while the gateway runs.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Client, createClient, type Row } from '@libsql/client'
import { makeSealer, SealError, type Sealer } from '../shared/seal.ts'
import { databaseToken } from './database.ts'
import { keyNames, readRun } from './running.ts'
import { keepSecrets } from './secrets.ts'
import { Complaint, readSettings } from './settings.ts'

/** Rows at a time: whoever serves sessions and requests writes in between. */
const BITE = 100
const PATIENCE_MS = 10_000

interface SealedColumn {
  table: string
  column: string
  /** SQL for the context that a row's value is sealed for, as those spell it who seal it. */
  context: string
}

const inHosts: SealedColumn[] = [
  { table: 'credentials', column: 'value', context: `'credential:' || instance || ':' || kind || ':' || id` },
  { table: 'sessions', column: 'proxy', context: `'proxy:' || instance` },
]

const ownSecret = `'webhook-secret:' || case mode when 'inherited' then 'server' else instance_id end`
const inEdge: SealedColumn[] = [
  { table: 'subscriptions', column: 'secret', context: ownSecret },
  { table: 'subscriptions', column: 'previous_secret', context: ownSecret },
  { table: 'server_webhook', column: 'secret', context: `'webhook-secret:server'` },
  { table: 'server_webhook', column: 'previous_secret', context: `'webhook-secret:server'` },
  { table: 'replays', column: 'response', context: `'replay:' || scope || ':' || key` },
  { table: 'proxies', column: 'url', context: `'proxy:' || instance_id` },
  { table: 'instances', column: 'pairing', context: `'pairing:' || id` },
  { table: 'late_outcomes', column: 'outcome', context: `'late:' || act` },
]

export interface Resealed {
  what: string
  resealed: number
  /** Rows that no key of SEAL_KEYS opens: they stay as they are. */
  closed: number
}

export async function reseal(
  client: Client,
  sealer: Sealer,
  { table, column, context }: SealedColumn,
  told: (progress: Resealed) => void,
): Promise<Resealed> {
  const progress: Resealed = { what: `${table}.${column}`, resealed: 0, closed: 0 }
  const find = `SELECT rowid AS row, ${column} AS sealed, ${context} AS context FROM ${table}
    WHERE rowid > ? AND length(${column}) > 0 AND substr(${column}, 1, ?) <> ? ORDER BY rowid LIMIT ${BITE}`
  for (let last = 0; ; ) {
    const { rows } = await client.execute({ sql: find, args: [last, sealer.mark.length, sealer.mark] })
    const end = rows.at(-1)
    if (!end) return progress
    last = Number(end.row)
    const opened = (await Promise.all(rows.map((row) => sealAnew(sealer, row)))).filter((row) => !!row)
    // What was written meanwhile was sealed by whoever wrote it.
    const sql = `UPDATE ${table} SET ${column} = ? WHERE rowid = ? AND ${column} = ?`
    await client.batch(
      opened.map(({ fresh, row, sealed }) => ({ sql, args: [fresh, row, sealed] })),
      'write',
    )
    progress.resealed += opened.length
    progress.closed += rows.length - opened.length
    told(progress)
  }
}

async function sealAnew(sealer: Sealer, { row, sealed, context }: Row) {
  const bytes = new Uint8Array(sealed as ArrayBuffer)
  try {
    const plain = await sealer.open(bytes, String(context))
    return { fresh: await sealer.seal(plain, String(context)), row: Number(row), sealed: bytes }
  } catch (thrown) {
    if (thrown instanceof SealError) return undefined
    throw thrown
  }
}

async function main(): Promise<void> {
  const settings = readSettings(process.env)
  const { DATA_DIR, SESSION_STORE_URL, SESSION_STORE_TOKEN } = settings
  const { sealKeys, databaseKey } = keepSecrets(DATA_DIR, settings)
  const sealer = await makeSealer(sealKeys)
  const file = join(DATA_DIR, 'host', 'host.db')
  const run = readRun(DATA_DIR)
  const [first = ''] = keyNames(sealKeys)
  if (run && !run.sealKeys.includes(first)) {
    throw new Complaint(
      `The gateway that runs does not hold the key "${first}": start it with that key first.`,
    )
  }
  const embedded = run?.databaseUrl
  const edge = settings.DATABASE_URL
    ? { url: settings.DATABASE_URL, authToken: settings.DATABASE_TOKEN ?? '' }
    : embedded && { url: embedded, authToken: databaseToken(databaseKey) }
  if (!edge) throw new Complaint('The gateway is not running: its database is reached through it.')

  const told = ({ what, resealed }: Resealed) => console.log(`${what}: ${resealed}`)
  const done: Resealed[] = []
  const all = async (client: Client, columns: SealedColumn[]) => {
    for (const column of columns) done.push(await reseal(client, sealer, column, told))
    client.close()
  }
  await all(createClient(edge), inEdge)
  if (SESSION_STORE_URL) {
    await all(createClient({ url: SESSION_STORE_URL, authToken: SESSION_STORE_TOKEN }), inHosts)
  } else if (existsSync(file)) {
    await all(createClient({ url: pathToFileURL(file).href, concurrency: 1, timeout: PATIENCE_MS }), inHosts)
  }
  console.table(done)
  const closed = done.reduce((sum, table) => sum + table.closed, 0)
  if (closed > 0) throw new Complaint(`${closed} rows are sealed by a key that SEAL_KEYS does not hold.`)
  console.log(
    'Everything kept is sealed with the first key. Links to files live for a day: then the older keys may go.',
  )
}

if (import.meta.main) {
  try {
    await main()
  } catch (error) {
    if (!(error instanceof Complaint || error instanceof SealError)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}
