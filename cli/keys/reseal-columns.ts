// Seals the columns again with the first key, row by row, while the gateway writes. If the process is killed, each row is still valid.

import type { Client, Row } from '@libsql/client'
import { createSealer, SealError, type Sealer } from '@msgnet/shared/seal.ts'
import type { SealedColumn } from './sealed-columns.ts'

/** Rows per transaction: sessions and requests write in between. */
const ROWS_PER_BATCH = 100

export interface Resealed {
  what: string
  resealed: number
  /** Rows that no key opens; they are not changed. */
  closed: number
}

/** The first of `sealKeys` seals, all of them open. */
export async function resealColumn(
  client: Client,
  sealKeys: string,
  { table, column, key = ['rowid'], purpose, context }: SealedColumn,
  onProgress: (progress: Resealed) => void,
): Promise<Resealed> {
  const progress: Resealed = { what: `${table}.${column}`, resealed: 0, closed: 0 }
  const sealer = await createSealer(sealKeys, purpose)
  const names = key.join()
  const marks = key.map(() => '?').join()
  const find = `SELECT ${key.map((name, at) => `${name} AS key${at}`).join()}, ${column} AS sealed, ${context} AS context FROM ${table}
    WHERE (${names}) > (${marks}) AND length(${column}) > 0 AND substr(${column}, 1, ?) <> ? ORDER BY ${names} LIMIT ${ROWS_PER_BATCH}`
  const readKey = (row: Row): number[] => key.map((_, at) => Number(row[`key${at}`]))
  for (let last = key.map(() => 0); ; ) {
    const { rows } = await client.execute({ sql: find, args: [...last, sealer.mark.length, sealer.mark] })
    const end = rows.at(-1)
    if (!end) return progress
    last = readKey(end)
    const opened = (await Promise.all(rows.map((row) => resealRow(sealer, row)))).filter((row) => !!row)
    // A row that was changed since it was read was sealed by its writer.
    const sql = `UPDATE ${table} SET ${column} = ? WHERE (${names}) = (${marks}) AND ${column} = ?`
    await client.batch(
      opened.map(({ fresh, row, sealed }) => ({ sql, args: [fresh, ...readKey(row), sealed] })),
      'write',
    )
    progress.resealed += opened.length
    progress.closed += rows.length - opened.length
    onProgress(progress)
  }
}

async function resealRow(sealer: Sealer, row: Row) {
  const { sealed, context } = row
  const bytes = new Uint8Array(sealed as ArrayBuffer)
  try {
    const plain = await sealer.open(bytes, String(context))
    return { fresh: await sealer.seal(plain, String(context)), row, sealed: bytes }
  } catch (error) {
    if (error instanceof SealError) return undefined
    throw error
  }
}

/** How many values another key than the first has sealed. */
export async function countOlderValues(
  client: Client,
  sealKeys: string,
  { table, column, purpose }: SealedColumn,
): Promise<number> {
  const { mark } = await createSealer(sealKeys, purpose)
  const sql = `SELECT count(*) AS n FROM ${table} WHERE length(${column}) > 0 AND substr(${column}, 1, ?) <> ?`
  return Number((await client.execute({ sql, args: [mark.length, mark] })).rows[0]?.n)
}
