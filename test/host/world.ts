// A host between a simulated network and a stand-in for the edge, each the test's own and all in one process.

import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../../session-host/config.ts'
import { createSilentLog, type Log } from '../../session-host/host-log.ts'
import { type Host, startHost } from '../../session-host/session-host.ts'
import { createToken } from '../../shared/random-tokens.ts'
import type { SessionState } from '../../shared/wire/session-state.ts'
import { type Simulator, startSimulator } from '../../simulator/simulator.ts'
import { createMovableClock, type MovableClock } from '../movable-clock.ts'
import { until } from '../until.ts'
import { type EdgeStandIn, startEdgeStandIn } from './edge-stand-in.ts'

export interface World {
  readonly dataDir: string
  readonly edge: EdgeStandIn
  readonly simulator: Simulator
  readonly config: Config
  /** The host's: it runs as the machine's does until a test holds or moves it. */
  readonly clock: MovableClock
  host: Host
  sim<Answer = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<Answer>
  /** An account with its phone; answers the number. */
  createPhone(number: string, name?: string): Promise<string>
  /** A device of that phone, linked by QR and logged in; answers the instance. */
  linkPhone(number: string, history?: object[]): Promise<string>
  findState(instance: string): SessionState | undefined
  waitUntilLoggedIn(instance: string): Promise<SessionState>
  restartHost(change?: Partial<Config>): Promise<void>
  close(): Promise<void>
}

export const KIND = { kind: 'msgnet', waitMs: 5000, proxy: '' } as const

export async function startWorld(change: Partial<Config> = {}, log: Log = createSilentLog()): Promise<World> {
  const dataDir = mkdtempSync(join(tmpdir(), 'host-'))
  const simulator = await startSimulator({ port: 0, dataDir })
  const edge = await startEdgeStandIn()
  const clock = createMovableClock()
  const config: Config = {
    linkUrl: `${edge.url.replace('http', 'ws')}/hosts/v1/link`,
    hostToken: createToken('host'),
    dataDir,
    network: { url: simulator.networkUrl, rootKey: Buffer.from(simulator.rootKey, 'hex') },
    slots: 50,
    localProxies: true,
    dmAddressing: 'auto',
    sealKeys: `test:${randomBytes(32).toString('base64')}`,
    actionTimeoutMs: 10_000,
    logLevel: 'silent',
    messageRetentionDays: 30,
    metricsPort: 0,
    address: '127.0.0.1',
    ...change,
  }

  const world: World = {
    dataDir,
    edge,
    simulator,
    config,
    clock,
    host: await startHost(config, log, clock),
    async sim(method, path, body) {
      const response = await fetch(`${simulator.url}/sim${path}`, {
        method,
        ...(body !== undefined && {
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json' },
        }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} /sim${path} answered ${response.status}: ${text}`)
      return text ? JSON.parse(text) : {}
    },
    async createPhone(number, name) {
      await world.sim('POST', '/phones', { number, ...(name && { name }) })
      return number
    },
    async linkPhone(number, history) {
      await world.sim('POST', '/phones', { number, ...(history && { history }) })
      const instance = crypto.randomUUID()
      const outcome = await edge.performAction(instance, 'session.connect', KIND)
      const pairing = outcome.kind === 'done' ? outcome.result.pairing : undefined
      if (pairing?.method !== 'qr') throw new Error(`no QR but ${JSON.stringify(outcome)}`)
      await world.sim('POST', `/phones/${number}/scan`, { qr: pairing.qr })
      await world.waitUntilLoggedIn(instance)
      return instance
    },
    findState: (instance) => edge.listStates(instance).at(-1),
    waitUntilLoggedIn: (instance) =>
      until(() => {
        const state = world.findState(instance)
        return state?.loggedIn ? state : undefined
      }),
    async restartHost(changed = {}) {
      await world.host.stop()
      world.host = await startHost({ ...config, ...changed }, log, clock)
      await edge.waitUntilLinked()
    },
    async close() {
      await world.host.stop()
      await edge.close()
      await simulator.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
  await edge.waitUntilLinked()
  return world
}

export const createTextInput = (number: string, text: string) => ({
  number,
  text,
  messageid: `3EB0${randomBytes(9).toString('hex').toUpperCase()}`,
})
