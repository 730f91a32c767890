// What the Workers runtime loads: the API, the minute's tick, and the two kinds of durable objects.

import { WorkerEntrypoint } from 'cloudflare:workers'
import { app } from './app.ts'
import type { Env } from './env.ts'
import { tick } from './tick.ts'

export { Courier } from './delivery/courier.ts'
export { HostLink } from './hosts/host-link.ts'

/** The minute for a runtime without cron: any request is one tick. Bound to a loopback socket only. */
export class Clock extends WorkerEntrypoint<Env> {
  override async fetch(): Promise<Response> {
    await tick(this.env)
    return new Response(null, { status: 204 })
  }
}

export default {
  fetch: app.fetch,
  scheduled: (_event, env) => tick(env),
} satisfies ExportedHandler<Env>
