// Checkpoints of a host's own file: a worker thread with its own connection copies the write-ahead log into the file.
//
// SQLite would do it inside the COMMIT that finds the log long enough, fsync included: half a second after a few minutes of
// traffic, in the thread that serves every session.

import { Worker } from 'node:worker_threads'
import { SECOND } from '../clock.ts'

export interface Checkpointing {
  everyMs: number
  /** Pages of 4 KiB. A longer log is restarted, for which commits wait a moment. */
  pagesAtMost: number
}

/** Rare, because the first commit into an empty log waits for the disk once. */
const PRESET: Checkpointing = { everyMs: 4 * SECOND, pagesAtMost: 16_000 }

export interface Checkpoints {
  /** Resolves after a checkpoint that runs. A worker thread that is terminated inside a call of the database ends the whole process. */
  stop(): Promise<void>
}

/** `failed` is called with the error of a checkpoint; the next one is made all the same. */
export function startCheckpoints(
  file: string,
  failed: (thrown: unknown) => void,
  { everyMs, pagesAtMost }: Checkpointing = PRESET,
): Checkpoints {
  const worker = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), {
    workerData: { file, everyMs, pagesAtMost },
    // The worker runs almost no JavaScript.
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
  })
  worker.unref()
  worker.on('message', failed)
  worker.on('error', failed)
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  return {
    async stop() {
      worker.postMessage('stop')
      await ended
    },
  }
}
