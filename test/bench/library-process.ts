// A process of the unmodified library alone, with its keys in memory: it counts received messages, and sends on command.
//
// Told by its parent: {url, count} first, then {send, to, atOnce} again and again. Tells {qr, n} for each code to be
// scanned, {open} when all devices are in, {received} as it is asked by {asked}, and {sent} when a round of sends is over.

import type { Boom } from '@hapi/boom'
import makeWASocket, {
  type AuthenticationState,
  initAuthCreds,
  type SignalDataTypeMap,
  type WASocket,
} from 'baileys'
import pino from 'pino'

export type Task =
  | { kind: 'open'; url: string; count: number }
  | { kind: 'send'; count: number; to: string; atOnce: number }
  | { kind: 'received' }

export interface ProcessReport {
  qr?: string
  n?: number
  open?: true
  sent?: true
  received?: number
}

const LOGGED_OUT = 401
const logger = pino({ level: 'silent' })
// libsignal prints whole sessions.
for (const level of ['log', 'info', 'warn', 'error'] as const) console[level] = () => undefined

const sockets: WASocket[] = []
let received = 0

const reportToParent = (report: ProcessReport) => process.send?.(report)

process.on('message', async (task: Task) => {
  if (task.kind === 'received') return reportToParent({ received })
  if (task.kind === 'send') {
    await sendMessages(task)
    return reportToParent({ sent: true })
  }
  for (let n = 0; n < task.count; n++) await connectDevice(createMemoryKeys(), task.url, n)
  reportToParent({ open: true })
})
process.once('disconnect', () => process.exit(0))
reportToParent({})

async function sendMessages({ count, to, atOnce }: Extract<Task, { kind: 'send' }>): Promise<void> {
  let next = 0
  const sendInTurn = async () => {
    for (let n = next++; n < count; n = next++) {
      await sockets[n % sockets.length]?.sendMessage(to, { text: `alone ${n}` })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, sendInTurn))
}

/** Resolves once the network has taken the login. */
function connectDevice(auth: AuthenticationState, url: string, n: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const connectSocket = () => {
    const socket = makeWASocket({
      auth,
      waWebSocketUrl: url,
      browser: ['Windows', 'Chrome', '10'],
      logger,
      markOnlineOnConnect: false,
      syncFullHistory: false,
      shouldSyncHistoryMessage: () => false,
    })
    sockets[n] = socket
    socket.ev.on('messages.upsert', ({ messages }) => {
      received += messages.filter(({ key, message }) => message && !key.fromMe).length
    })
    socket.ev.on('creds.update', (update) => Object.assign(auth.creds, update))
    socket.ev.on('connection.update', ({ qr, connection, lastDisconnect }) => {
      if (qr) reportToParent({ qr, n })
      if (connection === 'open') resolve()
      // The network asks for a new connection after pairing: the library leaves that to its user.
      const code = (lastDisconnect?.error as Boom | undefined)?.output?.statusCode
      if (connection === 'close' && code !== LOGGED_OUT) connectSocket()
    })
  }
  connectSocket()
  return promise
}

/** The least that keys can cost. */
function createMemoryKeys(): AuthenticationState {
  const values = new Map<string, unknown>()
  return {
    creds: initAuthCreds(),
    keys: {
      async get<T extends keyof SignalDataTypeMap>(kind: T, ids: string[]) {
        const found: Record<string, SignalDataTypeMap[T]> = {}
        for (const id of ids) {
          const value = values.get(`${kind} ${id}`)
          if (value !== undefined) found[id] = value as SignalDataTypeMap[T]
        }
        return found
      },
      async set(data) {
        for (const [kind, entries] of Object.entries(data)) {
          for (const [id, value] of Object.entries(entries ?? {})) {
            if (value === null || value === undefined) values.delete(`${kind} ${id}`)
            else values.set(`${kind} ${id}`, value)
          }
        }
      },
    },
  }
}
