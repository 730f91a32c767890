// One column after another, sealed anew with the first key, row by row beside whoever else writes: a kill leaves each row whole.

import type { Client, Row } from '@libsql/client'
import { makeSealer, SealError, type Sealer } from '../../shared/seal.ts'
import type { SealedColumn } from './sealed-columns.ts'

/** Rows at a time: whoever serves sessions and requests writes in between. */
const ROWS_A_BATCH = 100

export interface Keys {
  /** The first seals, all open. */
  sealKeys: string
  /** What sealed before keys had purposes. */
  formerly: string
}

export interface Resealed {
  what: string
  resealed: number
  /** Rows that no key opens: they stay as they are. */
  closed: number
}

interface Terms {
  told?(progress: Resealed): void
  /** Leaves alone what an older key has sealed for its purpose. */
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
  // What a key has sealed for a purpose begins with the same byte, whichever key it was.
  const mark = onlyFormer ? sealer.mark.subarray(0, 1) : sealer.mark
  for (let last = 0; ; ) {
    const { rows } = await client.execute({ sql: find, args: [last, mark.length, mark] })
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
