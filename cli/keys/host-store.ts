// Reseals values from before hosts had their own keys in a host's store, before a host without the old key starts.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Client, createClient } from '@libsql/client'
import type { Settings } from '../settings/settings.ts'
import { type Keys, reseal } from './resealing.ts'
import { inHosts } from './sealed-columns.ts'

type Place = Pick<Settings, 'DATA_DIR' | 'SESSION_STORE_URL' | 'SESSION_STORE_TOKEN'>

const PATIENCE_MS = 10_000

/** A database file that another process may be using. */
export const openSharedFile = (path: string): Client =>
  createClient({ url: pathToFileURL(path).href, concurrency: 1, timeout: PATIENCE_MS })

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
export async function moveHostStore(place: Place, keys: Keys, moved: number): Promise<void> {
  const client = openHostStore(place)
  if (!client) return
  try {
    const { rows } = await client.execute('PRAGMA user_version')
    if (Number(rows[0]?.user_version) >= moved) return
    let closed = 0
    for (const column of inHosts) {
      if (await has(client, column))
        closed += (await reseal(client, keys, column, { onlyFormer: true })).closed
    }
    // The missing key may be restored later.
    if (closed === 0) await client.execute(`PRAGMA user_version = ${moved}`)
  } finally {
    client.close()
  }
}

/** An older store may lack a column, or have no tables yet. */
async function has(client: Client, { table, column }: { table: string; column: string }): Promise<boolean> {
  const sql = 'SELECT 1 FROM pragma_table_info(?) WHERE name = ?'
  return (await client.execute({ sql, args: [table, column] })).rows.length > 0
}
