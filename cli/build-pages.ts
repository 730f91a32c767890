// `npm run build:pages`: builds what the edge serves as text, for starts on a read-only disk and for `wrangler deploy`. With `--final`, for an
// image: they are never built again beside these sources.

import { parseArgs } from 'node:util'
import { buildPages, declareFinal } from './build/page-files.ts'

const { values } = parseArgs({ options: { final: { type: 'boolean', default: false } } })
await buildPages()
if (values.final) declareFinal()
