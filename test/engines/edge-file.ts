// A file with the edge's tables, and the store on it, for tests without a gateway.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { migrateEdge } from '@msgnet/cli/migrate.ts'
import { FileDatabase } from '@msgnet/edge/node/file-database.ts'
import type { Runtime } from '@msgnet/edge/runtime/runtime.ts'
import { openStore } from '@msgnet/edge/store/database/open-store.ts'
import { onTestFinished } from 'vitest'

export async function openEdgeFile() {
  const folder = mkdtempSync(join(tmpdir(), 'edge-file-'))
  const file = join(folder, 'edge.db')
  await migrateEdge({ url: pathToFileURL(file).href, token: '' })
  const database = new FileDatabase(file, (error) => {
    throw error
  })
  onTestFinished(async () => {
    await database.close()
    rmSync(folder, { recursive: true })
  })
  const store = openStore({ runtime: { openDatabase: () => database } as unknown as Runtime })
  return { file, database, store }
}

const NUMBERS = 'with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ?1)'

/** Instances `id-00001` and so on. Each ten of them were created in the same millisecond. */
export const addInstances = (count: number, first = 1) => ({
  sql: `${NUMBERS} insert into instances (id, kind, name, token_hash, created_at, updated_at)
    select printf('id-%05d', n), 'msgnet', 'x', printf('hash-%05d', n), n / 10, 0 from numbers where n >= ?2`,
  args: [count, first],
})

/** Events of one instance, from `seq` 1 on. `wanted`: a bit for each webhook that is to get them, by position. */
export const addEvents = (instance: string, count: number, wanted = 0) => ({
  sql: `${NUMBERS} insert into events (id, instance_id, seq, type, owner, payload, at, created_at, status, wanted)
    select ?2 || n, ?2, n, 'messages', '', '{}', n, n, 'delivered', ?3 from numbers`,
  args: [count, instance, wanted],
})
