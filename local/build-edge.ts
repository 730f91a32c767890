// `npm run build:edge`: bundles the worker into one file, for starts on a read-only disk.

import { bundleEdge } from './build/bundle.ts'

console.log(await bundleEdge())
