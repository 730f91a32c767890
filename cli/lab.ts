// `npm run lab`: a laboratory for the programs of callers, by HTTP, until it is stopped.

import { parseArgs } from 'node:util'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { runCommand } from '@msgnet/shared/node/run-command.ts'
import { serveLab } from './lab/lab-server.ts'
import { Lab } from './lab/lab-world.ts'
import { waitForStop } from './processes/stop-signal.ts'

/** For the console of a person only; a program takes any free port and reads the line. */
const DEFAULT_PORT = '8786'

async function runLab(stopReason: Promise<string>): Promise<void> {
  const startedAt = performance.now()
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: DEFAULT_PORT },
      allow: { type: 'string', multiple: true, default: [] },
    },
  })
  const port = Number(values.port)
  if (!/^\d+$/.test(values.port) || port > 65_535)
    throw new OperatorError(`--port is no port: ${values.port}`)
  const server = await serveLab(() => Lab.open(values.allow), port)
  console.log(
    `laboratory ready at ${server.url}/lab in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`,
  )
  await stopReason
  await server.close()
}

await runCommand(() => runLab(waitForStop()))
process.exit()
