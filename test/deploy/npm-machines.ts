// Machines as people have them, with an old Node and its npm: what is installed and started there finds those, and the programs of the system.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { until } from '../until.ts'

const run = promisify(execFile)

export const isOnLinux = process.platform === 'linux'
export const quietly = ['--prefer-offline', '--no-audit', '--no-fund']
/** Ten thousands of files are written and removed. */
export const patient = 300_000

/** What npm needs to find packages; nothing of the run that this test belongs to. */
const INHERITED =
  /^(HOME|LANG|TMPDIR|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|npm_config_(registry|cache|userconfig))$/i
const outside = Object.fromEntries(Object.entries(process.env).filter(([name]) => INHERITED.test(name)))

export interface NpmMachine {
  /** An empty folder. */
  cwd: string
  env: NodeJS.ProcessEnv
  /** Returns what it printed. Rejects if it fails. */
  runProgram(program: string, ...args: string[]): Promise<string>
  /** Resolves when it has printed `ready in`. It is killed at the end of the test. */
  startGateway(program: string, ...args: string[]): Promise<{ child: ChildProcess; readOutput(): string }>
}

/** Installs each Node and npm, by their versions, before the tests of the file. Returns what creates a machine with two of them. */
export function prepareMachines(versions: { node: string; npm: string }[]) {
  const folder = mkdtempSync(join(tmpdir(), 'npm-machines-'))
  const installed = join(folder, 'node_modules')

  beforeAll(async () => {
    if (!isOnLinux) return
    const packages = versions.flatMap(({ node, npm }) => [
      `node-${node}@npm:node-linux-${process.arch}@${node}`,
      `npm-${npm}@npm:npm@${npm}`,
    ])
    await run('npm', ['install', ...quietly, ...new Set(packages)], { cwd: folder })
  }, patient)

  afterAll(() => rm(folder, { recursive: true, force: true }), patient)

  return async function createMachine(node: string, npm: string): Promise<NpmMachine> {
    const place = mkdtempSync(join(folder, 'machine-'))
    onTestFinished(() => rm(place, { recursive: true, force: true }), patient)
    const [bin, cwd] = [join(place, 'bin'), join(place, 'empty')]
    mkdirSync(bin)
    mkdirSync(cwd)
    const program = join(installed, `node-${node}`, 'bin', 'node')
    symlinkSync(program, join(bin, 'node'))
    for (const [name, file] of [
      ['npm', 'npm-cli.js'],
      ['npx', 'npx-cli.js'],
    ] as const) {
      const command = `exec ${program} ${join(installed, `npm-${npm}`, 'bin', file)} "$@"`
      writeFileSync(join(bin, name), `#!/bin/sh\n${command}\n`)
      chmodSync(join(bin, name), 0o755)
    }
    const env = { ...outside, PATH: `${bin}:/usr/bin:/bin` }
    const machine: NpmMachine = {
      cwd,
      env,
      runProgram: async (program, ...args) =>
        (await run(program, args, { cwd, env: machine.env })).stdout.trim(),
      startGateway: (program, ...args) => startGateway(machine, program, args),
    }
    expect([
      await machine.runProgram('node', '--version'),
      await machine.runProgram('npm', '--version'),
    ]).toEqual([`v${node}`, npm])
    return machine
  }
}

async function startGateway({ cwd, env }: NpmMachine, program: string, args: string[]) {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  // It ends when its npm is gone.
  onTestFinished(() => void child.kill('SIGKILL'))
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk))
  await until(() => printed.includes('ready in') || child.exitCode !== null, { within: 120_000 })
  expect(printed).toContain('ready in')
  return { child, readOutput: () => printed }
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
