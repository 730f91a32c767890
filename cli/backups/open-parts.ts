// A backup as a restore reads it, whichever version made it.

import { type Side, sides } from '../../shared/seal-keys.ts'
import { listKeyIds } from '../data-folder/run-record.ts'
import { OperatorError } from '../settings/gateway-settings.ts'
import type { Line } from './read-rows.ts'

export interface Backup {
  madeAt: string
  /** The parts that it has, and the names of the keys that open what is sealed in each. */
  keys: Partial<Record<Side, string[]>>
  /** Checks all files and leaves them open. Throws an OperatorError for a missing key, or a file that is not as it was signed. */
  verifyParts(sealKeys: Partial<Record<Side, string>>): Promise<void>
  /** Passes all rows of a part to `use`. */
  readPart(side: Side, use: (lines: AsyncIterable<Line>) => Promise<void>): Promise<void>
  close(): Promise<void>
}

/** Checked before anything is written: without its keys most of a backup is of no use. */
export function requireKeyIds(keys: Backup['keys'], sealKeys: Partial<Record<Side, string>>): void {
  const missing = sides.flatMap((side) => {
    const list = sealKeys[side]
    return list === undefined ? [] : (keys[side] ?? []).filter((name) => !listKeyIds(list).includes(name))
  })
  if (missing.length > 0)
    throw new OperatorError(
      `These keys are missing: ${[...new Set(missing)].join(', ')}. Add them before you restore.`,
    )
}
