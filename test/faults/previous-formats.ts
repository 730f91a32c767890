// Data as gateways left it before keys had purposes: sealed with SEAL_KEYS as they are, in hosts too.

import { createCipheriv, randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { edgeColumns, hostColumns } from '../../cli/keys/sealed-columns.ts'
import { createSealer } from '../../shared/seal.ts'
import type { World } from '../world.ts'

/** One byte length of the key's id, the id, the IV, ciphertext with its tag. */
export function sealPreviously(keys: string, plain: Uint8Array, context: string): Buffer {
  const [first = ''] = keys.split(',')
  const [id = '', key = ''] = first.split(':')
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(key, 'base64'), iv).setAAD(Buffer.from(context))
  const body = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([Buffer.from([id.length]), Buffer.from(id), iv, body, cipher.getAuthTag()])
}

/** The store of a host that does not run, as it once was; `every` second row, for a move that was cut short. */
export async function ageHostStore(
  dataDir: string,
  keys: string,
  hostKeys: string,
  every = 1,
): Promise<void> {
  const store = new DatabaseSync(join(dataDir, 'host', 'host.db'))
  for (const { table, column, purpose, context } of hostColumns) {
    const sealer = await createSealer(hostKeys, purpose)
    const rows = store
      .prepare(`SELECT rowid AS row, ${column} AS sealed, ${context} AS context FROM ${table}
        WHERE length(${column}) > 0 AND rowid % ${every} = 0`)
      .all()
    for (const { row = 0, sealed, context } of rows) {
      const plain = await sealer.open(new Uint8Array(sealed as Uint8Array), String(context))
      const previous = sealPreviously(keys, plain, String(context))
      store.prepare(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`).run(previous, row)
    }
  }
  store.exec('PRAGMA user_version = 0')
  store.close()
}

/** What the edge has sealed, as it once was; answers how much that is. */
export async function ageEdge(world: World, keys: string): Promise<number> {
  let aged = 0
  for (const { table, column, purpose, context } of edgeColumns) {
    const sealer = await createSealer(keys, purpose, { previousKeys: keys })
    const rows = await world.queryDatabase(
      `SELECT rowid AS row, hex(${column}) AS sealed, ${context} AS context FROM ${table} WHERE length(${column}) > 0`,
    )
    for (const { row, sealed, context } of rows) {
      const plain = await sealer.open(new Uint8Array(Buffer.from(String(sealed), 'hex')), String(context))
      const previous = sealPreviously(keys, plain, String(context)).toString('hex')
      await world.queryDatabase(`UPDATE ${table} SET ${column} = x'${previous}' WHERE rowid = ${row}`)
      aged++
    }
  }
  return aged
}

export const forgetHostKeys = (dataDir: string): void => rmSync(join(dataDir, 'host-seal-keys'))

/** How many values of a host's store begin as they once did. */
export function countPrevious(dataDir: string): number {
  const store = new DatabaseSync(join(dataDir, 'host', 'host.db'), { readOnly: true })
  const counts = hostColumns.map(
    ({ table, column }) =>
      store
        .prepare(
          `SELECT count(*) AS n FROM ${table} WHERE length(${column}) > 0 AND substr(${column}, 1, 1) <= x'40'`,
        )
        .get()?.n,
  )
  store.close()
  return counts.reduce<number>((sum, n) => sum + Number(n), 0)
}
