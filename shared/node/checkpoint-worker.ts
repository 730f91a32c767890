// The worker thread that checkpoints a host's file: it copies the write-ahead log into the file while the host writes.

import { statSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import Database from 'libsql'
import type { Checkpointing } from './checkpoints.ts'

/** The longest wait for readers of an old state, because commits wait too; after it the log is restarted another time. */
const WAIT_AT_MOST_MS = 200

const { file, everyMs, pagesAtMost }: Checkpointing & { file: string } = workerData
const database = new Database(file, { timeout: WAIT_AT_MOST_MS })
let writtenAt = 0

const timer = setInterval(() => {
  try {
    const { mtimeMs } = statSync(`${file}-wal`)
    if (mtimeMs === writtenAt) return
    writtenAt = mtimeMs
    foldLog()
  } catch (thrown) {
    parentPort?.postMessage(thrown)
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
function foldLog(): void {
  if (checkpoint('PASSIVE').log <= pagesAtMost) return
  const { log, checkpointed } = checkpoint('PASSIVE')
  // If they differ, a reader still uses an old state.
  if (log === checkpointed) checkpoint('RESTART')
}

/** Answers the pages of the log, and how many of them are in the file. */
const checkpoint = (mode: 'PASSIVE' | 'RESTART') =>
  database.prepare(`PRAGMA wal_checkpoint(${mode})`).get([]) as { log: number; checkpointed: number }
