// The worker thread that checkpoints a host's file: it copies the write-ahead log into the file while the host writes.

import { statSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import Database from 'libsql'
import type { CheckpointOptions } from './checkpoints.ts'

/** The longest wait for readers of an old state, because commits wait too; after it the log is restarted another time. */
const MAX_WAIT_MS = 200

const { file, everyMs, maxPages }: CheckpointOptions & { file: string } = workerData
const database = new Database(file, { timeout: MAX_WAIT_MS })
/** Of the log, from one checkpoint to the next: every other process that writes to the disk waits while they are synced. */
const USUAL_PAGES = maxPages / 4
/** How many times as often checkpoints are made under many writes. */
const MAX_SPEED = 8

let writtenAt = 0
/** The log as the last checkpoint left it. */
let seenPages = 0
let checkedAt = performance.now()
let timer = setTimeout(runTurn, everyMs)

function runTurn(): void {
  let pause = everyMs
  try {
    const { mtimeMs } = statSync(`${file}-wal`)
    if (mtimeMs !== writtenAt) {
      writtenAt = mtimeMs
      pause = computePause(shrinkLog())
    }
  } catch (error) {
    parentPort?.postMessage(error)
  }
  checkedAt = performance.now()
  timer = setTimeout(runTurn, pause)
}

parentPort?.once('message', () => {
  clearTimeout(timer)
  database.close()
})

/** As long as the usual number of pages takes at the pace of the last ones. */
function computePause(pages: number): number {
  const pace = pages / (performance.now() - checkedAt)
  return Math.min(Math.max(USUAL_PAGES / pace, everyMs / MAX_SPEED), everyMs)
}

/**
 * SQLite restarts the log only when a checkpoint has copied all of it and nothing is written meanwhile, so under steady writes
 * it grows without end. The second checkpoint has little left to copy; the restart copies the rest while commits wait. Returns
 * how many pages had been added.
 */
function shrinkLog(): number {
  const { log: found } = runCheckpoint('PASSIVE')
  const added = found < seenPages ? found : found - seenPages
  seenPages = found
  if (found <= maxPages) return added
  const { log, checkpointed } = runCheckpoint('PASSIVE')
  seenPages = log
  // If they differ, a reader still uses an old state.
  if (log === checkpointed) {
    runCheckpoint('RESTART')
    seenPages = 0
  }
  return added
}

/** Returns how many pages the write-ahead log has, and how many of them are already in the database file. */
const runCheckpoint = (mode: 'PASSIVE' | 'RESTART') =>
  database.prepare(`PRAGMA wal_checkpoint(${mode})`).get([]) as { log: number; checkpointed: number }
