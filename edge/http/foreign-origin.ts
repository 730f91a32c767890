// Refuses pages of other origins, for routes that a page in a browser could be made to call.

import { Fault } from '@msgnet/shared/fault-table.ts'
import { isLoopback } from '@msgnet/shared/loopback.ts'
import { createMiddleware } from 'hono/factory'
import type { EdgeEnv } from '../request/request-context.ts'
import { type Env, readPublicOrigin } from '../settings/env.ts'

/** Programs send no Origin and are served. */
export const rejectForeignOrigin = createMiddleware<EdgeEnv>(async (c, next) => {
  const origin = c.req.header('origin')
  if (origin !== undefined && !isKnownOrigin(c.env, new URL(c.req.url), origin))
    throw new Fault('foreign_origin')
  await next()
})

function isKnownOrigin(env: Env, requested: URL, origin: string): boolean {
  const allowed = env.CORS_ORIGINS?.split(',') ?? []
  const own = [readPublicOrigin(env), URL.parse(env.LISTENS_AT ?? '')?.origin]
  if (allowed.includes('*') || [...allowed, ...own].includes(origin)) return true
  // Any name can resolve to this machine, so only a name that always means it shows that page and gateway are the same.
  return isLoopback(requested.host) && origin === requested.origin
}
