// `npm run reseal`: seals the values of older keys with the first of SEAL_KEYS and HOST_SEAL_KEYS, while the gateway runs.

import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { type Client, createClient } from '@libsql/client'
import { OperatorError, withOperatorErrors } from '@msgnet/shared/node/operator-errors.ts'
import { runCommand } from '@msgnet/shared/node/run-command.ts'
import { SealError } from '@msgnet/shared/seal.ts'
import {
  type EdgeSide,
  findLayout,
  type HostSide,
  type Layout,
  layoutOptions,
  requireDatabase,
  requireKeys,
  requireStore,
} from './data-folder/layout.ts'
import { listKeyIds } from './data-folder/run-record.ts'
import { countOlderValues, type Resealed, resealColumn } from './keys/reseal-columns.ts'
import { edgeColumns, hostColumns, type SealedColumn } from './keys/sealed-columns.ts'

const BUSY_TIMEOUT_MS = 10_000

/** One database with what is sealed in it. */
interface SealedDatabase {
  client: Client
  sealKeys: string
  columns: SealedColumn[]
}

async function runReseal(): Promise<void> {
  process.umask(0o077)
  const { values } = parseArgs({ options: layoutOptions })
  const layout = await findLayout(values)
  const { edge, host } = layout
  if (edge) requireDatabase(edge)
  requireKeys(layout)
  if (host) requireStore(host)
  requireRunningKeys(layout)

  const all: SealedDatabase[] = []
  if (edge) all.push({ client: openEdgeDatabase(edge), sealKeys: edge.sealKeys, columns: edgeColumns })
  if (host) all.push({ client: openHostStore(host), sealKeys: host.sealKeys, columns: hostColumns })
  try {
    // Before the first row is changed: otherwise one side would be done, and the other not.
    for (const { client } of all) await client.execute('SELECT 1')
    await resealAll(all)
  } finally {
    for (const { client } of all) client.close()
  }
  console.log(describeResult(layout))
}

const openEdgeDatabase = ({ settings: { DATABASE_URL, DATABASE_TOKEN }, file }: EdgeSide): Client =>
  DATABASE_URL ? createClient({ url: DATABASE_URL, authToken: DATABASE_TOKEN ?? '' }) : openFile(file)

const openHostStore = ({ settings: { SESSION_STORE_URL, SESSION_STORE_TOKEN }, file }: HostSide): Client =>
  SESSION_STORE_URL
    ? createClient({ url: SESSION_STORE_URL, authToken: SESSION_STORE_TOKEN })
    : openFile(file)

/** Another process may be using it. */
const openFile = (path: string): Client =>
  createClient({ url: pathToFileURL(path).href, concurrency: 1, timeout: BUSY_TIMEOUT_MS })

async function resealAll(all: SealedDatabase[]): Promise<void> {
  const done: Resealed[] = []
  const printProgress = ({ what, resealed }: Resealed) => console.log(`${what}: ${resealed}`)
  for (const { client, sealKeys, columns } of all)
    for (const column of columns) done.push(await resealColumn(client, sealKeys, column, printProgress))
  console.table(done)
  const closed = done.reduce((sum, table) => sum + table.closed, 0)
  if (closed > 0) throw new OperatorError(`${closed} rows are sealed with a key that is missing.`)
  let older = 0
  for (const { client, sealKeys, columns } of all)
    for (const column of columns) older += await countOlderValues(client, sealKeys, column)
  if (older > 0)
    throw new OperatorError(
      `${older} values were sealed with an older key during this run: start the edge and the hosts again with the new key in front, and repeat this. Keep the older key.`,
    )
}

/** A process without the new key could not open what is sealed with it. */
function requireRunningKeys({ edge, host, run }: Layout): void {
  for (const [running, list] of [
    [run?.sealKeys, edge?.sealKeys],
    [run?.hostSealKeys, host?.sealKeys],
  ] as const) {
    const [first = ''] = listKeyIds(list ?? '')
    if (running && list && !running.includes(first))
      throw new OperatorError(
        `The running gateway does not have the key "${first}": start it with that key first.`,
      )
  }
}

function describeResult({ edge, host }: Layout): string {
  if (!host)
    return 'The edge’s data is sealed with the first key. Hosts were left out, because of --only edge: remove no key before their stores are resealed too.'
  if (!edge)
    return 'This host’s store is sealed with the first key. The edge and other hosts were left out, because of --only host: remove no key before they are resealed too.'
  return 'All stored data is sealed with the first key of its side. Links to files are valid for a day: after that the older keys may be removed. Store them with the older backups, which need them.'
}

await runCommand(() =>
  withOperatorErrors(runReseal).catch((error) => {
    throw error instanceof SealError ? new OperatorError(error.message) : error
  }),
)
