// `npm run build:pages`: builds what the edge serves as text, for starts on a read-only disk and for `wrangler deploy`. With `--final`, for an
// image: they are never built again beside these sources.

import { parseArgs } from 'node:util'
import { runCommand } from '@msgnet/shared/node/run-command.ts'
import { buildPages, declareFinal } from './build/page-files.ts'

await runCommand(async () => {
  const { values } = parseArgs({ options: { final: { type: 'boolean', default: false } } })
  await buildPages()
  if (values.final) declareFinal()
})
