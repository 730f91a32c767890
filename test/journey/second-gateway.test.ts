// A second gateway on one machine, in one checkout: it needs a PORT of its own and nothing else, and nothing of the first one is in its way.
// @module-tag slow

import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { readRun } from '@msgnet/cli/data-folder/run-record.ts'
import { quickArgs, quickEnv } from '@msgnet/cli/processes/quick-node.ts'
import { readSettings } from '@msgnet/cli/settings/gateway-settings.ts'
import { claimPorts, freePort } from '@msgnet/cli/settings/ports.ts'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../until.ts'

const buildCommand = (name: string) => [...quickArgs, join(projectRoot, 'cli', name)]
const buildEnvironment = (port: number) => ({ PATH: process.env.PATH ?? '', ...quickEnv, PORT: String(port) })

/** In `cwd`, whose `.data` is the default data folder. */
async function startGatewayAt(cwd: string, port: number): Promise<string> {
  const child = spawn(process.execPath, buildCommand('start.ts'), {
    cwd,
    env: buildEnvironment(port),
    // The last of these closes when the tests are killed.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (printed += chunk))
  await until(() => printed.includes('ready in') || child.exitCode !== null, { within: 60_000 })
  expect(printed).toContain('ready in')
  return printed
}

const runScript = (cwd: string, name: string, port: number) =>
  promisify(execFile)(process.execPath, buildCommand(name), { cwd, env: buildEnvironment(port) })

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'second-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('two gateways run in one checkout with a PORT each, and each has its own demo', async () => {
  const cwd = createFolder()
  const [first, second] = [await freePort(), await freePort()]
  await startGatewayAt(cwd, first)
  const printed = await startGatewayAt(cwd, second)

  const runs = [readRun(join(cwd, '.data')), readRun(join(cwd, `.data-${second}`))]
  expect(runs.map((each) => each?.baseUrl)).toEqual([first, second].map((port) => `http://127.0.0.1:${port}`))
  const addresses = runs.flatMap((each) => [
    each?.baseUrl,
    each?.simulatorUrl,
    each?.metricsUrl,
    each?.edgeMetricsUrl,
    each?.databaseUrl,
  ])
  expect(new Set(addresses).size).toBe(10)
  expect(printed).toContain(`now try: PORT=${second} npm run demo`)
  for (const address of [runs[1]?.simulatorUrl, runs[1]?.metricsUrl, runs[1]?.edgeMetricsUrl])
    expect(printed).toContain(address)

  const stories = await Promise.all([runScript(cwd, 'demo.ts', first), runScript(cwd, 'demo.ts', second)])
  expect(stories.map(({ stdout }) => /Using (\S+)/.exec(stdout)?.[1])).toEqual(
    runs.map((each) => each?.baseUrl),
  )
  for (const { stdout } of stories) expect(stdout).toContain('signature verified')

  await expect(runScript(cwd, 'start.ts', second)).rejects.toThrow(
    `Another gateway is running on ${join(cwd, `.data-${second}`)}`,
  )
  // A folder for it would hide its data from its next start.
  await expect(runScript(cwd, 'start.ts', first)).rejects.toThrow(`Port ${first} on 127.0.0.1 is taken`)
  expect(existsSync(join(cwd, `.data-${first}`))).toBe(false)
}, 180_000)

test('the data folder is .data until the port has a folder of its own', () => {
  const before = process.cwd()
  const folder = createFolder()
  process.chdir(folder)
  onTestFinished(() => process.chdir(before))
  const findDataDir = (env: NodeJS.ProcessEnv) => readSettings(env).DATA_DIR
  expect(findDataDir({ PORT: '8887' })).toBe(join(folder, '.data'))
  for (const name of ['.data-8887', '.data-8787', '.data-0']) mkdirSync(join(folder, name))
  expect(findDataDir({ PORT: '8887' })).toBe(join(folder, '.data-8887'))
  expect(findDataDir({ PORT: '8887', DATA_DIR: '.data' })).toBe(join(folder, '.data'))
  for (const PORT of ['', '8787', '0']) expect(findDataDir({ PORT })).toBe(join(folder, '.data'))
})

/** A server that listens until the test ends. */
async function occupyPort(): Promise<{ port: number; server: Server }> {
  const server = createServer()
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, server }
}

/** No other program of this machine listens on it, so that even the default port is free there. */
const HOST = '127.0.0.77'
const claimFrom = (ports: Record<string, number>, explicit: string[], previous: number[] = []) =>
  claimPorts(
    {
      PORT: 8787,
      SIMULATOR_PORT: 0,
      METRICS_PORT: 0,
      EDGE_METRICS_PORT: 0,
      HOST,
      METRICS_HOST: '127.0.0.1',
      EDGE_METRICS_HOST: '127.0.0.1',
      ...ports,
      explicit: new Set(explicit),
    },
    { simulated: true, previousPorts: new Set(previous) },
  )

test('with another PORT a free default port is used, and a taken one is replaced', async () => {
  const [PORT, free, { port: taken }] = [await freePort(), await freePort(), await occupyPort()]
  const ports = { PORT, SIMULATOR_PORT: free, METRICS_PORT: taken, EDGE_METRICS_PORT: PORT }
  const claimed = await claimFrom(ports, ['PORT'])
  expect(claimed).toMatchObject({ edge: PORT, simulator: free })
  expect([0, taken, PORT, free]).not.toContain(claimed.metrics)
  expect([0, taken, PORT, free, claimed.metrics]).not.toContain(claimed.edgeMetrics)
})

test('after a kill a gateway waits for the port of its own part', async () => {
  const { port: METRICS_PORT, server } = await occupyPort()
  const own = claimFrom({ PORT: 0, METRICS_PORT }, [], [METRICS_PORT])
  const another = await claimFrom({ PORT: 0, METRICS_PORT }, [])
  server.close()
  expect(another.metrics).not.toBe(METRICS_PORT)
  expect((await own).metrics).toBe(METRICS_PORT)
})

test.each([
  ['a default port', 'the default PORT', 8787, []],
  ['a port that is set', 'another PORT', 0, ['PORT', 'METRICS_PORT']],
])('%s is not replaced with %s', async (_, __, PORT, explicit) => {
  const { port: METRICS_PORT } = await occupyPort()
  await expect(claimFrom({ PORT, METRICS_PORT }, explicit)).rejects.toThrow(
    `Port ${METRICS_PORT} on 127.0.0.1 is taken: stop what listens there, or set METRICS_PORT to another.`,
  )
})
