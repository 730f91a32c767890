// Checkpoints of a host's own file: its write-ahead log is folded into it by another thread, with a connection of its own.
//
// SQLite would do it inside whichever COMMIT finds the log long enough, fsync included: half a second after some minutes of
// traffic, in the thread that serves every session.

import { Worker } from 'node:worker_threads'

export interface Checkpoints {
  stop(): void
}

/** `failed` hears what went wrong; the next one is made all the same. */
export function startCheckpoints(file: string, failed: (thrown: unknown) => void): Checkpoints {
  const worker = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), {
    workerData: file,
    // It does next to nothing in script.
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
  })
  worker.unref()
  worker.on('message', failed)
  worker.on('error', failed)
  return { stop: () => void worker.terminate() }
}
