// Apart from http-server.ts, because it knows connections and no routes: requests that a connection sends before the one before is answered.
// All of them are served at once, so one packet would be a thousand callers.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** Of one connection. Clients and proxies of today wait for each response. */
const MAX_UNDER_WAY = 32

type Listener = (request: IncomingMessage, response: ServerResponse) => unknown

/** Closes a connection with more requests under way than that. What was read of it already is not served. */
export function boundPipelining<Served extends Listener>(serve: Served) {
  const underWay = new WeakMap<Duplex, number>()
  return (request: IncomingMessage, response: ServerResponse): unknown => {
    const { socket } = request
    if (socket.destroyed) return undefined
    const count = (underWay.get(socket) ?? 0) + 1
    if (count > MAX_UNDER_WAY) return void socket.destroy()
    underWay.set(socket, count)
    response.once('close', () => underWay.set(socket, (underWay.get(socket) ?? 1) - 1))
    return serve(request, response)
  }
}
