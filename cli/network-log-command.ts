// `npm run network-log`: shows the protocol log of a host, or replays it to the driver over a network that only plays it back.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import {
  groupBySocket,
  type LoggedNode,
  type LogLine,
  NETWORK_LOG_FOLDER,
} from '@msgnet/shared/network-log-lines.ts'
import { listSegments, readSegment } from '@msgnet/shared/node/network-log-files.ts'
import { OperatorError, withOperatorErrors } from '@msgnet/shared/node/operator-errors.ts'
import { runCommand } from '@msgnet/shared/node/run-command.ts'
import { createSealer } from '@msgnet/shared/seal.ts'
import { startReplay } from '@msgnet/simulator/replay/replay-network.ts'
import { projectRoot } from './build/root.ts'
import { findLayout, type LayoutChoice, layoutOptions } from './data-folder/layout.ts'
import { quickArgs } from './processes/quick-node.ts'

const USAGE = 'The action is missing: npm run network-log -- show [FILE…] [--instance ID] [--json]'

/** Of the files that are named, else of the whole ring of this machine's host. */
async function readLines(choice: LayoutChoice, files: string[]): Promise<LogLine[]> {
  const { host } = await findLayout({ ...choice, only: 'host' })
  if (!host) throw new OperatorError('This machine has no host.')
  const openSealer = async () => {
    if (!host.sealKeys)
      throw new OperatorError('There are no seal keys of a host: set DATA_DIR or HOST_SEAL_KEYS.')
    return createSealer(host.sealKeys, 'host/network-log')
  }
  const folder = join(host.settings.DATA_DIR, ...NETWORK_LOG_FOLDER)
  const segments = files.length > 0 ? files : await listSegments(folder)
  if (segments.length === 0)
    throw new OperatorError(`There is no protocol log in ${folder}: start the host with NETWORK_LOG=on.`)
  return (await Promise.all(segments.map((file) => readSegment(file, openSealer)))).flat()
}

const arrows = { in: '<-', out: '->' }

function describeLine(line: LogLine): string {
  const place = `${new Date(line.at).toISOString()} ${line.instance.slice(0, 8)} ${line.socket}`
  switch (line.what) {
    case 'open':
      return `${place} -- socket opened`
    case 'end':
      return `${place} -- socket closed: ${line.kind} (${line.code})`
    case 'lost':
      return `${place} -- ${line.lines} lines were dropped`
    default:
      return `${place} ${arrows[line.what]} ${describeNode(line.node)}`
  }
}

function describeNode({ tag, attrs, content, more }: LoggedNode): string {
  const begin = [tag, ...Object.entries(attrs).map(([name, value]) => `${name}="${value}"`)].join(' ')
  if (content === undefined) return `<${begin}/>`
  const inner = Array.isArray(content)
    ? content.map(describeNode).join('') + (more ? `(${more} more)` : '')
    : 'bytes' in content
      ? `(bytes ${content.bytes})`
      : `(text ${content.text})`
  return `<${begin}>${inner}</${tag}>`
}

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
  const lines = await readLines(values, files)
  if (what === 'replay') return replayLog(lines, values.instance)
  for (const line of lines) {
    if (values.instance !== undefined && line.instance !== values.instance) continue
    console.log(values.json ? JSON.stringify(line) : describeLine(line))
  }
}

await runCommand(() => withOperatorErrors(runNetworkLog))
