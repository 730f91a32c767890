// WebSockets of session hosts: the handshake on a connection that was authenticated, and what arrives on it.

import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { withDeadline } from '@msgnet/shared/deadline.ts'
import { type WebSocket, WebSocketServer } from 'ws'
import type { HostLink } from '../hosts/host-link.ts'
import type { HostSocket } from '../runtime/runtime.ts'
import type { ObjectEntry } from './process-objects.ts'

/** Bytes of one WebSocket message. A host sends at most 256 KiB of frames, unless a single one is larger. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024
/** Standard close code: this server goes away. */
const CLOSE_GOING_AWAY = 1001
const CLOSE_TIMEOUT = SECOND

export interface UpgradeRequest {
  request: IncomingMessage
  socket: Duplex
  head: Buffer
}

const handshakes = new WebSocketServer({
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: MAX_MESSAGE_BYTES,
})

/** Completes the handshake, and passes everything on the socket to the link object. */
export function openHostSocket(
  { request, socket, head }: UpgradeRequest,
  { object, sockets }: ObjectEntry<HostLink>,
  host: { id: string; tokenHash: string },
): void {
  handshakes.handleUpgrade(request, socket, head, (webSocket) => {
    const opened = new NodeHostSocket(webSocket, socket)
    sockets.add(opened)
    // Messages that arrive meanwhile are handled after it: it has attached the host to the socket when it returns.
    void object.socketOpened(opened, host.id, host.tokenHash)
    webSocket.on('message', (data, isBinary) => {
      void object.socketMessage(opened, isBinary ? new ArrayBuffer(0) : String(data))
    })
    webSocket.on('error', () => void object.socketBroke(opened))
    webSocket.on('close', (code) => {
      void object.socketClosed(opened, code).finally(() => sockets.delete(opened))
    })
  })
}

/** Hosts open their next link as soon as this process is back. */
export async function closeHostSockets(entries: ObjectEntry<HostLink>[]): Promise<void> {
  const open = entries.flatMap(({ sockets }) => [...sockets]) as NodeHostSocket[]
  await Promise.all(open.map((socket) => socket.closeGoingAway()))
}

class NodeHostSocket implements HostSocket {
  readonly #webSocket: WebSocket
  readonly #connection: Duplex
  #isCorked = false
  #attachment: unknown

  constructor(webSocket: WebSocket, connection: Duplex) {
    this.#webSocket = webSocket
    this.#connection = connection
  }

  get readyState(): number {
    return this.#webSocket.readyState
  }

  /** Messages of the same moment are one write. */
  send(text: string): void {
    if (!this.#isCorked) {
      this.#isCorked = true
      this.#connection.cork()
      process.nextTick(() => {
        this.#isCorked = false
        this.#connection.uncork()
      })
    }
    this.#webSocket.send(text)
  }

  close(code: number, reason: string): void {
    this.#webSocket.close(code, reason)
  }

  serializeAttachment(value: unknown): void {
    this.#attachment = value
  }

  deserializeAttachment(): unknown {
    return this.#attachment
  }

  async closeGoingAway(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#webSocket.once('close', () => resolve())
    this.#webSocket.close(CLOSE_GOING_AWAY, 'the edge stops')
    await withDeadline(promise, CLOSE_TIMEOUT, () => this.#webSocket.terminate())
  }
}
