// The process of the doctor: settings as a host has them, arguments beside, a line for each finding; exit code 1 if one failed.

import { parseArgs } from 'node:util'
import { ConfigError, readConfig } from '../config.ts'
import { captureConsole, silentLog } from '../log.ts'
import { examine } from './doctor.ts'
import { describeFinding } from './finding.ts'

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
  captureConsole(silentLog())
  const findings = await examine(config, { ...values, mediaHosts: values.media })
  const text = values.json ? JSON.stringify(findings, null, 2) : findings.map(describeFinding).join('\n')
  process.stdout.write(`${text}\n`)
  process.exitCode = findings.some(({ state }) => state === 'fail') ? 1 : 0
} catch (thrown) {
  if (!(thrown instanceof ConfigError)) throw thrown
  process.stderr.write(`${thrown.message}\n`)
  process.exitCode = 1
}
