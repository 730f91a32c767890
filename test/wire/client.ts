// The unmodified library as a client, with its keys in memory.
import type { Boom } from '@hapi/boom'
import makeWASocket, {
  type AuthenticationState,
  type BaileysEventMap,
  type BinaryNode,
  getBinaryNodeChild,
  initAuthCreds,
  type UserFacingSocketConfig,
  type WAMessage,
  type WAMessageKey,
  type WASocket,
} from 'baileys'
import pino from 'pino'
import { until } from '../until.ts'
import { MemoryKeys } from './memory-keys.ts'

type Update = BaileysEventMap['connection.update']

export class Client {
  readonly #url: () => string
  readonly keys = new MemoryKeys()
  readonly auth: AuthenticationState = { creds: initAuthCreds(), keys: this.keys }
  readonly messages: WAMessage[] = []
  readonly updates: BaileysEventMap['messages.update'] = []
  #socket: WASocket | undefined
  #state: Update = {}
  #closes: number[] = []
  #codes: string[] = []

  constructor(url: () => string) {
    this.#url = url
  }

  get socket(): WASocket {
    if (this.#socket === undefined) throw new Error('not connected yet')
    return this.#socket
  }

  /** A new socket with the stored keys. */
  connect(options: Partial<UserFacingSocketConfig> = {}) {
    this.#state = {}
    const socket = makeWASocket({
      auth: this.auth,
      waWebSocketUrl: this.#url(),
      browser: ['Windows', 'Chrome', '10'],
      logger: pino({ level: process.env.WIRE_LOG ?? 'silent' }),
      markOnlineOnConnect: false,
      shouldSyncHistoryMessage: () => false,
      syncFullHistory: false,
      // The library caches sent messages by chat, and does not find them when a companion requests a retry.
      getMessage: async ({ id }) => this.messages.find((one) => one.key.id === id)?.message ?? undefined,
      ...options,
    })
    this.#socket = socket
    socket.ev.on('creds.update', (update) => Object.assign(this.auth.creds, update))
    socket.ev.on('messages.upsert', ({ messages }) => this.messages.push(...messages))
    socket.ev.on('messages.update', (updates) => this.updates.push(...updates))
    socket.ev.on('connection.update', (update) => {
      Object.assign(this.#state, update)
      if (update.qr) this.#codes.push(update.qr)
      if (update.connection === 'close') {
        this.#closes.push((update.lastDisconnect?.error as Boom | undefined)?.output?.statusCode ?? 0)
      }
    })
  }

  /** The code that is shown now. */
  waitForQr(): Promise<string> {
    return until(() => this.#codes.at(-1))
  }

  /** Connects again and waits until the library reports the connection as open and the backlog as received. */
  async goOnline() {
    this.connect()
    await this.waitUntilOpen()
  }

  waitUntilOpen() {
    return until(() => this.#state.connection === 'open' && this.#state.receivedPendingNotifications === true)
  }

  /** After its first login a companion first receives keys and history from its phone; these are no messages between people. */
  async waitForKeys() {
    const isKeys = ({ message }: WAMessage) => message?.protocolMessage?.appStateSyncKeyShare != null
    const isHistory = ({ message }: WAMessage) => message?.protocolMessage?.historySyncNotification != null
    await until(() => this.auth.creds.myAppStateKeyId && this.messages.some(isKeys))
    await until(() => this.messages.some(isHistory))
    const others = this.messages.filter((one) => !isKeys(one) && !isHistory(one))
    this.messages.splice(0, this.messages.length, ...others)
  }

  /** The code of the next close that no call has returned yet. */
  async waitForClose(): Promise<number> {
    await until(() => this.#closes.length > 0)
    return this.#closes.shift() ?? 0
  }

  /** The message's key once it has this status; the library may report it with the message or separately. */
  waitForStatus(id: string, expected: number): Promise<WAMessageKey> {
    return until(() => {
      const apart = this.updates.find((one) => one.key.id === id && one.update.status === expected)
      const together = this.messages.find((one) => one.key.id === id && one.status === expected)
      return apart?.key ?? together?.key
    })
  }

  /** The text message of this id, once it has arrived. */
  waitForText(id: string): Promise<WAMessage> {
    return until(() => this.messages.find((one) => one.key.id === id && one.message))
  }

  /** Collects the error codes of the network's responses from now on. */
  collectErrorCodes(): () => string[] {
    const codes: string[] = []
    this.socket.ws.on('CB:iq,type:error', (iq: BinaryNode) => {
      codes.push(getBinaryNodeChild(iq, 'error')?.attrs.code ?? '')
    })
    return () => codes
  }

  end() {
    this.#socket?.end(undefined)
  }
}

/** Collects the library's events of this name from now on. */
export function collectEvents<T extends keyof BaileysEventMap>(
  client: Client,
  event: T,
): BaileysEventMap[T][] {
  const all: BaileysEventMap[T][] = []
  client.socket.ev.on(event, (one) => all.push(one))
  return all
}

/** The code with which the network refuses; undefined when it does not. */
export const findRefusal = (request: Promise<unknown>) =>
  request.then(
    () => undefined,
    (error: { data?: unknown }) => error.data,
  )
