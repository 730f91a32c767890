// When a socket says nothing: once the host's lease is over, and until what must be on disk by then is there.

import type { WASocket } from 'baileys'
import type { Lease } from '../../../lease.ts'

type Callback = (error?: Error) => void
type Send = (data: string | Uint8Array, done?: Callback) => void

/**
 * The WebSocket itself. The library has taken `send` of its own wrapper when the socket was made: one that is put there later is
 * never called.
 */
const webSocketOf = ({ ws }: WASocket) => (ws as unknown as { socket: { send: Send } }).socket

/**
 * A process that was frozen finds on its sockets what came meanwhile, and reads it before any timer can close them. The
 * library would decrypt it and tell the network that we have it, while another host is the one that has it.
 */
export function muteWithoutLease(lease: Pick<Lease, 'runs'>, sock: WASocket): void {
  const { ws } = sock
  const emit = ws.emit.bind(ws)
  ws.emit = (event, ...args) => (event === 'message' && !lease.runs ? false : emit(event, ...args))
  const socket = webSocketOf(sock)
  const send = socket.send.bind(socket)
  socket.send = (data, done) => {
    if (lease.runs) send(data, done)
    else done?.(new Error('the lease is over'))
  }
}

/**
 * `writes`: what has to be on disk before the next frame, if anything has. Frames keep their order, because each is encrypted
 * under a number of its own; after one that was held back for good there is none, and `failed` hears why.
 */
export function sendAfterWrites(
  sock: WASocket,
  writes: () => Promise<void> | undefined,
  failed: (thrown: unknown) => void,
): void {
  const socket = webSocketOf(sock)
  const send = socket.send.bind(socket)
  let last: Promise<void> | undefined
  socket.send = (data, done) => {
    const before = writes()
    if (!last && !before) return send(data, done)
    const mine = Promise.all([last, before]).then(() => {
      if (last === mine) last = undefined
      send(data, done)
    })
    last = mine
    mine.catch((thrown) => {
      done?.(thrown)
      failed(thrown)
    })
  }
}
