// `npm run build:package`: builds the package `msgnet-gateway`, which `npx msgnet-gateway` starts, and `@msgnet/testing`, which tests start.

import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runCommand } from '@msgnet/shared/node/run-command.ts'
import { buildGatewayPackage } from './build/gateway-package.ts'
import { projectRoot } from './build/root.ts'
import { buildTestingPackage } from './build/testing-package.ts'

await runCommand(async () => {
  const { values } = parseArgs({ options: { to: { type: 'string' }, testing: { type: 'string' } } })
  await buildGatewayPackage(values.to ?? join(projectRoot, '.build', 'package'))
  await buildTestingPackage(values.testing ?? join(projectRoot, '.build', 'testing'))
})
