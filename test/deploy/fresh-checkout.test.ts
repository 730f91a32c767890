// A fresh checkout on machines as people have them: with an old Node and its npm it is installed, starts, and runs its demo to the end.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { readRun } from '@msgnet/cli/data-folder/run-record.ts'
import { freePort } from '@msgnet/cli/settings/ports.ts'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { until } from '../until.ts'

const run = promisify(execFile)
const quietly = ['--prefer-offline', '--no-audit', '--no-fund']
/** Ten thousands of files are written and removed. */
const patient = 300_000

/** What npm needs to find packages; nothing of the run that this test belongs to. */
const INHERITED =
  /^(HOME|LANG|TMPDIR|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|npm_config_(registry|cache|userconfig))$/i
const outside = Object.fromEntries(Object.entries(process.env).filter(([name]) => INHERITED.test(name)))

const folder = mkdtempSync(join(tmpdir(), 'fresh-checkout-'))
const isOnLinux = process.platform === 'linux'

/** Debian 12 and Ubuntu 24.04 have the first, with all that a contributor needs; then Debian 13; what comes with Node 20 and with Node 22. */
const machines: [node: string, npm: string, install: string[]][] = [
  ['18.19.1', '9.2.0', []],
  ['20.19.2', '9.2.0', ['--omit=dev']],
  ['20.19.2', '10.8.2', ['--omit=dev']],
  ['20.19.2', '10.9.9', ['--omit=dev']],
]

beforeAll(async () => {
  if (!isOnLinux) return
  const packages = machines.flatMap(([node, npm]) => [
    `node-${node}@npm:node-linux-${process.arch}@${node}`,
    `npm-${npm}@npm:npm@${npm}`,
  ])
  await run('npm', ['install', ...quietly, ...new Set(packages)], { cwd: folder })
}, patient)

afterAll(() => rm(folder, { recursive: true, force: true }), patient)

/** A machine whose programs are this Node, this npm, and those of the system. */
async function createMachine(node: string, npm: string) {
  const place = mkdtempSync(join(folder, 'machine-'))
  onTestFinished(() => rm(place, { recursive: true, force: true }), patient)
  const [bin, checkout] = [join(place, 'bin'), join(place, 'checkout')]
  mkdirSync(bin)
  const installed = join(folder, 'node_modules')
  const program = join(installed, `node-${node}`, 'bin', 'node')
  symlinkSync(program, join(bin, 'node'))
  const command = `exec ${program} ${join(installed, `npm-${npm}`, 'bin', 'npm-cli.js')} "$@"`
  writeFileSync(join(bin, 'npm'), `#!/bin/sh\n${command}\n`)
  chmodSync(join(bin, 'npm'), 0o755)
  await copySources(checkout)
  return { env: { ...outside, PATH: `${bin}:/usr/bin:/bin` }, cwd: checkout }
}

/** The files of a clone, with their present contents. */
async function copySources(to: string): Promise<void> {
  const listing = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const { stdout } = await run('git', listing, { cwd: projectRoot })
  for (const file of stdout.split('\0').filter((each) => each && existsSync(join(projectRoot, each))))
    cpSync(join(projectRoot, file), join(to, file))
}

async function startGateway(options: { cwd: string; env: NodeJS.ProcessEnv }): Promise<ChildProcess> {
  const child = spawn('npm', ['start'], { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  // It ends when its npm is gone.
  onTestFinished(() => void child.kill('SIGKILL'))
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk))
  await until(() => printed.includes('ready in') || child.exitCode !== null, { within: 120_000 })
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

test.skipIf(!isOnLinux).each(machines)(
  'under Node %s npm %s installs a checkout that starts and runs its demo',
  async (node, npm, install) => {
    const { cwd, env: plain } = await createMachine(node, npm)
    const ports = { PORT: '0', SIMULATOR_PORT: '0', METRICS_PORT: '0', EDGE_METRICS_PORT: '0' }
    const env = { ...plain, ...ports, WEBHOOK_ALLOWLIST: `127.0.0.1:${await freePort()}` }
    const runProgram = async (program: string, ...args: string[]) =>
      (await run(program, args, { cwd, env })).stdout.trim()
    expect([await runProgram('node', '--version'), await runProgram('npm', '--version')]).toEqual([
      `v${node}`,
      npm,
    ])
    await runProgram('npm', 'ci', ...quietly, ...install)
    // A binary of its own, which npm leaves out where its package asks for a newer Node than the one that installs.
    await runProgram('cli/node', '--eval', "require('sharp')")

    const gateway = await startGateway({ cwd, env })
    const { pid = 0, parts = {} } = readRun(join(cwd, '.data')) ?? {}
    expect(Object.keys(parts)).toHaveLength(3)
    expect(await runProgram('npm', 'run', 'demo')).toContain('signature verified')
    // It notices that its npm was killed, and ends in order as well.
    gateway.kill(install.length === 0 ? 'SIGKILL' : 'SIGTERM')
    await until(() => ![pid, ...Object.values(parts)].some(isAlive), { within: 60_000 })

    // Its tests run too: their tools need a newer Node than this machine's.
    if (install.length === 0) await runProgram('npm', 'run', 'test:files', '--', 'test/bench/scaling.test.ts')
  },
  patient,
)
