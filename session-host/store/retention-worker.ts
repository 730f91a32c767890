// The worker thread that deletes the old messages of a host's own file once, and ends.
//
// It imports neither tables nor the query builder: with them the first run left 25 MB in the process, and each took 0.3 s.

import { parentPort, workerData } from 'node:worker_threads'
import { LocalFile } from '@msgnet/shared/node/local-file.ts'
import { deleteOldMessages } from './retention.ts'
import type { RetentionJob } from './retention-schedule.ts'
import { nameColumns } from './sql.ts'
import { Guard } from './store-guard.ts'

const { file, days, mediaDays }: RetentionJob = workerData
const local = new LocalFile(file)
const guard = new Guard()
const ending = new AbortController()
const { signal } = ending
parentPort?.once('message', () => ending.abort())
try {
  await deleteOldMessages(
    {
      shared: false,
      rows: async (sql, ...args) => nameColumns(await guard.runRead(() => local.execute({ sql, args }))),
      commit: (statements) => guard.runWrite(() => local.commit(statements)),
    },
    Date.now(),
    { days, mediaDays, signal },
  )
} catch (error) {
  if (!signal.aborted) throw error
} finally {
  local.close()
  parentPort?.close()
}
