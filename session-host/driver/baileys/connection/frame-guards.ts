// Frame guards: a socket sends nothing once the host's lease is over, nor before the writes that must be first are on disk; a login
// without a pairing is ignored.

import type { WASocket } from 'baileys'
import type { Lease } from '../../../process/lease.ts'
import { NotWritten } from '../../effect.ts'

type Callback = (error?: Error) => void
type Send = (data: string | Uint8Array, done?: Callback) => void

interface WebSocket {
  send: Send
  /** Stops reading until `resume`. */
  pause(): void
  resume(): void
}

/**
 * The WebSocket itself. The library read `send` of its own wrapper when the socket was created: a function that is set there later is
 * never called.
 */
export const getWebSocket = ({ ws }: WASocket) => (ws as unknown as { socket: WebSocket }).socket

/**
 * A process that was frozen finds on its sockets the frames that arrived during that time, and reads them before any timer can close
 * them. The library would decrypt them and acknowledge them to the network, while another host holds the instance.
 */
export function dropFramesWithoutLease(lease: Pick<Lease, 'runs'>, sock: WASocket): void {
  const { ws } = sock
  const emit = ws.emit.bind(ws)
  ws.emit = (event, ...args) => (event === 'message' && !lease.runs ? false : emit(event, ...args))
  const socket = getWebSocket(sock)
  const send = socket.send.bind(socket)
  socket.send = (data, done) => {
    if (!lease.runs) done?.(new NotWritten('the lease is over'))
    else if (ws.isOpen) send(data, (error) => done?.(error && describeFailure(error)))
    else done?.(new NotWritten('the connection was lost'))
  }
}

/** What a write ends with that the machine did not take whole. Of others it is not known: one may be cancelled after its bytes have left. */
const notTaken = ['EPIPE', 'ECONNRESET', 'ETIMEDOUT', 'ERR_STREAM_DESTROYED']

/** The network cannot decrypt a part of a frame, should that have left. */
const describeFailure = (error: Error & { code?: string }): Error =>
  notTaken.includes(error.code ?? '') ? new NotWritten('the socket did not take it', { cause: error }) : error

/**
 * The network may report a device as logged in although no phone has ever signed its credential. The library would accept that, and
 * report it to the caller.
 */
export function ignoreUnpairedLogin(sock: WASocket, isPaired: () => boolean, onIgnored: () => void): void {
  const { ws } = sock
  const emit = ws.emit.bind(ws)
  ws.emit = (event, ...args) => {
    if (event !== 'CB:success' || isPaired()) return emit(event, ...args)
    onIgnored()
    return false
  }
}

/**
 * `getPendingWrites`: the writes that have to be on disk before the next frame, if any. Frames stay in order, because each is encrypted
 * with its own counter; after a frame whose writes failed none is sent, and `onError` is called with the error.
 */
export function sendAfterDeferredWrites(
  sock: WASocket,
  getPendingWrites: () => Promise<void> | undefined,
  onError: (error: unknown) => void,
): void {
  const socket = getWebSocket(sock)
  const send = socket.send.bind(socket)
  let last: Promise<void> | undefined
  socket.send = (data, done) => {
    const before = getPendingWrites()
    if (!last && !before) return send(data, done)
    const current = Promise.all([last, before]).then(() => {
      if (last === current) last = undefined
      send(data, done)
    })
    last = current
    current.catch((error) => {
      done?.(new NotWritten('the writes before it have failed', { cause: error }))
      onError(error)
    })
  }
}
