// The edge's socket on loopback: the tick and a probe, for a runtime without cron and without metrics of its process, and the edge's metrics.

import { WorkerEntrypoint } from 'cloudflare:workers'
import { asksLocally } from '../shared/loopback.ts'
import type { Env } from './env.ts'
import { histogramsText } from './histograms.ts'
import { log, reasonOf } from './log.ts'
import { metricsText, setGauge } from './metrics.ts'
import { openStore } from './store/database/database.ts'
import { type Waiting, waitingByKind } from './store/events/waiting.ts'
import { tick } from './tick.ts'

export class Clock extends WorkerEntrypoint<Env> {
  override async fetch(request: Request): Promise<Response> {
    if (!asksLocally((name) => request.headers.get(name))) return new Response(null, { status: 403 })
    const { pathname } = new URL(request.url)
    const route = routes[pathname]
    if (!route) return new Response(null, { status: 404 })
    const { method } = route
    if (request.method !== method) return new Response(null, { status: 405, headers: { allow: method } })
    return route.answer(this.env, request.headers)
  }
}

const routes: Record<string, { method: string; answer(env: Env, headers: Headers): Promise<Response> }> = {
  '/tick': {
    method: 'POST',
    async answer(env, headers) {
      setGauge('edge_resident_memory_bytes', numberIn(headers, 'x-resident-bytes'))
      setGauge('edge_slowest_probe_seconds', numberIn(headers, 'x-slowest-probe-ms') / 1000)
      await tick(env)
      return new Response(null, { status: 204 })
    },
  },
  /** The time of this empty answer shows how busy the event loop is. */
  '/probe': { method: 'GET', answer: async () => new Response(null, { status: 204 }) },
  '/metrics': {
    method: 'GET',
    answer: async (env) =>
      new Response(metricsText() + histogramsText() + (await queueText(env)), {
        headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
      }),
  },
}

const numberIn = (headers: Headers, name: string): number => Number(headers.get(name) || Number.NaN)

/** Empty if the database does not answer: other metrics show that. */
async function queueText(env: Env): Promise<string> {
  try {
    const kinds = await waitingByKind(openStore(env))
    const gauge = (name: string, help: string, value: (kind: Waiting) => number) =>
      [
        `# HELP ${name} ${help}`,
        `# TYPE ${name} gauge`,
        ...kinds.map((kind) => `${name}{instance_kind="${kind.kind}"} ${value(kind)}`),
      ].join('\n')
    return `${[
      gauge('edge_delivery_queue_depth', 'Events that wait to be delivered.', ({ events }) => events),
      gauge('edge_delivery_queue_age_seconds', 'Age of the oldest event that waits.', ({ age }) => age),
    ].join('\n')}\n`
  } catch (error) {
    log(env, 'warn', 'queue not measured', { reason: reasonOf(error) })
    return ''
  }
}
