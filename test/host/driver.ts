// The driver alone on a simulated network, over a credential store that a test may make fail.

import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type BaileysSettings,
  createBaileysDriver,
} from '../../session-host/driver/baileys/baileys-driver.ts'
import type { Account, Connection, ConnectionEvents, Driver } from '../../session-host/driver/driver.ts'
import { createSilentLog } from '../../session-host/host-log.ts'
import { machineClock } from '../../session-host/machine-clock.ts'
import { type CredentialStore, createCredentialStore } from '../../session-host/store/credential-store.ts'
import { openStore } from '../../session-host/store/host-store.ts'
import { createSealer } from '../../shared/seal.ts'
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
  connectInstance(
    instance: string,
    events?: Partial<ConnectionEvents>,
    phone?: string,
    proxy?: string,
  ): Promise<Line>
  /** A new account with its phone, and a device linked to it; answers its instance. */
  linkPhone(number: string): Promise<string>
  close(): Promise<void>
}

const ignoreEvent = () => undefined
const deaf: ConnectionEvents = {
  onQr: ignoreEvent,
  onCode: ignoreEvent,
  onPasskey: ignoreEvent,
  onOpen: ignoreEvent,
  onNamed: ignoreEvent,
  onClosed: ignoreEvent,
  onMessages: async () => undefined,
  onReceipts: ignoreEvent,
  onAck: ignoreEvent,
  onRestricted: ignoreEvent,
  onGroupRenewed: async () => undefined,
  onGroupAddressed: ignoreEvent,
  onPeopleNamed: ignoreEvent,
  onGroupJoined: ignoreEvent,
  onGroupChanged: ignoreEvent,
  onGroupsListed: ignoreEvent,
  onCall: ignoreEvent,
  onSettings: ignoreEvent,
  onUnknownWord: ignoreEvent,
}

/** `between` stands between the driver and the store; `settings` in place of what the driver is given otherwise. */
export async function startDriver(
  between: (store: CredentialStore) => CredentialStore = (store) => store,
  settings: Partial<BaileysSettings> = {},
): Promise<DriverWorld> {
  const dataDir = mkdtempSync(join(tmpdir(), 'driver-'))
  const simulator = await startSimulator({ port: 0, dataDir })
  const store = await openStore(join(dataDir, 'host.db'), () => undefined)
  const sealer = await createSealer(`test:${randomBytes(32).toString('base64')}`, 'host/credential')
  const credentials = between(createCredentialStore(store, sealer, createSilentLog()))
  const driver = createBaileysDriver({
    url: simulator.networkUrl,
    rootKey: Buffer.from(simulator.rootKey, 'hex'),
    mediaCa: simulator.mediaCa,
    actionTimeoutMs: 5000,
    clock: machineClock,
    lease: { runs: true },
    getPendingWrites: () => undefined,
    log: createSilentLog(),
    findStoredMessage: async () => undefined,
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
    async connectInstance(instance, events = {}, phone, proxy) {
      const fresh = (await driver.readCredentialState(instance)) !== 'linked'
      const line: Omit<Line, 'connection'> = { account: undefined, closed: false, qr: '' }
      const handlers = { ...deaf, ...events }
      const connection = await driver.connect({
        instance,
        fresh,
        ...(phone && { phone }),
        ...(proxy && { proxy }),
        events: {
          ...handlers,
          onQr: (text, validMs) => {
            line.qr = text
            handlers.onQr(text, validMs)
          },
          onOpen: (account) => {
            line.account = account
            handlers.onOpen(account)
          },
          onClosed: (closing) => {
            line.closed = true
            handlers.onClosed(closing)
          },
        },
      })
      open.push(connection)
      return Object.assign(line, { connection })
    },
    async linkPhone(number) {
      const instance = crypto.randomUUID()
      await world.sim('POST', '/phones', { number })
      const pairing = await world.connectInstance(instance)
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
