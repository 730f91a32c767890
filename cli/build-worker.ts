// What `npm run deploy` builds before wrangler uploads it: the pages beside the worker, and the worker.

import { bundleWorker } from './build/bundle-worker.ts'
import { buildPages } from './build/page-files.ts'

await buildPages()
await bundleWorker()
