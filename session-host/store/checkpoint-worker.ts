// The thread that folds the write-ahead log of a host's file into the file, while the host goes on writing.

import { statSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import Database from 'libsql'
import type { Checkpointing } from './checkpoints.ts'

/** Within this somebody who reads an old state has ended, or the log is begun anew another time: nobody can write meanwhile. */
const WAIT_AT_MOST_MS = 200

const { file, everyMs, pagesAtMost }: Checkpointing & { file: string } = workerData
const database = new Database(file, { timeout: WAIT_AT_MOST_MS })
let writtenAt = 0

setInterval(() => {
  try {
    const { mtimeMs } = statSync(`${file}-wal`)
    if (mtimeMs === writtenAt) return
    writtenAt = mtimeMs
    fold()
  } catch (thrown) {
    parentPort?.postMessage(thrown)
  }
}, everyMs)

/**
 * All that a log holds can be in the file, and the log goes on growing for as long as something is written while that is looked
 * at: it begins anew by itself only after a pause. What was written meanwhile is little, and is folded while commits wait for it.
 */
function fold(): void {
  if (checkpoint('PASSIVE').log <= pagesAtMost) return
  const { log, checkpointed } = checkpoint('PASSIVE')
  // Otherwise somebody reads an old state.
  if (log === checkpointed) checkpoint('RESTART')
}

/** Answers the pages of the log when it began, and how many of them are in the file. */
const checkpoint = (mode: 'PASSIVE' | 'RESTART') =>
  database.prepare(`PRAGMA wal_checkpoint(${mode})`).get([]) as { log: number; checkpointed: number }
