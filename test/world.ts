// A gateway of a test's own: the very `npm start`, on free ports and a fresh data folder, with its simulated network.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import { type RunRecord, readRun } from '@msgnet/cli/data-folder/run-record.ts'
import { createDatabaseToken, loadDatabaseKey } from '@msgnet/cli/parts/database-part.ts'
import { quickEnv } from '@msgnet/cli/processes/quick-node.ts'
import { type Caller, createCaller, createPlainCaller } from './caller.ts'
import { writeHostsFile } from './fake-names.ts'
import { findTestFile, recordStart } from './started-gateways.ts'
import { until } from './until.ts'

/** A running gateway, for tests that do not end it. */
export interface SharedWorld {
  readonly dataDir: string
  readonly run: RunRecord
  readonly admin: Caller
  /** A caller with an instance's token. */
  callAs(token: string): Caller
  /** The simulated network's control routes. */
  sim(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>
  /** One statement to the edge's database, past the gateway: to age a row, or to look for what must not be there. */
  queryDatabase(sql: string): Promise<Record<string, unknown>[]>
}

export interface World extends SharedWorld {
  /** The process id of a part that runs. */
  findPid(part: string): number
  /** Ends every process of the gateway at once, as a power cut would, and starts it again on the same data. */
  killAndRestart(meanwhile?: () => void | Promise<void>): Promise<void>
  /** What the start printed so far. */
  readOutput(): string
  close(): Promise<void>
}

/**
 * Miniflare evicts an object with its whole process waiting for the runtime, and it is that process which reads what the runtime
 * prints: 200 KB of lines in such a moment, and both wait for ever. A test that reads the log requests its lines (`everyLine`).
 */
export const fewLines = { LOG_LEVEL: 'warn' }
export const everyLine = { LOG_LEVEL: 'info' }

/** For benchmarks, which send requests as fast as they can with one token. */
export const unlimited = {
  SEND_RATE: '0',
  REQUEST_RATE: '0',
  STREAM_RATE: '0',
  WEBHOOK_CHANGE_RATE: '0',
  PAGE_MB: '0',
  OPEN_PAGE_MB: '0',
  INSTANCE_BODY_MB: '0',
  BODY_MB: '0',
}

/** For what is off by preset. */
export const everyAction = { CALLS: 'on', INTERACTIVE: 'on' }

/** For acts that the network does not answer, which a test waits out. */
export const impatient = { CALLS: 'on', ACTION_TIMEOUT_MS: '8000' }

/** All worlds of one run are on one engine: `npm run test:cloudflare` names another than the preset. */
const engine = {
  EDGE_ENGINE: process.env.EDGE_ENGINE ?? '',
  ...(process.env.EDGE_ENGINE === 'miniflare-evicting' && fewLines),
}

/** The edge is as it would be deployed: without the simulation. */
export const asDeployed = engine.EDGE_ENGINE.startsWith('miniflare')

/** For a world that counts in the memory of an object: one that is evicted has been idle on Cloudflare for ten seconds. */
export const withoutEviction: Record<string, string> =
  engine.EDGE_ENGINE === 'miniflare-evicting' ? { EDGE_ENGINE: 'miniflare' } : {}

const READY_WITHIN_MS = 40_000
const root = join(import.meta.dirname, '..')

/** Whose sources run, and what `npm start` is given beside. */
export interface Program {
  root: string
  args: string[]
}

/**
 * `names`: what the gateway's processes resolve them to, beside what the machine knows; see `canFakeNames`. `file`: the test file
 * that it is for.
 */
export async function startWorld(
  env: Record<string, string> = {},
  names?: Record<string, string>,
  program: Program = { root, args: [] },
  dataDir = mkdtempSync(join(tmpdir(), 'gateway-')),
  file = findTestFile(),
): Promise<World> {
  const prefix = names ? writeHostsFile(names, join(dataDir, 'hosts')) : []
  recordStart(file)
  let gateway = await startGateway(program, dataDir, env, prefix)
  // Another checkout answers by a document of its own.
  const world = openWorld(dataDir, env.ADMIN_TOKEN, program.root === root ? createCaller : createPlainCaller)
  return Object.assign(world, {
    findPid(part: string) {
      const pid = world.run.parts[part]
      // 0 would be the tests themselves.
      if (!pid) throw new Error(`there is no part ${part}`)
      return pid
    },
    async killAndRestart(meanwhile?: () => void | Promise<void>) {
      const { parts, pid } = world.run
      for (const victim of [pid, ...Object.values(parts)]) process.kill(victim, 'SIGKILL')
      await gateway.ended
      await meanwhile?.()
      recordStart(file)
      gateway = await startGateway(
        program,
        dataDir,
        { ...env, PORT: String(new URL(world.run.baseUrl).port) },
        prefix,
      )
    },
    readOutput: () => gateway.readOutput(),
    async close() {
      gateway.child.kill('SIGTERM')
      await gateway.ended
      rmSync(dataDir, { recursive: true, force: true })
    },
  })
}

/** What runs on this data folder. */
export function openWorld(
  dataDir: string,
  adminToken = readFileSync(join(dataDir, 'admin-token'), 'utf8').trim(),
  createOwnCaller: (baseUrl: string, credential: Record<string, string>) => Caller = createCaller,
): SharedWorld {
  const world: SharedWorld = {
    dataDir,
    get run() {
      const run = readRun(dataDir)
      if (!run) throw new Error('the gateway is not running')
      return run
    },
    get admin() {
      return createOwnCaller(world.run.baseUrl, { admintoken: adminToken })
    },
    callAs: (token) => createOwnCaller(world.run.baseUrl, { token }),
    async sim(method, path, body) {
      const response = await createPlainCaller(world.run.simulatorUrl, {}).request(
        method,
        `/sim${path}`,
        body,
      )
      if (response.status >= 300)
        throw new Error(`${method} /sim${path} answered ${response.status}: ${response.text}`)
      return response.body
    },
    async queryDatabase(sql) {
      const { databaseUrl: url } = world.run
      const client = createClient({
        url,
        timeout: 5000,
        ...(!url.startsWith('file:') && { authToken: readDatabaseToken(dataDir) }),
      })
      const { rows } = await client.execute(sql)
      client.close()
      return rows.map((row) => ({ ...row }))
    },
  }
  return world
}

/** Of the server that Miniflare's edge has in the data folder. */
const readDatabaseToken = (dataDir: string): string => createDatabaseToken(loadDatabaseKey(dataDir))

interface Gateway {
  child: ChildProcess
  ended: Promise<void>
  readOutput(): string
}

async function startGateway(
  from: Program,
  dataDir: string,
  env: Record<string, string>,
  prefix: string[],
  tries = 2,
): Promise<Gateway> {
  const free = { PORT: '0', SIMULATOR_PORT: '0', METRICS_PORT: '0', EDGE_METRICS_PORT: '0' }
  const [program = '', ...args] = [
    ...prefix,
    process.execPath,
    '--import',
    join(from.root, 'shared', 'node', 'quick-imports.ts'),
    join(from.root, 'cli', 'start.ts'),
    ...from.args,
  ]
  const child = spawn(program, args, {
    cwd: from.root,
    env: { PATH: process.env.PATH ?? '', ...quickEnv, ...free, ...engine, ...env, DATA_DIR: dataDir },
    // The last of these closes when the tests are killed.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let output = ''
  child.stdout?.on('data', (chunk) => (output += chunk))
  child.stderr?.on('data', (chunk) => (output += chunk))
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const settled = until(() => output.includes('ready in') || child.exitCode !== null, {
    within: READY_WITHIN_MS,
  })
  await settled.catch(async (late) => {
    // Otherwise it would never end, and every other test of the machine would wait for it.
    child.kill('SIGTERM')
    await ended
    throw late
  })
  if (child.exitCode !== null) {
    // Another process of this busy machine may have taken a port that was free a moment ago.
    if (/EADDRINUSE|Address already in use|Port \d+ is taken/.test(output) && tries > 0)
      return startGateway(from, dataDir, env, prefix, tries - 1)
    throw new Error(`the gateway ended: ${output}`)
  }
  return { child, ended, readOutput: () => output }
}
