// `npm run network-log`: shows the protocol log of a host, or replays it to the driver over a network that only plays it back.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { type LoggedNode, type LogLine, NETWORK_LOG_FOLDER, socketsIn } from '../shared/network-log.ts'
import { listSegments, readSegment } from '../shared/node/network-log-files.ts'
import { makeSealer } from '../shared/seal.ts'
import { startReplay } from '../simulator/replay/replay.ts'
import { projectRoot } from './build/root.ts'
import { findLayout, type LayoutChoice, layoutOptions } from './data-folder/layout.ts'
import { quickArgs } from './processes/quick-node.ts'
import { runCommand } from './settings/command.ts'
import { withSentences } from './settings/faults.ts'
import { Complaint } from './settings/settings.ts'

const USAGE = 'Say show or replay: npm run network-log -- show [FILE…] [--instance ID] [--json]'

/** Of the files that are named, else of the whole ring of this machine's host. */
async function readLines(choice: LayoutChoice, files: string[]): Promise<LogLine[]> {
  const { host } = await findLayout({ ...choice, only: 'host' })
  if (!host) throw new Complaint('There is no host here.')
  const sealer = async () => {
    if (!host.sealKeys)
      throw new Complaint('There are no seal keys of a host: set DATA_DIR or HOST_SEAL_KEYS.')
    return makeSealer(host.sealKeys, 'host/network-log')
  }
  const folder = join(host.settings.DATA_DIR, ...NETWORK_LOG_FOLDER)
  const segments = files.length > 0 ? files : await listSegments(folder)
  if (segments.length === 0)
    throw new Complaint(`There is no protocol log in ${folder}: start the host with NETWORK_LOG=on.`)
  return (await Promise.all(segments.map((file) => readSegment(file, sealer)))).flat()
}

const arrows = { in: '<-', out: '->' }

function describeLine(line: LogLine): string {
  const place = `${new Date(line.at).toISOString()} ${line.instance.slice(0, 8)} ${line.socket}`
  switch (line.what) {
    case 'open':
      return `${place} -- a socket is opened`
    case 'end':
      return `${place} -- it ended: ${line.kind} (${line.code})`
    case 'lost':
      return `${place} -- ${line.lines} lines were lost`
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

/** The driver runs in a process of its own, as in a host. */
async function replay(lines: LogLine[], instance: string | undefined): Promise<void> {
  const sockets = socketsIn(lines, instance)
  if (sockets.length === 0) throw new Complaint('Nothing of this instance is in the log.')
  const network = await startReplay(sockets)
  const program = join(projectRoot, 'session-host', 'network-log', 'main.ts')
  const begins = sockets[0]?.some(
    (line) => line.what !== 'end' && JSON.stringify(line.node).includes('"pair-device"'),
  )
  const args = [network.networkUrl, network.rootKey, String(sockets.length), begins ? 'new' : 'linked']
  const driver = spawn(process.execPath, [...quickArgs, program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: driver.stdout })) {
    console.log(line)
    const { event, data } = JSON.parse(line) as { event: string; data: unknown[] }
    if (event === 'qr') network.scan(String(data[0]))
  }
  if (driver.exitCode === null) await once(driver, 'exit')
  await network.close()
  if (driver.exitCode !== 0) throw new Complaint('The driver failed on this log.')
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { ...layoutOptions, instance: { type: 'string' }, json: { type: 'boolean', default: false } },
  })
  const [what, ...files] = positionals
  if (what !== 'show' && what !== 'replay') throw new Complaint(USAGE)
  const lines = await readLines(values, files)
  if (what === 'replay') return replay(lines, values.instance)
  for (const line of lines) {
    if (values.instance !== undefined && line.instance !== values.instance) continue
    console.log(values.json ? JSON.stringify(line) : describeLine(line))
  }
}

await runCommand(() => withSentences(main))
