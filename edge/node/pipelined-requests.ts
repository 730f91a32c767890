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

/** Of one connection. Clients and proxies of today wait for each response. */
const MAX_UNDER_WAY = 32

const underWay = new WeakMap<Duplex, Set<ServerResponse>>()
const isFull = (socket: Duplex): boolean => (underWay.get(socket)?.size ?? 0) >= MAX_UNDER_WAY

/** The requests with which a connection ends, or becomes another. */
const last = new WeakSet<IncomingMessage>()

/**
 * Node makes objects of all requests of a packet, also after their connection was closed, and that of a thousand takes longer than to
 * serve those that are allowed. Its parser stops at one thing only: a request for an upgrade.
 */
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

type Listener = (request: IncomingMessage, response: ServerResponse) => unknown

interface BoundedOptions extends Omit<ServerOptions, 'IncomingMessage' | 'shouldUpgradeCallback'> {
  isUpgrade: (request: IncomingMessage) => boolean
  onUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
}

/** A server that closes a connection with more requests under way than that; what it sends beyond them is not read. */
export function createBoundedServer(
  { isUpgrade, onUpgrade, ...options }: BoundedOptions,
  listener: Listener,
): Server {
  const shouldUpgradeCallback = (request: IncomingMessage) => isFull(request.socket) || isUpgrade(request)
  const server = createServer({ ...options, IncomingMessage: BoundedMessage, shouldUpgradeCallback })
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, countUnderWay)
  server.on('upgrade', (request, socket, head) => {
    if (!isFull(socket)) return onUpgrade(request, socket, head)
    socket.destroy()
    // Node no longer knows the connection, and would leave them open for ever.
    for (const response of underWay.get(socket) ?? []) response.emit('close')
  })
  return server.on('request', listener)
}

function countUnderWay({ socket }: IncomingMessage, response: ServerResponse): void {
  const open = underWay.get(socket) ?? new Set()
  underWay.set(socket, open.add(response))
  response.once('close', () => open.delete(response))
}
