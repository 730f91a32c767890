// Writes of many rows in batches: each is a transaction of its own and short, and everything else goes on between two of them.

import type { Store } from './open-store.ts'

const FIRST_BATCH_ROWS = 100
const BATCH_ROWS = { min: 50, max: 1000 }

/**
 * `writeSome` changes at most so many rows that still need it, and returns how many it changed. Ends when there are none left,
 * or after `limit` rows. Returns how many it changed in all.
 */
export async function writeInBatches(
  { maxWriteMs }: Pick<Store, 'maxWriteMs'>,
  writeSome: (atMost: number) => Promise<number>,
  limit = Number.POSITIVE_INFINITY,
): Promise<number> {
  let written = 0
  for (let rows = FIRST_BATCH_ROWS; written < limit; ) {
    rows = Math.min(rows, limit - written)
    const began = performance.now()
    const changed = await writeSome(rows)
    written += changed
    if (changed < rows) break
    const fitting = (rows * maxWriteMs) / Math.max(1, performance.now() - began)
    rows = Math.round(Math.min(BATCH_ROWS.max, Math.max(BATCH_ROWS.min, fitting)))
  }
  return written
}
