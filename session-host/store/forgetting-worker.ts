// The worker thread that deletes the old messages of a host's own file once, and ends.

import { workerData } from 'node:worker_threads'
import { openLocalFile } from '../../shared/node/local-file.ts'
import type { Forgetting } from './forgetting.ts'
import { makeGuard } from './guard.ts'
import { forgetOldMessages } from './retention.ts'
import { storeOn } from './store.ts'

const { file, days }: Forgetting = workerData
const store = await storeOn(openLocalFile(file), makeGuard(), file)
try {
  await forgetOldMessages(store, Date.now(), { days })
} finally {
  await store.close()
}
