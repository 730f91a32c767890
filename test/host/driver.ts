// The driver alone on a simulated network, over a credential store that a test may make fail.

import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type BaileysSettings,
  createBaileysDriver,
} from '@msgnet/session-host/driver/baileys/baileys-driver.ts'
import type { Account, Connection, ConnectionEvents, Driver } from '@msgnet/session-host/driver/driver.ts'
import { createSilentLog } from '@msgnet/session-host/process/host-log.ts'
import { machineClock } from '@msgnet/session-host/process/machine-clock.ts'
import { type CredentialStore, createCredentialStore } from '@msgnet/session-host/store/credential-store.ts'
import { openStore } from '@msgnet/session-host/store/host-store.ts'
import { createSealer } from '@msgnet/shared/seal.ts'
import { type Simulator, startSimulator } from '@msgnet/simulator/simulator.ts'
import { until } from '../until.ts'

export interface Line {
  connection: Connection
  account: Account | undefined
  closed: boolean
  qr: string
}

const ignoreEvent = () => undefined
export const ignoreAll: ConnectionEvents = {
  onQr: ignoreEvent,
  onCode: ignoreEvent,
  onPasskey: ignoreEvent,
  onOpen: ignoreEvent,
  onCaughtUp: ignoreEvent,
  onNamed: ignoreEvent,
  onClosed: ignoreEvent,
  onMessages: async () => undefined,
  onReceipts: ignoreEvent,
  onAck: ignoreEvent,
  onRestricted: ignoreEvent,
  onGroupRenewed: async () => undefined,
  onGroupAddressed: ignoreEvent,
  onPeopleNamed: ignoreEvent,
  onHistoryPage: async () => undefined,
  onHistoryChunk: async () => undefined,
  onGroupJoined: ignoreEvent,
  onGroupChanged: ignoreEvent,
  onGroupsListed: ignoreEvent,
  onCall: ignoreEvent,
  onSettings: ignoreEvent,
  onPresence: ignoreEvent,
  onUnknownWord: ignoreEvent,
  onProtocolMessage: ignoreEvent,
}

/** `wrap` puts a store between the driver and its credentials; `settings` replace those of the driver. */
export async function startDriver(
  wrap: (store: CredentialStore) => CredentialStore = (store) => store,
  settings: Partial<BaileysSettings> = {},
): Promise<DriverWorld> {
  const dataDir = mkdtempSync(join(tmpdir(), 'driver-'))
  const simulator = await startSimulator({ port: 0, dataDir })
  const store = await openStore(join(dataDir, 'host.db'), () => undefined)
  const sealer = await createSealer(`test:${randomBytes(32).toString('base64')}`, 'host/credential')
  const credentials = wrap(createCredentialStore(store, sealer, createSilentLog()))
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
  return new DriverWorld(driver, credentials, simulator, async () => {
    await simulator.close()
    await store.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
}

export class DriverWorld {
  readonly driver: Driver
  readonly credentials: CredentialStore
  readonly networkUrl: string
  /** The base of the simulated network's own routes. */
  readonly controlUrl: string
  /** `host:port` of each media host. */
  readonly mediaHosts: string[]
  readonly #cleanup: () => Promise<void>
  readonly #open: Connection[] = []

  constructor(
    driver: Driver,
    credentials: CredentialStore,
    simulator: Simulator,
    cleanup: () => Promise<void>,
  ) {
    this.driver = driver
    this.credentials = credentials
    this.networkUrl = simulator.networkUrl
    this.controlUrl = simulator.url
    this.mediaHosts = simulator.mediaUrls.map((url) => new URL(url).host)
    this.#cleanup = cleanup
  }

  async sim<Answer = Record<string, unknown>>(method: string, path: string, body?: object): Promise<Answer> {
    // One connection a request: one that was kept may be closed while a large body is being prepared.
    const headers = { 'content-type': 'application/json', connection: 'close' }
    const request = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const response = await fetch(`${this.controlUrl}/sim${path}`, request)
    if (!response.ok) throw new Error(`${path} answered ${response.status}`)
    return (await response.json()) as Answer
  }

  /** `phone`: its digits, for a pairing by code. */
  async connectInstance(
    instance: string,
    events: Partial<ConnectionEvents> = {},
    phone?: string,
    proxy?: string,
  ): Promise<Line> {
    const fresh = (await this.driver.readCredentialState(instance)) !== 'linked'
    const line: Omit<Line, 'connection'> = { account: undefined, closed: false, qr: '' }
    const connection = await this.driver.connect({
      instance,
      fresh,
      ...(phone && { phone }),
      ...(proxy && { proxy }),
      events: recordState(line, { ...ignoreAll, ...events }),
    })
    this.#open.push(connection)
    return Object.assign(line, { connection })
  }

  /** Creates an account with its phone, links a device to it, and returns the instance. */
  async linkPhone(number: string): Promise<string> {
    const instance = crypto.randomUUID()
    await this.sim('POST', '/phones', { number })
    const pairing = await this.connectInstance(instance)
    await this.sim('POST', `/phones/${number}/scan`, { qr: await until(() => pairing.qr) })
    await until(() => pairing.closed)
    return instance
  }

  async close(): Promise<void> {
    await Promise.all(this.#open.map((connection) => connection.close()))
    await this.#cleanup()
  }
}

const recordState = (line: Omit<Line, 'connection'>, handlers: ConnectionEvents): ConnectionEvents => ({
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
})
