// The worker thread that deletes the old messages of a host's own file once, or those that have disappeared, and ends.
//
// It imports neither tables nor the query builder: with them the first run left 25 MB in the process, and each took 0.3 s.

import { parentPort, workerData } from 'node:worker_threads'
import { LocalFile } from '@msgnet/shared/node/local-file.ts'
import { deleteExpired, deleteOldMessages } from './retention.ts'
import type { RetentionJob } from './retention-schedule.ts'
import { nameColumns } from './sql.ts'
import { Guard } from './store-guard.ts'

const { file, old }: RetentionJob = workerData
const local = new LocalFile(file)
const guard = new Guard()
const ending = new AbortController()
const { signal } = ending
parentPort?.once('message', () => ending.abort())
try {
  const store: Parameters<typeof deleteExpired>[0] = {
    shared: false,
    rows: async (sql, ...args) => nameColumns(await guard.runRead(() => local.execute({ sql, args }))),
    commit: (statements) => guard.runWrite(() => local.commit(statements)),
  }
  await (old
    ? deleteOldMessages(store, Date.now(), { ...old, signal })
    : deleteExpired(store, Date.now(), { signal }))
} catch (error) {
  if (!signal.aborted) throw error
} finally {
  local.close()
  parentPort?.close()
}
