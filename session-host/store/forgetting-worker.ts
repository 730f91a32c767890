// The worker thread that deletes the old messages of a host's own file once, and ends.
//
// It imports neither tables nor the query builder: with them the first run left 25 MB in the process, and each took 0.3 s.

import { parentPort, workerData } from 'node:worker_threads'
import { openLocalFile } from '../../shared/node/local-file.ts'
import type { Forgetting } from './forgetting.ts'
import { makeGuard } from './guard.ts'
import { forgetOldMessages } from './retention.ts'
import { nameColumns } from './sql.ts'

const { file, days }: Forgetting = workerData
const local = openLocalFile(file)
const guard = makeGuard()
const ending = new AbortController()
const { signal } = ending
parentPort?.once('message', () => ending.abort())
try {
  await forgetOldMessages(
    {
      shared: false,
      rows: async (sql, ...args) => nameColumns(await guard.reading(() => local.execute({ sql, args }))),
      commit: (statements) => guard.writing(() => local.commit(statements)),
    },
    Date.now(),
    { days, signal },
  )
} catch (thrown) {
  if (!signal.aborted) throw thrown
} finally {
  local.close()
  parentPort?.close()
}
