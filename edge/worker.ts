// The entry for the Workers runtime: the API, the tick, and the two kinds of durable objects.

import { app } from './app.ts'
import type { Env } from './env.ts'
import { served } from './family/serving.ts'
import { tick } from './tick.ts'

export { Clock } from './clock.ts'
export { Courier } from './delivery/courier.ts'
export { HostLink } from './hosts/host-link.ts'

export default {
  fetch: (request, env, context) => served(request, env, context, (asked) => app.fetch(asked, env, context)),
  scheduled: (_event, env) => tick(env),
} satisfies ExportedHandler<Env>
