// A process of the unmodified library alone, its keys in a database on disk: started again by its parent, it brings all its
// devices back.
//
// Told by its parent: {folder, url, count, atOnce}. Tells {qr, n} for each code to be scanned, and {open} when all are in.

import { join } from 'node:path'
import type { Boom } from '@hapi/boom'
import makeWASocket from 'baileys'
import pino from 'pino'
import { openRawKeys } from './raw-keys.ts'

interface Task {
  folder: string
  url: string
  count: number
  /** How many may be on their way in at the same time. */
  atOnce: number
}

const LOGGED_OUT = 401
const logger = pino({ level: 'silent' })
// libsignal prints whole sessions.
for (const level of ['log', 'info', 'warn', 'error'] as const) console[level] = () => undefined

process.once('message', ({ folder, url, count, atOnce }: Task) => {
  const authOf = openRawKeys(join(folder, 'keys.db'))
  let next = 0
  const connectInTurn = async () => {
    for (let n = next++; n < count; n = next++) await connectDevice(authOf(n), url, n)
  }
  void Promise.all(Array.from({ length: atOnce }, connectInTurn)).then(() => process.send?.({ open: true }))
})
process.once('disconnect', () => process.exit(0))
process.send?.({ ready: true })

/** Resolves once the network has taken the login. */
function connectDevice(
  { state, saveCreds }: ReturnType<ReturnType<typeof openRawKeys>>,
  url: string,
  n: number,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const connectSocket = () => {
    const socket = makeWASocket({
      auth: state,
      waWebSocketUrl: url,
      browser: ['Windows', 'Chrome', '10'],
      logger,
      markOnlineOnConnect: false,
      syncFullHistory: false,
      shouldSyncHistoryMessage: () => false,
    })
    socket.ev.on('creds.update', (update) => {
      Object.assign(state.creds, update)
      saveCreds()
    })
    socket.ev.on('connection.update', ({ qr, connection, lastDisconnect }) => {
      if (qr) process.send?.({ qr, n })
      if (connection === 'open') resolve()
      // The network asks for a new connection after pairing: the library leaves that to its user.
      const code = (lastDisconnect?.error as Boom | undefined)?.output?.statusCode
      if (connection === 'close' && code !== LOGGED_OUT) connectSocket()
    })
  }
  connectSocket()
  return promise
}
