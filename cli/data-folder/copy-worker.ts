// The worker thread that copies a database which no process uses into a new file, without what was deleted from it.

import { DatabaseSync } from 'node:sqlite'
import { workerData } from 'node:worker_threads'

/** The server of a start that was just killed ends within moments. */
const MAX_WAIT_MS = 10_000

const { from, to }: { from: string; to: string } = workerData
const database = new DatabaseSync(from, { timeout: MAX_WAIT_MS })
try {
  // With a write-ahead log an exclusive lock is granted only if no other process has the file open.
  database.exec('pragma locking_mode = exclusive; begin exclusive; commit')
  database.prepare('vacuum into ?').run(to)
} finally {
  database.close()
}
checkCopy()

function checkCopy(): void {
  const copy = new DatabaseSync(to, { readOnly: true })
  try {
    const found = copy.prepare('pragma quick_check(1)').get()?.quick_check
    if (found !== 'ok') throw new Error(`the copy is damaged: ${found}`)
  } finally {
    copy.close()
  }
}
