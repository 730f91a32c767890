// Apart from fetch-file.ts, because its test needs no file: how fast the files of an instance are fetched by URL.

import { MIB } from '@msgnet/shared/contract/limits.ts'
import { BytePace } from '../limits/byte-pace.ts'
import { registerTurns } from '../observability/turns-in-metrics.ts'

/** The largest file that may be sent comes without a pause; then 17 MiB a second. */
export const FETCHED_BYTES = { costPerMinute: 1024 * MIB, maxSavedCost: 128 * MIB }

let opened: BytePace | undefined

/** That of this isolate. */
export function openFetchPace(): BytePace {
  if (!opened) {
    opened = new BytePace(FETCHED_BYTES)
    registerTurns('fetched_bytes', opened.turns)
  }
  return opened
}
