// Seals the columns again with the first key, row by row while others write; if it is killed, each row is still whole.

import type { Client, Row } from '@libsql/client'
import { makeSealer, SealError, type Sealer } from '../../shared/seal.ts'
import type { SealedColumn } from './sealed-columns.ts'

/** Rows per transaction: sessions and requests write in between. */
const ROWS_A_BATCH = 100

export interface Keys {
  /** The first key seals, all of them open. */
  sealKeys: string
  /** Keys that sealed before keys had purposes. */
  formerly: string
}

export interface Resealed {
  what: string
  resealed: number
  /** Rows that no key opens; they are not changed. */
  closed: number
}

interface Terms {
  told?(progress: Resealed): void
  /** Skips values that an older key has sealed for its purpose. */
  onlyFormer?: boolean
}

export async function reseal(
  client: Client,
  keys: Keys,
  { table, column, purpose, context }: SealedColumn,
  { told = () => undefined, onlyFormer = false }: Terms = {},
): Promise<Resealed> {
  const progress: Resealed = { what: `${table}.${column}`, resealed: 0, closed: 0 }
  const sealer = await makeSealer(keys.sealKeys, purpose, { formerly: keys.formerly })
  const find = `SELECT rowid AS row, ${column} AS sealed, ${context} AS context FROM ${table}
    WHERE rowid > ? AND length(${column}) > 0 AND substr(${column}, 1, ?) <> ? ORDER BY rowid LIMIT ${ROWS_A_BATCH}`
  // Values that are sealed for a purpose begin with the same byte, for every key.
  const mark = onlyFormer ? sealer.mark.subarray(0, 1) : sealer.mark
  for (let last = 0; ; ) {
    const { rows } = await client.execute({ sql: find, args: [last, mark.length, mark] })
    const end = rows.at(-1)
    if (!end) return progress
    last = Number(end.row)
    const opened = (await Promise.all(rows.map((row) => sealAnew(sealer, row)))).filter((row) => !!row)
    // A row that was written meanwhile was sealed by its writer.
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

/** How many values another key than the first has sealed. */
export async function countOlder(
  client: Client,
  { sealKeys }: Keys,
  { table, column, purpose }: SealedColumn,
): Promise<number> {
  const { mark } = await makeSealer(sealKeys, purpose)
  const sql = `SELECT count(*) AS n FROM ${table} WHERE length(${column}) > 0 AND substr(${column}, 1, ?) <> ?`
  return Number((await client.execute({ sql, args: [mark.length, mark] })).rows[0]?.n)
}
