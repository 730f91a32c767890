// Apart from key-store.ts, because this is the one place that decides what the row of a key means for a request.

import { Fault } from '@msgnet/shared/fault-table.ts'
import type { KeyRow } from './key-store.ts'

export type KeyState = 'free' | 'dispatched' | 'answered'

/** Throws `idempotency_mismatch` if the key belongs to another request. */
export function decideKeyState(row: KeyRow | undefined, fingerprint: string): KeyState {
  if (!row) return 'free'
  if (row.fingerprint !== fingerprint) throw new Fault('idempotency_mismatch')
  return row.state
}
