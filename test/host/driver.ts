// The driver alone on a simulated network, over a credential store that a test may make fail.

import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { machineClock } from '../../session-host/clock.ts'
import { type BaileysSettings, makeBaileysDriver } from '../../session-host/driver/baileys/driver.ts'
import type { Account, Connection, ConnectionEvents, Driver } from '../../session-host/driver/driver.ts'
import { silentLog } from '../../session-host/log.ts'
import { type CredentialStore, makeCredentialStore } from '../../session-host/store/credentials.ts'
import { openStore } from '../../session-host/store/store.ts'
import { makeSealer } from '../../shared/seal.ts'
import { startSimulator } from '../../simulator/simulator.ts'
import { until } from '../until.ts'

export interface Line {
  connection: Connection
  account: Account | undefined
  closed: boolean
  qr: string
}

export interface DriverWorld {
  driver: Driver
  credentials: CredentialStore
  networkUrl: string
  /** The base of the simulated network's own routes. */
  controlUrl: string
  /** `host:port` of each media host. */
  mediaHosts: string[]
  sim<Answer = Record<string, unknown>>(method: string, path: string, body?: object): Promise<Answer>
  /** `phone`: its digits, for a pairing by code. */
  connect(instance: string, events?: Partial<ConnectionEvents>, phone?: string, proxy?: string): Promise<Line>
  /** A new account with its phone, and a device linked to it; answers its instance. */
  linked(number: string): Promise<string>
  close(): Promise<void>
}

const unheard = () => undefined
const deaf: ConnectionEvents = {
  ...{ qr: unheard, code: unheard, passkey: unheard, open: unheard, named: unheard, closed: unheard },
  ...{ messages: async () => undefined, receipts: unheard, ack: unheard, restricted: unheard },
  ...{ groupRenewed: async () => undefined, groupAddressed: unheard, peopleNamed: unheard },
  ...{ groupJoined: unheard, groupChanged: unheard, groupsListed: unheard, call: unheard, settings: unheard },
  unknownWord: unheard,
}

/** `between` stands between the driver and the store; `settings` in place of what the driver is given otherwise. */
export async function startDriver(
  between: (store: CredentialStore) => CredentialStore = (store) => store,
  settings: Partial<BaileysSettings> = {},
): Promise<DriverWorld> {
  const dataDir = mkdtempSync(join(tmpdir(), 'driver-'))
  const simulator = await startSimulator({ port: 0, dataDir })
  const store = await openStore(join(dataDir, 'host.db'), () => undefined)
  const sealer = await makeSealer(`test:${randomBytes(32).toString('base64')}`, 'host/credential')
  const credentials = between(makeCredentialStore(store, sealer, silentLog()))
  const driver = makeBaileysDriver({
    url: simulator.networkUrl,
    rootKey: Buffer.from(simulator.rootKey, 'hex'),
    mediaCa: simulator.mediaCa,
    actionTimeoutMs: 5000,
    clock: machineClock,
    lease: { runs: true },
    writeFirst: () => undefined,
    log: silentLog(),
    findStored: async () => undefined,
    findGroup: async () => undefined,
    credentials,
    ...settings,
  })
  const open: Connection[] = []

  const world: DriverWorld = {
    driver,
    credentials,
    networkUrl: simulator.networkUrl,
    controlUrl: simulator.url,
    mediaHosts: simulator.mediaUrls.map((url) => new URL(url).host),
    async sim(method, path, body) {
      const headers = { 'content-type': 'application/json' }
      const request = body ? { method, headers, body: JSON.stringify(body) } : { method }
      const response = await fetch(`${simulator.url}/sim${path}`, request)
      if (!response.ok) throw new Error(`${path} answered ${response.status}`)
      return (await response.json()) as never
    },
    async connect(instance, events = {}, phone, proxy) {
      const fresh = (await driver.credential(instance)) !== 'linked'
      const line: Omit<Line, 'connection'> = { account: undefined, closed: false, qr: '' }
      const heard = { ...deaf, ...events }
      const connection = await driver.connect({
        instance,
        fresh,
        ...(phone && { phone }),
        ...(proxy && { proxy }),
        events: {
          ...heard,
          qr: (text, validMs) => {
            line.qr = text
            heard.qr(text, validMs)
          },
          open: (account) => {
            line.account = account
            heard.open(account)
          },
          closed: (closing) => {
            line.closed = true
            heard.closed(closing)
          },
        },
      })
      open.push(connection)
      return Object.assign(line, { connection })
    },
    async linked(number) {
      const instance = crypto.randomUUID()
      await world.sim('POST', '/phones', { number })
      const pairing = await world.connect(instance)
      await world.sim('POST', `/phones/${number}/scan`, { qr: await until(() => pairing.qr) })
      await until(() => pairing.closed)
      return instance
    },
    async close() {
      await Promise.all(open.map((connection) => connection.close()))
      await simulator.close()
      await store.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
  return world
}
