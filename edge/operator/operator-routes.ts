// The routes of the operator's listener, which is on a loopback address unless `EDGE_METRICS_HOST` names another: the metrics of
// this isolate and of the database, and on a loopback address a tick at once.

import { isLocalRequest, isLoopback } from '@msgnet/shared/loopback.ts'
import { formatCounters } from '../observability/counters.ts'
import { formatDatabaseHealth } from '../observability/database-health.ts'
import { log } from '../observability/edge-log.ts'
import { formatHistograms } from '../observability/histograms.ts'
import { formatTurns } from '../observability/turns-in-metrics.ts'
import type { Env } from '../settings/env.ts'
import { openStore } from '../store/database/open-store.ts'
import { countFleet } from '../store/fleet-queries.ts'
import { formatFleet } from './fleet-metrics.ts'
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
  // On another address it is reached under other names, so the Host header proves nothing there.
  if (isLocal && !isLocalRequest((name) => request.headers.get(name)))
    return new Response(null, { status: 403 })
  const route = routes[new URL(request.url).pathname]
  if (!route || (route.isLocal && !isLocal)) return new Response(null, { status: 404 })
  const { method } = route
  if (request.method !== method) return new Response(null, { status: 405, headers: { allow: method } })
  return route.respond(env)
}

async function formatMetrics(env: Env): Promise<string> {
  // First: if the database does not answer, the others say so already.
  const fleet = await formatFleetNow(env)
  return formatCounters() + formatTurns() + formatHistograms() + formatDatabaseHealth() + fleet
}

/** Empty if the database does not answer. */
async function formatFleetNow(env: Env): Promise<string> {
  try {
    return formatFleet(await countFleet(openStore(env)))
  } catch (error) {
    log(env, 'warn', 'failed to count hosts and instances', { error })
    return ''
  }
}
