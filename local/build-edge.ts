// `npm run build:edge`: the worker as one file, for those who start it where nothing can be written.

import { bundleEdge } from './build/bundle.ts'

console.log(await bundleEdge())
