// What the edge answers its operator beside the API: the metrics, and on this machine a tick at once.

import { isLocalRequest, isLoopback } from '../shared/loopback.ts'
import type { Env } from './env.ts'
import { formatMetrics } from './metrics-text.ts'
import { runTick } from './run-tick.ts'

interface OperatorRoute {
  method: string
  /** Not on an address that other machines reach. */
  isLocal?: true
  respond(env: Env): Promise<Response>
}

const routes: Record<string, OperatorRoute> = {
  '/metrics': {
    method: 'GET',
    respond: async (env) =>
      new Response(await formatMetrics(env), {
        headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
      }),
  },
  '/tick': {
    method: 'POST',
    isLocal: true,
    async respond(env) {
      await runTick(env)
      return new Response(null, { status: 204 })
    },
  },
}

export async function serveOperator(request: Request, env: Env): Promise<Response> {
  const isLocal = isLoopback(env.EDGE_METRICS_HOST || 'localhost')
  // On another address it is reached under other names, so the Host header says nothing there.
  if (isLocal && !isLocalRequest((name) => request.headers.get(name)))
    return new Response(null, { status: 403 })
  const route = routes[new URL(request.url).pathname]
  if (!route || (route.isLocal && !isLocal)) return new Response(null, { status: 404 })
  const { method } = route
  if (request.method !== method) return new Response(null, { status: 405, headers: { allow: method } })
  return route.respond(env)
}
