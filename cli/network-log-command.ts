// `npm run network-log`: shows the protocol log of a host, or replays it to the driver over a network that only plays it back.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { groupBySocket, type LogLine } from '@msgnet/shared/network-log-lines.ts'
import { OperatorError, withOperatorErrors } from '@msgnet/shared/node/operator-errors.ts'
import { runCommand } from '@msgnet/shared/node/run-command.ts'
import { startReplay } from '@msgnet/simulator/replay/replay-network.ts'
import { projectRoot } from './build/root.ts'
import { layoutOptions } from './data-folder/layout.ts'
import { describeLine } from './network-log/describe-line.ts'
import { readLog } from './network-log/read-log.ts'
import { quickArgs } from './processes/quick-node.ts'

const USAGE = 'The action is missing: npm run network-log -- show [FILE…] [--instance ID] [--json]'

/** The driver runs in its own process, as in a host. */
async function replayLog(lines: LogLine[], instance: string | undefined): Promise<void> {
  const sockets = groupBySocket(lines, instance)
  if (sockets.length === 0) throw new OperatorError('Nothing of this instance is in the log.')
  const network = await startReplay(sockets)
  const program = join(projectRoot, 'session-host', 'network-replay', 'replay-main.ts')
  const isPairing = sockets[0]?.some(
    (line) => line.what !== 'end' && JSON.stringify(line.node).includes('"pair-device"'),
  )
  const args = [network.networkUrl, network.rootKey, String(sockets.length), isPairing ? 'new' : 'linked']
  const driver = spawn(process.execPath, [...quickArgs, program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: driver.stdout })) {
    console.log(line)
    const { event, data } = JSON.parse(line) as { event: string; data: unknown[] }
    if (event === 'qr') network.scanQr(String(data[0]))
  }
  if (driver.exitCode === null) await once(driver, 'exit')
  await network.close()
  if (driver.exitCode !== 0) throw new OperatorError('The driver failed on this log.')
}

async function runNetworkLog(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { ...layoutOptions, instance: { type: 'string' }, json: { type: 'boolean', default: false } },
  })
  const [what, ...files] = positionals
  if (what !== 'show' && what !== 'replay') throw new OperatorError(USAGE)
  const lines = await readLog(values, files)
  if (what === 'replay') return replayLog(lines, values.instance)
  for (const line of lines) {
    if (values.instance !== undefined && line.instance !== values.instance) continue
    console.log(values.json ? JSON.stringify(line) : describeLine(line))
  }
}

await runCommand(() => withOperatorErrors(runNetworkLog))
