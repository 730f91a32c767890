// Machines as people have them, with an old Node and its npm: what is installed and started there finds those, and the programs of the system.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { until } from '../until.ts'
import { installVersions, type NodeVersion, placeMachine } from './installed-nodes.ts'

const run = promisify(execFile)

export const isOnLinux = process.platform === 'linux'
/** Ten thousands of files are written and removed. */
export const patient = 300_000

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
export function prepareMachines(versions: NodeVersion[]) {
  const folder = mkdtempSync(join(tmpdir(), 'npm-machines-'))

  beforeAll(async () => {
    if (isOnLinux) await installVersions(folder, versions)
  }, patient)

  afterAll(() => rm(folder, { recursive: true, force: true }), patient)

  return async function createMachine(node: string, npm: string): Promise<NpmMachine> {
    const { place, cwd, env } = placeMachine(folder, { node, npm })
    onTestFinished(() => rm(place, { recursive: true, force: true }), patient)
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
