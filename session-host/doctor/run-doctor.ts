// The process of the doctor: settings as a host has them, arguments of its own, a line for each finding; exit code 1 if one failed.

import { parseArgs } from 'node:util'
import { ConfigError, readConfig } from '../config.ts'
import { captureConsole, createSilentLog } from '../process/host-log.ts'
import { describeFinding } from './doctor-finding.ts'
import { runChecks } from './run-checks.ts'

const { values } = parseArgs({
  options: {
    instance: { type: 'string' },
    proxy: { type: 'string' },
    media: { type: 'string', multiple: true, default: [] },
    echo: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
})

try {
  const config = readConfig(process.env)
  captureConsole(createSilentLog())
  const findings = await runChecks(config, { ...values, mediaHosts: values.media })
  const text = values.json ? JSON.stringify(findings, null, 2) : findings.map(describeFinding).join('\n')
  process.stdout.write(`${text}\n`)
  process.exitCode = findings.some(({ state }) => state === 'fail') ? 1 : 0
} catch (error) {
  if (!(error instanceof ConfigError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
