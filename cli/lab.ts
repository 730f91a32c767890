// `npm run lab`: a laboratory for the programs of callers, by HTTP, until it is stopped.

import { parseArgs } from 'node:util'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { runCommand } from '@msgnet/shared/node/run-command.ts'
import { LabPool } from './lab/lab-pool.ts'
import { serveLab } from './lab/lab-server.ts'
import { Lab } from './lab/lab-world.ts'
import { waitForStop } from './processes/stop-signal.ts'

/** For the console of a person only; a program takes any free port and reads the line. */
const DEFAULT_PORT = '8786'
/** Started ahead, for tests that want a gateway of their own. */
const DEFAULT_SPARE = '1'
const MAX_SPARE = 4

async function runLab(stopReason: Promise<string>): Promise<void> {
  const startedAt = performance.now()
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: DEFAULT_PORT },
      spare: { type: 'string', default: DEFAULT_SPARE },
      allow: { type: 'string', multiple: true, default: [] },
    },
  })
  const port = Number(values.port)
  if (!/^\d+$/.test(values.port) || port > 65_535)
    throw new OperatorError(`--port is no port: ${values.port}`)
  const spare = Number(values.spare)
  if (!/^\d+$/.test(values.spare) || spare > MAX_SPARE)
    throw new OperatorError(`--spare must be 0 to ${MAX_SPARE}, not ${values.spare}`)
  const openPool = () =>
    LabPool.open({
      open: (signal, isSpare) => (isSpare ? Lab.openWarm : Lab.open)(values.allow, signal),
      spare,
      report: (line) => console.error(line),
    })
  const server = await serveLab(openPool, port)
  console.log(
    `laboratory ready at ${server.url}/lab in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`,
  )
  await stopReason
  await server.close()
}

await runCommand(() => runLab(waitForStop()))
process.exit()
