// The lines of a gateway's processes: where they go, and that neither a full disk nor a closed pipe ends a process.
// @module-tag slow

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readRun } from '@msgnet/cli/data-folder/run-record.ts'
import { freePort } from '@msgnet/cli/settings/ports.ts'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createPlainCaller } from '../caller.ts'
import { until } from '../until.ts'
import { everyLine, openWorld, startWorld, type World } from '../world.ts'

const local = join(import.meta.dirname, '..', '..', 'cli')
const SERVE_EDGE = join(local, 'serve-edge.ts')
const START = join(local, 'start.ts')
/** Each write to it fails as on a full disk. */
const FULL = '/dev/full'

let world: World
beforeAll(async () => {
  world = await startWorld(everyLine)
})
afterAll(() => world.close())

interface LoneEdge {
  child: ChildProcess
  requestPath(path: string): Promise<number>
  readOutput(): string
  ended: Promise<number | null>
}

/** With the keys of the world, and a database of its own. */
async function serveEdge(stdout: 'pipe' | number): Promise<LoneEdge> {
  const dataDir = mkdtempSync(join(tmpdir(), 'lone-edge-'))
  const readDataFile = (name: string) => readFileSync(join(world.dataDir, name), 'utf8').trim()
  const [port, metricsPort] = [await freePort(), await freePort()]
  const env = {
    PATH: process.env.PATH ?? '',
    DATA_DIR: dataDir,
    ...everyLine,
    PORT: String(port),
    EDGE_METRICS_PORT: String(metricsPort),
    ADMIN_TOKEN: readDataFile('admin-token'),
    SEAL_KEYS: readDataFile('seal-keys'),
  }
  const child = spawn(process.execPath, [SERVE_EDGE], { env, stdio: ['ignore', stdout, 'inherit', 'ipc'] })
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  let output = ''
  child.stdout?.on('data', (chunk) => (output += chunk))
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
    rmSync(dataDir, { recursive: true })
  })
  const caller = createPlainCaller(`http://127.0.0.1:${port}`, { admintoken: env.ADMIN_TOKEN })
  const requestPath = async (path: string) => (await caller.get(path)).status
  await until(async () => (await requestPath('/health/ready').catch(() => 0)) === 200)
  return { child, requestPath, readOutput: () => output, ended }
}

const readLines = (output: string): Record<string, unknown>[] =>
  output
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

test('every line on stdout is JSON when stdout is no terminal, those of requests and of the command', async () => {
  const edge = await serveEdge('pipe')
  expect(await edge.requestPath('/instance/all')).toBe(200)
  await until(() => edge.readOutput().includes('/instance/all'))
  const lines = readLines(edge.readOutput())
  expect(lines.map(({ msg }) => msg)).toContainEqual(expect.stringMatching(/^The edge answers on http:/))
  expect(lines.find(({ path }) => path === '/instance/all')).toMatchObject({ level: 'info', status: 200 })
  edge.child.kill('SIGTERM')
  expect(await edge.ended).toBe(0)
  expect(readLines(edge.readOutput()).at(-1)).toMatchObject({ msg: 'edge stopping', reason: 'SIGTERM' })
})

test('an edge keeps running when its stdout is no longer read', async () => {
  const edge = await serveEdge('pipe')
  edge.child.stdout?.destroy()
  for (let n = 0; n < 20; n++) expect(await edge.requestPath('/instance/all')).toBe(200)
  expect(edge.child.exitCode).toBe(null)
})

test('an edge with its stdout on a full disk keeps running, and stops in order', async () => {
  const edge = await serveEdge(openSync(FULL, 'w'))
  for (let n = 0; n < 20; n++) expect(await edge.requestPath('/instance/all')).toBe(200)
  edge.child.kill('SIGTERM')
  expect(await edge.ended).toBe(0)
})

test('npm start with every log and its stdout on a full disk keeps running, and restarts a part that died', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'full-disk-'))
  mkdirSync(join(dataDir, 'logs'))
  for (const part of ['edge', 'host', 'simulator']) symlinkSync(FULL, join(dataDir, 'logs', `${part}.log`))
  const ports = { PORT: '0', SIMULATOR_PORT: '0', METRICS_PORT: '0', EDGE_METRICS_PORT: '0' }
  const env = { PATH: process.env.PATH ?? '', DATA_DIR: dataDir, ...ports, ...everyLine }
  const child = spawn(process.execPath, [START], {
    env,
    stdio: ['ignore', openSync(FULL, 'w'), 'inherit', 'ipc'],
  })
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  try {
    await until(() => readRun(dataDir)?.parts['session host'], { within: 40_000 })
    const gateway = openWorld(dataDir)
    const { simulator = 0 } = gateway.run.parts
    process.kill(simulator, 'SIGKILL')
    await until(() => gateway.run.parts.simulator !== simulator)
    expect((await gateway.admin.get('/instance/all')).status).toBe(200)
  } finally {
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    rmSync(dataDir, { recursive: true })
  }
})
