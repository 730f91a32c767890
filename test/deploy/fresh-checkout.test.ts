// A fresh checkout on machines as people have them: with an old Node and its npm it is installed, starts, and runs its demo to the end.
// @module-tag slow

import { execFile } from 'node:child_process'
import { cpSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { readRun } from '@msgnet/cli/data-folder/run-record.ts'
import { freePort } from '@msgnet/cli/settings/ports.ts'
import { expect, test } from 'vitest'
import { until } from '../until.ts'
import { quietly } from './installed-nodes.ts'
import { isAlive, isOnLinux, patient, prepareMachines } from './npm-machines.ts'

/** Debian 12 and Ubuntu 24.04 have the first, with all that a contributor needs; then Debian 13; what comes with Node 20 and with Node 22. */
const machines: [node: string, npm: string, install: string[]][] = [
  ['18.19.1', '9.2.0', []],
  ['20.19.2', '9.2.0', ['--omit=dev']],
  ['20.19.2', '10.8.2', ['--omit=dev']],
  ['20.19.2', '10.9.9', ['--omit=dev']],
]
const createMachine = prepareMachines(machines.map(([node, npm]) => ({ node, npm })))

/** The commands of the processes that a process has started. */
const listChildren = (pid: number): string[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .map((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').replaceAll('\0', ' '))

/** The files of a clone, with their present contents. */
async function copySources(to: string): Promise<void> {
  const listing = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const { stdout } = await promisify(execFile)('git', listing, { cwd: projectRoot })
  for (const file of stdout.split('\0').filter((each) => each && existsSync(join(projectRoot, each))))
    cpSync(join(projectRoot, file), join(to, file))
}

test.skipIf(!isOnLinux).each(machines)(
  'under Node %s npm %s installs a checkout that starts and runs its demo',
  async (node, npm, install) => {
    const machine = await createMachine(node, npm)
    const { cwd, env, runProgram, startGateway } = machine
    const ports = { PORT: '0', SIMULATOR_PORT: '0', METRICS_PORT: '0', EDGE_METRICS_PORT: '0' }
    machine.env = { ...env, ...ports, WEBHOOK_ALLOWLIST: `127.0.0.1:${await freePort()}` }
    await copySources(cwd)
    await runProgram('npm', 'ci', ...quietly, ...install)
    // A binary of its own, which npm leaves out where its package asks for a newer Node than the one that installs.
    await runProgram('cli/node', '--eval', "require('sharp')")

    const { child } = await startGateway('npm', 'start')
    const { pid = 0, parts = {} } = readRun(join(cwd, '.data')) ?? {}
    expect(Object.keys(parts)).toHaveLength(3)
    // The parts, and a shell that ends them if the start is killed: nothing is left of what has built the pages.
    const children = listChildren(pid)
    expect(children.filter((command) => /esbuild|build-pages/.test(command))).toEqual([])
    expect(children.length).toBeGreaterThanOrEqual(3)
    expect(await runProgram('npm', 'run', 'demo')).toContain('signature verified')
    // It notices that its npm was killed, and ends in order as well.
    child.kill(install.length === 0 ? 'SIGKILL' : 'SIGTERM')
    await until(() => ![pid, ...Object.values(parts)].some(isAlive), { within: 60_000 })

    // Its tests run too: their tools need a newer Node than this machine's.
    if (install.length === 0) await runProgram('npm', 'run', 'test:files', '--', 'test/bench/scaling.test.ts')
  },
  patient,
)
