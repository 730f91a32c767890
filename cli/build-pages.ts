// `npm run build:pages`: builds what the edge serves as text, for starts on a read-only disk and for `wrangler deploy`.

import { buildPages } from './build/page-modules.ts'

await buildPages()
