// A host between a simulated network and a stand-in for the edge, each the test's own and all in one process.

import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../../session-host/config.ts'
import { type Host, startHost } from '../../session-host/host.ts'
import { type Log, silentLog } from '../../session-host/log.ts'
import { makeToken } from '../../shared/tokens.ts'
import type { SessionState } from '../../shared/wire/session-state.ts'
import { type Simulator, startSimulator } from '../../simulator/simulator.ts'
import { type MovableClock, movableClock } from '../movable-clock.ts'
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
  phone(number: string, name?: string): Promise<string>
  /** A device of that phone, linked by QR and logged in; answers the instance. */
  linked(number: string, history?: object[]): Promise<string>
  state(instance: string): SessionState | undefined
  loggedIn(instance: string): Promise<SessionState>
  restartHost(change?: Partial<Config>): Promise<void>
  close(): Promise<void>
}

export const KIND = { kind: 'msgnet', waitMs: 5000, proxy: '' } as const

export async function startWorld(change: Partial<Config> = {}, log: Log = silentLog()): Promise<World> {
  const dataDir = mkdtempSync(join(tmpdir(), 'host-'))
  const simulator = await startSimulator({ port: 0, dataDir })
  const edge = await startEdgeStandIn()
  const clock = movableClock()
  const config: Config = {
    linkUrl: `${edge.url.replace('http', 'ws')}/hosts/v1/link`,
    hostToken: makeToken('host'),
    dataDir,
    network: { url: simulator.networkUrl, rootKey: Buffer.from(simulator.rootKey, 'hex') },
    slots: 50,
    localProxies: true,
    dmAddressing: 'auto',
    sealKeys: `test:${randomBytes(32).toString('base64')}`,
    actionTimeoutMs: 10_000,
    logLevel: 'silent',
    messagesDays: 30,
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
    async phone(number, name) {
      await world.sim('POST', '/phones', { number, ...(name && { name }) })
      return number
    },
    async linked(number, history) {
      await world.sim('POST', '/phones', { number, ...(history && { history }) })
      const instance = crypto.randomUUID()
      const outcome = await edge.act(instance, 'session.connect', KIND)
      const pairing = outcome.kind === 'done' ? outcome.result.pairing : undefined
      if (pairing?.method !== 'qr') throw new Error(`no QR but ${JSON.stringify(outcome)}`)
      await world.sim('POST', `/phones/${number}/scan`, { qr: pairing.qr })
      await world.loggedIn(instance)
      return instance
    },
    state: (instance) => edge.states(instance).at(-1),
    loggedIn: (instance) =>
      until(() => {
        const state = world.state(instance)
        return state?.loggedIn ? state : undefined
      }),
    async restartHost(changed = {}) {
      await world.host.stop()
      world.host = await startHost({ ...config, ...changed }, log, clock)
      await edge.linked()
    },
    async close() {
      await world.host.stop()
      await edge.close()
      await simulator.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
  await edge.linked()
  return world
}

export const sentText = (number: string, text: string) => ({
  number,
  text,
  messageid: `3EB0${randomBytes(9).toString('hex').toUpperCase()}`,
})
