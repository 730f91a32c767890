// What the edge answers its operator beside the API: the metrics, and on a runtime without cron and without metrics of its process the tick and a probe.

import { asksLocally } from '../shared/loopback.ts'
import type { Env } from './env.ts'
import { setGauge } from './metrics.ts'
import { writeMetrics } from './metrics-text.ts'
import { tick } from './tick.ts'

export async function answerOperator(request: Request, env: Env): Promise<Response> {
  if (!asksLocally((name) => request.headers.get(name))) return new Response(null, { status: 403 })
  const { pathname } = new URL(request.url)
  const route = routes[pathname]
  if (!route) return new Response(null, { status: 404 })
  const { method } = route
  if (request.method !== method) return new Response(null, { status: 405, headers: { allow: method } })
  return route.answer(env, request.headers)
}

const routes: Record<string, { method: string; answer(env: Env, headers: Headers): Promise<Response> }> = {
  '/tick': {
    method: 'POST',
    async answer(env, headers) {
      setGauge('edge_resident_memory_bytes', numberIn(headers, 'x-resident-bytes'))
      setGauge('edge_slowest_probe_seconds', numberIn(headers, 'x-slowest-probe-ms') / 1000)
      setGauge('edge_disk_free_bytes', numberIn(headers, 'x-disk-free-bytes'))
      setGauge('edge_disk_size_bytes', numberIn(headers, 'x-disk-size-bytes'))
      setGauge('edge_last_backup_timestamp_seconds', numberIn(headers, 'x-last-backup-ms') / 1000)
      await tick(env)
      return new Response(null, { status: 204 })
    },
  },
  /** The time of this empty answer shows how busy the event loop is. */
  '/probe': { method: 'GET', answer: async () => new Response(null, { status: 204 }) },
  '/metrics': {
    method: 'GET',
    answer: async (env) =>
      new Response(await writeMetrics(env), {
        headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
      }),
  },
}

const numberIn = (headers: Headers, name: string): number => Number(headers.get(name) || Number.NaN)
