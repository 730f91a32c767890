// A fresh checkout on machines as people have them: with an old Node and its npm it is installed, gets ready, and tells its demo to the end.

import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { projectRoot } from '../../local/build/bundle.ts'
import { readRun } from '../../local/data-folder/running.ts'
import { freePort } from '../../local/settings/ports.ts'
import { until } from '../until.ts'

/** What npm needs to find packages; nothing of the run that this test belongs to. */
const PASSED_ON =
  /^(HOME|LANG|TMPDIR|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|npm_config_(registry|cache|userconfig))$/i
const outside = Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED_ON.test(name)))

const quietly = ['--prefer-offline', '--no-audit', '--no-fund']
const readyWithin = { within: 120_000 }

interface Machine {
  /** Its programs are the old Node, the old npm, and those of the system. */
  env: Record<string, string | undefined>
  checkout: string
}

async function makeMachine(node: string, npm: string): Promise<Machine> {
  const folder = mkdtempSync(join(tmpdir(), 'fresh-checkout-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [tools, bin, checkout] = [join(folder, 'tools'), join(folder, 'bin'), join(folder, 'checkout')]
  for (const each of [tools, bin, checkout]) mkdirSync(each)
  const packaged = `node-linux-${process.arch}`
  await promisify(execFile)('npm', ['install', ...quietly, `npm@${npm}`, `${packaged}@${node}`], {
    cwd: tools,
  })
  const program = join(tools, 'node_modules', packaged, 'bin', 'node')
  symlinkSync(program, join(bin, 'node'))
  const started = `exec ${program} ${join(tools, 'node_modules', 'npm', 'bin', 'npm-cli.js')} "$@"`
  writeFileSync(join(bin, 'npm'), `#!/bin/sh\n${started}\n`)
  chmodSync(join(bin, 'npm'), 0o755)
  copySources(checkout)
  return { env: { ...outside, PATH: `${bin}:/usr/bin:/bin` }, checkout }
}

/** The files that git would give somebody else, as they are now. */
function copySources(folder: string): void {
  const listing = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const files = execFileSync('git', listing, { cwd: projectRoot, encoding: 'utf8' }).split('\0')
  for (const file of files.filter((each) => each && existsSync(join(projectRoot, each))))
    cpSync(join(projectRoot, file), join(folder, file))
}

async function startGateway({ env, checkout }: Machine): Promise<ChildProcess> {
  const child = spawn('npm', ['start'], { cwd: checkout, env, stdio: ['ignore', 'pipe', 'pipe'] })
  // It ends when its npm is gone.
  onTestFinished(() => void child.kill('SIGKILL'))
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk))
  await until(() => printed.includes('ready in') || child.exitCode !== null, readyWithin)
  expect(printed).toContain('ready in')
  return child
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test.skipIf(process.platform !== 'linux').each([
  // Debian 12 and Ubuntu 24.04; Debian 13; what comes with Node 20 and with Node 22.
  ['18.19.1', '9.2.0'],
  ['20.19.2', '9.2.0'],
  ['20.19.2', '10.8.2'],
  ['20.19.2', '10.9.9'],
])(
  'under Node %s npm %s installs a checkout that gets ready and tells its demo',
  async (node, npm) => {
    const machine = await makeMachine(node, npm)
    const { checkout: cwd } = machine
    const ports = { PORT: '0', SIMULATOR_PORT: '0', METRICS_PORT: '0', EDGE_METRICS_PORT: '0' }
    const env = { ...machine.env, ...ports, WEBHOOK_ALLOWLIST: `127.0.0.1:${await freePort()}` }
    const run = (...args: string[]) => promisify(execFile)('npm', args, { cwd, env })
    expect(execFileSync('node', ['--version'], { env, encoding: 'utf8' }).trim()).toBe(`v${node}`)
    await run('ci', ...quietly)
    // A binary of its own, which an older npm leaves out where a package asks for a newer Node.
    await promisify(execFile)('local/node', ['--eval', "require('sharp')"], { cwd, env })

    const gateway = await startGateway({ ...machine, env })
    const { pid = 0, parts = {} } = readRun(join(cwd, '.data')) ?? {}
    expect(Object.keys(parts)).toHaveLength(4)
    const { stdout } = await run('run', 'demo')
    expect(stdout).toContain('signature verified')
    gateway.kill('SIGTERM')
    await until(() => ![pid, ...Object.values(parts)].some(isAlive))

    // Its tests run too: their tools need a newer Node than this machine's.
    await run('run', 'test:files', '--', 'test/bench/scaling.test.ts')
  },
  400_000,
)
