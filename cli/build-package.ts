// `npm run build:package`: builds the package `msgnet-gateway`, which `npx msgnet-gateway` starts.

import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runCommand } from '@msgnet/shared/node/run-command.ts'
import { buildGatewayPackage } from './build/gateway-package.ts'
import { projectRoot } from './build/root.ts'

await runCommand(() => {
  const { values } = parseArgs({ options: { to: { type: 'string' } } })
  return buildGatewayPackage(values.to ?? join(projectRoot, '.build', 'package'))
})
