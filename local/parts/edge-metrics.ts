// Serves the edge's metrics on an address of the operator's choice. The tick stays on the edge's own socket, on loopback.

import { createServer, type IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import { SECOND } from '../../shared/clock.ts'
import { asksLocally, isLoopback } from '../../shared/loopback.ts'
import { claimPort, freePort } from '../settings/ports.ts'
import type { Settings } from '../settings/settings.ts'

/** The database may take eight seconds not to answer. */
const ANSWER_WITHIN = 10 * SECOND

/** The edge's own socket, for the tick and for the metrics where they stay on this machine. */
const SOCKET_HOST = '127.0.0.1'

export interface EdgeMetricsPlace {
  host: string
  port: number
  url: string
  /** The same as `port` if the edge's own socket serves the metrics. */
  socketPort: number
}

/** Checks that the address is free. */
export async function claimEdgeMetrics(settings: Settings): Promise<EdgeMetricsPlace> {
  const { EDGE_METRICS_HOST, EDGE_METRICS_PORT } = settings
  return placeEdgeMetrics(
    settings,
    await claimPort('EDGE_METRICS_PORT', EDGE_METRICS_HOST, EDGE_METRICS_PORT),
  )
}

/** A listener of its own needs a second port. */
export async function placeEdgeMetrics(
  { EDGE_METRICS_HOST: host }: Pick<Settings, 'EDGE_METRICS_HOST'>,
  port: number,
): Promise<EdgeMetricsPlace> {
  const socketPort = host === SOCKET_HOST ? port : await freePort()
  return { host, port, socketPort, url: `http://${isIPv6(host) ? `[${host}]` : host}:${port}` }
}

export interface EdgeMetrics {
  close(): void
}

/** `GET /metrics` and nothing else, as the edge's socket answers it. Undefined where that socket itself is asked. */
export async function serveEdgeMetrics(at: EdgeMetricsPlace): Promise<EdgeMetrics | undefined> {
  if (at.host === SOCKET_HOST) return undefined
  // On another address than loopback it is reached under other names, so the Host header is not checked.
  const isOurs = ({ headers }: IncomingMessage) =>
    !isLoopback(at.host) || asksLocally((name) => headers[name] as string | undefined)
  const server = createServer(async (request, response) => {
    if (!isOurs(request)) return response.writeHead(403).end()
    if (request.url !== '/metrics') return response.writeHead(404).end()
    if (request.method !== 'GET') return response.writeHead(405, { allow: 'GET' }).end()
    try {
      const answer = await fetch(`http://${SOCKET_HOST}:${at.socketPort}/metrics`, {
        signal: AbortSignal.timeout(ANSWER_WITHIN),
      })
      const text = await answer.text()
      const type = answer.headers.get('content-type') ?? 'text/plain'
      return response.writeHead(answer.status, { 'content-type': type }).end(text)
    } catch {
      // The edge is being started again: the scrape fails, as it would without this listener.
      return response.writeHead(502).end()
    }
  })
  const listening = Promise.withResolvers<void>()
  server.once('error', listening.reject)
  server.listen(at.port, at.host, listening.resolve)
  await listening.promise
  return {
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
