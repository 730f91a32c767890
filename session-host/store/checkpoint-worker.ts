// The thread that folds the write-ahead log of a host's file into the file, while the host goes on writing.

import { statSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import Database from 'libsql'
import { SECOND } from '../../shared/clock.ts'

/** Seldom: the first commit into an empty log waits for the disk once. */
const EVERY_MS = 4 * SECOND
/** What is written while one checkpoint runs is left for the next, which has little to do. */
const TRIES = 5
/** Pages of 4 KiB. A log that never gets empty between two commits is emptied by holding them up for a moment. */
const PAGES_AT_MOST = 16_000

const file: string = workerData
const database = new Database(file, { timeout: SECOND })
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
}, EVERY_MS)

function fold(): void {
  let left = 0
  for (let tries = 0; tries < TRIES; tries++) {
    left = checkpoint('PASSIVE')
    if (left === 0) return
  }
  // Only what was written in the meantime is left, unless somebody reads an old state all the time.
  if (left > PAGES_AT_MOST) checkpoint('RESTART')
}

/** Answers the pages of the log that are not in the file. */
function checkpoint(mode: 'PASSIVE' | 'RESTART'): number {
  const { log, checkpointed } = database.prepare(`PRAGMA wal_checkpoint(${mode})`).get([]) as {
    log: number
    checkpointed: number
  }
  return log - checkpointed
}
