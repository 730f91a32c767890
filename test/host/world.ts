// A host between a simulated network and a stand-in for the edge, each the test's own and all in one process.

import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '@msgnet/session-host/config.ts'
import { createSilentLog, type Log } from '@msgnet/session-host/process/host-log.ts'
import { type Host, startHost } from '@msgnet/session-host/session-host.ts'
import { createToken } from '@msgnet/shared/random-tokens.ts'
import type { SessionState } from '@msgnet/shared/wire/session-state.ts'
import { type Simulator, startSimulator } from '@msgnet/simulator/simulator.ts'
import { MovableClock } from '../movable-clock.ts'
import { until } from '../until.ts'
import { type EdgeStandIn, startEdgeStandIn } from './edge-stand-in.ts'

export const KIND = { kind: 'msgnet', waitMs: 5000, proxy: '' } as const

export async function startWorld(change: Partial<Config> = {}, log: Log = createSilentLog()): Promise<World> {
  const dataDir = mkdtempSync(join(tmpdir(), 'host-'))
  const simulator = await startSimulator({ port: 0, dataDir })
  const edge = await startEdgeStandIn()
  const clock = new MovableClock()
  const config: Config = {
    linkUrl: `${edge.url.replace('http', 'ws')}/hosts/v1/link`,
    hostToken: createToken('host'),
    dataDir,
    network: {
      url: simulator.networkUrl,
      rootKey: Buffer.from(simulator.rootKey, 'hex'),
      mediaCa: simulator.mediaCa,
    },
    slots: 50,
    localProxies: true,
    dmAddressing: 'auto',
    sealKeys: `test:${randomBytes(32).toString('base64')}`,
    actionTimeoutMs: 10_000,
    logLevel: 'silent',
    messageRetentionDays: 30,
    media: {
      isOn: false,
      retentionDays: 7,
      maxFileBytes: 1024 ** 2,
      totalBytes: 1024 ** 3,
      strangersBytesPerHour: 0,
      minFreeBytes: 0,
    },
    downloadBytesPerMinute: 0,
    metricsPort: 0,
    address: '127.0.0.1',
    ...change,
  }

  const host = await startHost(config, log, clock)
  await edge.waitUntilLinked()
  return new World({ edge, simulator, config, clock, host, log })
}

interface Parts {
  edge: EdgeStandIn
  simulator: Simulator
  config: Config
  clock: MovableClock
  host: Host
  log: Log
}

export class World {
  readonly dataDir: string
  readonly edge: EdgeStandIn
  readonly simulator: Simulator
  readonly config: Config
  /** The host's: it runs as the machine's does until a test holds or moves it. */
  readonly clock: MovableClock
  host: Host
  readonly #log: Log

  constructor({ edge, simulator, config, clock, host, log }: Parts) {
    this.dataDir = config.dataDir
    this.edge = edge
    this.simulator = simulator
    this.config = config
    this.clock = clock
    this.host = host
    this.#log = log
  }

  async sim<Answer = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(`${this.simulator.url}/sim${path}`, {
      method,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} /sim${path} answered ${response.status}: ${text}`)
    return (text ? JSON.parse(text) : {}) as Answer
  }

  /** Creates an account with its phone, and returns the number. */
  async createPhone(number: string, name?: string): Promise<string> {
    await this.sim('POST', '/phones', { number, ...(name && { name }) })
    return number
  }

  /** Links a device of a new phone by QR code, waits until it is logged in, and returns the instance. */
  async linkPhone(number: string, history?: object[]): Promise<string> {
    await this.sim('POST', '/phones', { number, ...(history && { history }) })
    const instance = crypto.randomUUID()
    const outcome = await this.edge.performAction(instance, 'session.connect', KIND)
    const pairing = outcome.kind === 'done' ? outcome.result.pairing : undefined
    if (pairing?.method !== 'qr') throw new Error(`no QR but ${JSON.stringify(outcome)}`)
    await this.sim('POST', `/phones/${number}/scan`, { qr: pairing.qr })
    await this.waitUntilLoggedIn(instance)
    return instance
  }

  findState(instance: string): SessionState | undefined {
    return this.edge.listStates(instance).at(-1)
  }

  waitUntilLoggedIn(instance: string): Promise<SessionState> {
    return until(() => {
      const state = this.findState(instance)
      return state?.loggedIn ? state : undefined
    })
  }

  async restartHost(change: Partial<Config> = {}): Promise<void> {
    await this.host.stop()
    this.host = await startHost({ ...this.config, ...change }, this.#log, this.clock)
    await this.edge.waitUntilLinked()
  }

  async close(): Promise<void> {
    await this.host.stop()
    await this.edge.close()
    await this.simulator.close()
    rmSync(this.dataDir, { recursive: true, force: true })
  }
}

export const createTextInput = (number: string, text: string) => ({
  number,
  text,
  messageid: `3EB0${randomBytes(9).toString('hex').toUpperCase()}`,
})
