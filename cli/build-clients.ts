// `npm run build:clients`: writes the generated files of the clients in PHP, Python and Go. They are committed.

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runCommand } from '@msgnet/shared/node/run-command.ts'
import { generateClientFiles } from './build/clients/generated-files.ts'
import { projectRoot } from './build/root.ts'

await runCommand(async () => {
  for (const [path, text] of Object.entries(generateClientFiles())) {
    mkdirSync(dirname(join(projectRoot, path)), { recursive: true })
    writeFileSync(join(projectRoot, path), text)
  }
})
