// The worker thread that checkpoints a host's file: it copies the write-ahead log into the file while the host writes.

import { statSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import Database from 'libsql'
import type { CheckpointOptions } from './checkpoints.ts'

/** The longest wait for readers of an old state, because commits wait too; after it the log is restarted another time. */
const MAX_WAIT_MS = 200

const { file, everyMs, maxPages }: CheckpointOptions & { file: string } = workerData
const database = new Database(file, { timeout: MAX_WAIT_MS })
let writtenAt = 0

const timer = setInterval(() => {
  try {
    const { mtimeMs } = statSync(`${file}-wal`)
    if (mtimeMs === writtenAt) return
    writtenAt = mtimeMs
    shrinkLog()
  } catch (error) {
    parentPort?.postMessage(error)
  }
}, everyMs)

parentPort?.once('message', () => {
  clearInterval(timer)
  database.close()
})

/**
 * SQLite restarts the log only when a checkpoint has copied all of it and nothing is written meanwhile, so under steady writes
 * it grows without end. The second checkpoint has little left to copy; the restart copies the rest while commits wait.
 */
function shrinkLog(): void {
  if (runCheckpoint('PASSIVE').log <= maxPages) return
  const { log, checkpointed } = runCheckpoint('PASSIVE')
  // If they differ, a reader still uses an old state.
  if (log === checkpointed) runCheckpoint('RESTART')
}

/** Answers the pages of the log, and how many of them are in the file. */
const runCheckpoint = (mode: 'PASSIVE' | 'RESTART') =>
  database.prepare(`PRAGMA wal_checkpoint(${mode})`).get([]) as { log: number; checkpointed: number }
