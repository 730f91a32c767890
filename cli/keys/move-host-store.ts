// Reseals values from before hosts had their own keys in a host's store, before a host without the old key starts.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Client, createClient } from '@libsql/client'
import type { Settings } from '../settings/gateway-settings.ts'
import { type ResealKeys, resealColumn } from './reseal-columns.ts'
import { hostColumns } from './sealed-columns.ts'

type Place = Pick<Settings, 'DATA_DIR' | 'SESSION_STORE_URL' | 'SESSION_STORE_TOKEN'>

const BUSY_TIMEOUT_MS = 10_000

/** A database file that another process may be using. */
export const openSharedFile = (path: string): Client =>
  createClient({ url: pathToFileURL(path).href, concurrency: 1, timeout: BUSY_TIMEOUT_MS })

/** Undefined if there is none yet. */
export function openHostStore({
  DATA_DIR,
  SESSION_STORE_URL,
  SESSION_STORE_TOKEN,
}: Place): Client | undefined {
  if (SESSION_STORE_URL) return createClient({ url: SESSION_STORE_URL, authToken: SESSION_STORE_TOKEN })
  const file = join(DATA_DIR, 'host', 'host.db')
  return existsSync(file) ? openSharedFile(file) : undefined
}

/** The store itself has the mark that it is done (`moved`), so a restored copy is checked again. */
export async function moveHostStore(place: Place, keys: ResealKeys, version: number): Promise<void> {
  const client = openHostStore(place)
  if (!client) return
  try {
    const { rows } = await client.execute('PRAGMA user_version')
    if (Number(rows[0]?.user_version) >= version) return
    let closed = 0
    for (const column of hostColumns) {
      if (await hasColumn(client, column))
        closed += (await resealColumn(client, keys, column, { onlyPrevious: true })).closed
    }
    // The missing key may be restored later.
    if (closed === 0) await client.execute(`PRAGMA user_version = ${version}`)
  } finally {
    client.close()
  }
}

/** An older store may lack a column, or have no tables yet. */
async function hasColumn(
  client: Client,
  { table, column }: { table: string; column: string },
): Promise<boolean> {
  const sql = 'SELECT 1 FROM pragma_table_info(?) WHERE name = ?'
  return (await client.execute({ sql, args: [table, column] })).rows.length > 0
}
