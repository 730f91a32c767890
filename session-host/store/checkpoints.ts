// Checkpoints of a host's own file: its write-ahead log is folded into it by another thread, with a connection of its own.
//
// SQLite would do it inside whichever COMMIT finds the log long enough, fsync included: half a second after some minutes of
// traffic, in the thread that serves every session.

import { Worker } from 'node:worker_threads'
import { SECOND } from '../../shared/clock.ts'

export interface Checkpointing {
  everyMs: number
  /** Of 4 KiB. A log that is longer is begun anew, for which commits wait a moment. */
  pagesAtMost: number
}

/** Seldom: the first commit into an empty log waits for the disk once. */
const PRESET: Checkpointing = { everyMs: 4 * SECOND, pagesAtMost: 16_000 }

export interface Checkpoints {
  stop(): void
}

/** `failed` hears what went wrong; the next one is made all the same. */
export function startCheckpoints(
  file: string,
  failed: (thrown: unknown) => void,
  { everyMs, pagesAtMost }: Checkpointing = PRESET,
): Checkpoints {
  const worker = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), {
    workerData: { file, everyMs, pagesAtMost },
    // It does next to nothing in script.
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
  })
  worker.unref()
  worker.on('message', failed)
  worker.on('error', failed)
  return { stop: () => void worker.terminate() }
}
