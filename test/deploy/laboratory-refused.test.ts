// What a laboratory refuses at its start. LABORATORY moves the clock of a gateway: one whose devices are people's refuses it, in each of its processes.
// @module-tag slow

import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { quickArgs, quickEnv } from '@msgnet/cli/processes/quick-node.ts'
import { expect, onTestFinished, test } from 'vitest'

const live = { NETWORK: 'live', LABORATORY: 'on' }
const host = {
  EDGE_URL: 'http://127.0.0.1:1',
  HOST_TOKEN: `mgh_${'a'.repeat(43)}`,
  HOST_SEAL_KEYS: `a:${'A'.repeat(43)}=`,
}

test.each([
  ['the whole gateway', 'cli/start.ts', {}],
  ['a host that runs alone', 'session-host/run-host.ts', host],
])(
  '%s with the live network refuses LABORATORY by name',
  (_, program, env) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'laboratory-refused-'))
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
    const { status, stderr } = spawnSync(process.execPath, [...quickArgs, join(projectRoot, program)], {
      env: { PATH: process.env.PATH, ...quickEnv, DATA_DIR: dataDir, ...live, ...env },
      encoding: 'utf8',
    })
    expect([status, stderr.trim()]).toEqual([
      1,
      'LABORATORY moves the clock, so it is for the simulated network only: leave it out.',
    ])
  },
  180_000,
)

/** What it prints. The gateway would say that it starts. */
const runLab = (port: string) =>
  new Promise<string>((resolve) => {
    const command = [...quickArgs, join(projectRoot, 'cli', 'lab.ts'), '--port', port]
    const env = { PATH: process.env.PATH, ...quickEnv }
    execFile(process.execPath, command, { env }, (_error, stdout, stderr) => resolve(stdout + stderr))
  })

test('a laboratory whose port is taken says so in one sentence, and starts no gateway', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    await new Promise((resolve) => taken.close(resolve))
  })
  const { port } = taken.address() as AddressInfo
  expect(await runLab(String(port))).toBe(
    `Port ${port} on 127.0.0.1 is taken: stop what listens there, or set --port to another.\n`,
  )
}, 180_000)

test.each(['1e3', '0x50', ' 80', '65536'])(
  '--port %j is no port',
  async (port) => {
    expect(await runLab(port)).toBe(`--port is no port: ${port}\n`)
  },
  180_000,
)
