// Hosts as processes of their own, one after another on the same data, between a simulated network and a stand-in edge.

import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createToken } from '@msgnet/shared/random-tokens.ts'
import { startSimulator } from '@msgnet/simulator/simulator.ts'
import { until } from '../until.ts'
import { type EdgeStandIn, startEdgeStandIn } from './edge-stand-in.ts'
import { KIND } from './world.ts'

const HOST = join(import.meta.dirname, '../../session-host')

export interface HostProcess {
  child: ChildProcess
  readOutput(): string
  readErrorOutput(): string
  readLines(): Record<string, unknown>[]
  /** Resolves with its exit code, or null when a signal ended it. */
  ended: Promise<number | null>
  /** The body of its health route, with the status of the response. */
  readHealth(): Promise<{ status: number; body: Record<string, unknown> }>
}

export interface ProcessWorld {
  /** The folder of the host's store. */
  readonly folder: string
  readonly edge: EdgeStandIn
  readonly env: Record<string, string>
  /** `stdout`: where its lines go, if not to `output`. */
  runHost(change?: Record<string, string>, stdout?: number): HostProcess
  sim<Answer = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<Answer>
  /** A new account with its phone, and a device linked to it; answers the instance. */
  linkPhone(number: string): Promise<string>
  /** Texts of the messages that were reported, with those that came again. */
  listTexts(instance: string): string[]
  /** Those that still run. */
  killHosts(): Promise<void>
  close(): Promise<void>
}

export async function startProcessWorld(): Promise<ProcessWorld> {
  const dataDir = mkdtempSync(join(tmpdir(), 'host-process-'))
  const folder = join(dataDir, 'host')
  mkdirSync(folder)
  const simulator = await startSimulator({ port: 0, dataDir })
  const edge = await startEdgeStandIn()
  const running: HostProcess[] = []
  const env = {
    EDGE_URL: edge.url,
    HOST_TOKEN: createToken('host'),
    DATA_DIR: dataDir,
    NETWORK: 'simulator',
    NETWORK_URL: simulator.networkUrl,
    NETWORK_ROOT_KEY: simulator.rootKey,
    NETWORK_MEDIA_CA: simulator.mediaCa,
    HOST_SEAL_KEYS: `test:${randomBytes(32).toString('base64')}`,
    METRICS_PORT: '0',
  }

  const world: ProcessWorld = {
    folder,
    edge,
    env,
    runHost(change = {}, stdout) {
      const started = launchHost({ PATH: process.env.PATH ?? '', ...env, ...change }, stdout)
      running.push(started)
      return started
    },
    async sim(method, path, body) {
      const headers = { 'content-type': 'application/json' }
      const request = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) }
      const response = await fetch(`${simulator.url}/sim${path}`, request)
      const text = await response.text()
      if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`)
      return (text ? JSON.parse(text) : {}) as never
    },
    linkPhone: (number) => linkPhone(world, number),
    listTexts: (instance) =>
      edge.listEvents(instance, 'messages').map(({ payload }) => (payload.message as { text: string }).text),
    async killHosts() {
      for (const { child, ended } of running) {
        child.kill('SIGKILL')
        await ended
      }
    },
    async close() {
      await world.killHosts()
      await edge.close()
      await simulator.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
  return world
}

async function linkPhone({ sim, edge }: ProcessWorld, number: string): Promise<string> {
  await sim('POST', '/phones', { number })
  const instance = crypto.randomUUID()
  const outcome = await edge.performAction(instance, 'session.connect', KIND)
  const pairing = outcome.kind === 'done' ? outcome.result.pairing : undefined
  if (pairing?.method !== 'qr') throw new Error(`no QR but ${JSON.stringify(outcome)}`)
  await sim('POST', `/phones/${number}/scan`, { qr: pairing.qr })
  await until(() => edge.listStates(instance).at(-1)?.loggedIn)
  return instance
}

function launchHost(env: Record<string, string>, stdout: 'pipe' | number = 'pipe'): HostProcess {
  const args = ['--import', join(HOST, '..', 'shared', 'node', 'quick-imports.ts'), join(HOST, 'run-host.ts')]
  // The last of these closes when the tests are killed.
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', stdout, 'pipe', 'ipc'] })
  let output = ''
  let complaint = ''
  child.stdout?.on('data', (data) => (output += data))
  child.stderr?.on('data', (data) => (complaint += data))
  const started: HostProcess = {
    child,
    readOutput: () => output,
    readErrorOutput: () => complaint,
    readLines: () =>
      output
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    ended: new Promise((resolve) => child.on('exit', resolve)),
    async readHealth() {
      const port = await until(() => started.readLines().find(({ metricsPort }) => metricsPort)?.metricsPort)
      const response = await fetch(`http://127.0.0.1:${port}/health`)
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    },
  }
  return started
}
