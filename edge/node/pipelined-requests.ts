// Apart from http-server.ts, because it knows connections and no routes: requests that a connection sends before the one before is answered.
// All of them are served at once, so one packet would be a thousand callers.

import {
  createServer,
  IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import type { Duplex } from 'node:stream'
import { OpenResponses } from './open-responses.ts'

/** Of one connection. Clients and proxies of today wait for each response. */
const MAX_UNDER_WAY = 32

/** The requests with which a connection ends, or becomes another. */
const last = new WeakSet<IncomingMessage>()

type Listener = (request: IncomingMessage, response: ServerResponse) => unknown

interface BoundedOptions extends Omit<ServerOptions, 'IncomingMessage' | 'shouldUpgradeCallback'> {
  isUpgrade: (request: IncomingMessage) => boolean
  onUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
}

/** A server that closes a connection with more requests under way than that; what it sends beyond them is not read. */
export function createBoundedServer(
  { isUpgrade, onUpgrade, ...options }: BoundedOptions,
  listener: Listener,
): { server: Server; openResponses: OpenResponses } {
  const isFull = (socket: Duplex): boolean => openResponses.listOpen(socket).size >= MAX_UNDER_WAY
  const server = createServer({
    ...options,
    IncomingMessage: createMessageClass(isFull),
    shouldUpgradeCallback: (request) => isFull(request.socket) || isUpgrade(request),
  })
  const openResponses = new OpenResponses(server)
  server.on('upgrade', (request, socket, head) => {
    if (!isFull(socket)) return onUpgrade(request, socket, head)
    socket.destroy()
    // Node no longer knows the connection, and would leave them open for ever.
    for (const response of openResponses.listOpen(socket)) response.emit('close')
  })
  return { server: server.on('request', listener), openResponses }
}

/**
 * Node makes objects of all requests of a packet, also after their connection was closed, and that of a thousand takes longer than to
 * serve those that are allowed. Its parser stops at one thing only: a request for an upgrade.
 */
const createMessageClass = (isFull: (socket: Duplex) => boolean) =>
  class BoundedMessage extends IncomingMessage {
    get upgrade(): boolean {
      return last.has(this)
    }

    /** Set by Node: `null` at first, and once the head is read whether the request asks for an upgrade. */
    set upgrade(isAsked: boolean | null) {
      if (isAsked || (isAsked === false && isFull(this.socket))) last.add(this)
      else last.delete(this)
    }
  }
