// The edge's loopback-only socket: the minute's tick, for a runtime without cron, and its metrics.

import { WorkerEntrypoint } from 'cloudflare:workers'
import { asksLocally } from '../shared/loopback.ts'
import type { Env } from './env.ts'
import { metricsText } from './metrics.ts'
import { tick } from './tick.ts'

export class Clock extends WorkerEntrypoint<Env> {
  override async fetch(request: Request): Promise<Response> {
    if (!asksLocally((name) => request.headers.get(name))) return new Response(null, { status: 403 })
    const { pathname } = new URL(request.url)
    const route = routes[pathname]
    if (!route) return new Response(null, { status: 404 })
    const { method } = route
    if (request.method !== method) return new Response(null, { status: 405, headers: { allow: method } })
    return route.answer(this.env)
  }
}

const routes: Record<string, { method: string; answer(env: Env): Promise<Response> }> = {
  '/tick': {
    method: 'POST',
    async answer(env) {
      await tick(env)
      return new Response(null, { status: 204 })
    },
  },
  '/metrics': {
    method: 'GET',
    answer: async () =>
      new Response(metricsText(), {
        headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
      }),
  },
}
