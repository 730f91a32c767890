// Checkpoints of a host's own file: a worker thread with its own connection copies the write-ahead log into the file.
//
// SQLite would do it inside the COMMIT that finds the log long enough, fsync included: half a second after a few minutes of
// traffic, in the thread that serves every session.

import { Worker } from 'node:worker_threads'
import { SECOND } from '../date-time.ts'
import { locateProgram } from './locate-program.ts'

export interface CheckpointOptions {
  /** At most; under many writes they follow one another sooner. */
  everyMs: number
  /** Pages of 4 KiB. A longer log is restarted, for which commits wait a moment. */
  maxPages: number
}

/** Rare, because the first commit into an empty log waits for the disk once. */
const DEFAULTS: CheckpointOptions = { everyMs: 4 * SECOND, maxPages: 16_000 }

export type Checkpoints = ReturnType<typeof startCheckpoints>

/** `onFailure` is called with the error of a checkpoint; the next one is made all the same. */
export function startCheckpoints(
  file: string,
  onFailure: (error: unknown) => void,
  { everyMs, maxPages }: CheckpointOptions = DEFAULTS,
) {
  const worker = new Worker(locateProgram('./checkpoint-worker.ts', import.meta.url), {
    workerData: { file, everyMs, maxPages },
    // The worker runs almost no JavaScript.
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
  })
  worker.unref()
  worker.on('message', onFailure)
  worker.on('error', onFailure)
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  return {
    /** Resolves after a checkpoint that runs. A worker thread that is terminated inside a call of the database ends the whole process. */
    async stop(): Promise<void> {
      worker.postMessage('stop')
      await ended
    },
  }
}
