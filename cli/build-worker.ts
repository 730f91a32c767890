// What `npm run deploy` builds before wrangler bundles the rest: the pages beside the worker's script, and our own part of that.

import { bundleWorker } from './build/bundle-worker.ts'
import { buildPages } from './build/page-files.ts'

await buildPages()
await bundleWorker()
