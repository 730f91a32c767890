// From an empty folder to a first message: by a clone, by the package, and in a test with a laboratory, under each Node that people have; and in a
// container without an engine.

import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { freePort } from '@msgnet/cli/settings/ports.ts'
import { installVersions, type NodeVersion, placeMachine, quietly } from '../deploy/installed-nodes.ts'
import type { WayFigures, WayRow, WaySeconds } from '../figures/figures.ts'
import { measureContainer } from './container-start.ts'

/** Each with the npm that comes with it. */
const versions: NodeVersion[] = [
  { node: '20.19.2', npm: '10.8.2' },
  { node: '22.20.0', npm: '10.9.9' },
  { node: '24.21.0', npm: '11.6.1' },
]

type Machine = ReturnType<typeof placeMachine>

const run = async ({ cwd, env }: Machine, program: string, ...args: string[]): Promise<string> =>
  (await promisify(execFile)(program, args, { cwd, env })).stdout

/** Seconds since the last call. */
function startWatch() {
  let last = performance.now()
  return () => {
    const since = last
    last = performance.now()
    return (last - since) / 1000
  }
}

/** Resolves when it has printed that it is ready. */
async function startGateway({ cwd, env }: Machine, ...command: string[]): Promise<ChildProcess> {
  const [program = '', ...args] = command
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false }))
    if (String(chunk).includes('ready in')) {
      child.stdout.resume()
      return child
    }
  throw new Error(`${command.join(' ')} did not start`)
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

/** What the README says. */
async function goByClone(machine: Machine): Promise<WaySeconds> {
  const lap = startWatch()
  await run(machine, 'git', 'clone', '--quiet', '--depth', '1', `file://${projectRoot}`, '.')
  await run(machine, 'npm', 'ci', ...quietly)
  const install = lap()
  const gateway = await startGateway(machine, 'npm', 'start')
  const ready = lap()
  await run(machine, 'npm', 'run', 'demo')
  const message = lap()
  await stop(gateway)
  return { install, ready, message }
}

async function goByPackage(machine: Machine, packages: string[]): Promise<WaySeconds> {
  const lap = startWatch()
  await run(machine, 'npm', 'install', ...quietly, ...packages)
  const install = lap()
  const gateway = await startGateway(machine, 'npx', 'msgnet-gateway', '--port', '0')
  const ready = lap()
  await run(machine, 'env', 'DATA_DIR=msgnet-data', 'npx', 'msgnet-gateway', 'demo')
  const message = lap()
  await stop(gateway)
  return { install, ready, message }
}

const FIRST_MESSAGE = `import { startLab } from '@msgnet/testing'
const lab = await startLab()
console.log('ready')
const shop = await lab.createInstance()
const id = await (await lab.phone('Ana')).write(shop.number, 'Where is my order?')
const hasCome = async () => (await lab.received(shop)).received.some(({ envelope }) => envelope.message?.messageid === id)
while (!(await hasCome())) await new Promise((resolve) => setTimeout(resolve, 10))
console.log('message')
await lab.close()
`

async function goByLab(machine: Machine, packages: string[]): Promise<WaySeconds> {
  const lap = startWatch()
  await run(machine, 'npm', 'install', ...quietly, ...packages)
  const install = lap()
  writeFileSync(join(machine.cwd, 'first.mjs'), FIRST_MESSAGE)
  const { cwd, env } = machine
  const test = spawn('node', ['first.mjs'], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const laps: number[] = []
  test.stdout.on('data', () => laps.push(lap()))
  const [code] = await once(test, 'exit')
  const [ready = 0, message = 0] = laps
  if (code !== 0 || laps.length !== 2) throw new Error('the laboratory had no first message')
  return { install, ready, message }
}

/** What would be downloaded, as files. */
function packPackages(folder: string): string[] {
  const [built, testing] = [join(folder, 'built'), join(folder, 'testing')]
  const runNpm = (...args: string[]) => execFileSync('npm', args, { cwd: projectRoot, encoding: 'utf8' })
  runNpm('run', 'build:package', '--', '--to', built, '--testing', testing)
  const packed = runNpm('pack', built, testing, '--json', '--pack-destination', folder)
  return (JSON.parse(packed) as { filename: string }[]).map(({ filename }) => join(folder, filename))
}

export async function measureWays(note: (text: string) => void): Promise<WayFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'ways-in-'))
  const load = loadavg()[0] ?? 0
  const rows: WayRow[] = []
  try {
    const [nodes, packed] = [join(folder, 'nodes'), join(folder, 'packed')]
    for (const each of [nodes, packed]) mkdirSync(each)
    await installVersions(nodes, versions)
    const packages = packPackages(packed)
    const ways: [string, string[], (machine: Machine) => Promise<WaySeconds>][] = [
      ['clone', ['git clone', 'npm ci', 'npm start', 'npm run demo'], goByClone],
      [
        'package',
        ['npm install', 'npx msgnet-gateway', 'npx msgnet-gateway demo'],
        (machine) => goByPackage(machine, packages),
      ],
      ['laboratory', ['npm install', 'node first.mjs'], (machine) => goByLab(machine, packages)],
    ]
    for (const version of versions)
      for (const [way, commands, go] of ways) {
        const machine = placeMachine(nodes, version)
        const ports = { PORT: '0', SIMULATOR_PORT: '0', METRICS_PORT: '0', EDGE_METRICS_PORT: '0' }
        Object.assign(machine.env, ports, { WEBHOOK_ALLOWLIST: `127.0.0.1:${await freePort()}` })
        const row = { way, commands, node: version.node, seconds: await go(machine) }
        note(JSON.stringify(row))
        rows.push(row)
        rmSync(machine.place, { recursive: true, force: true })
      }
    const container = await measureContainer(join(folder, 'container'))
    note(JSON.stringify(container))
    rows.push(container)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return { load, rows }
}
