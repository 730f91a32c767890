// CORS: which other origins may call (`CORS_ORIGINS`), and which headers of a response they may read.

import { createMiddleware } from 'hono/factory'

const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers':
    'admintoken, instance, token, apikey, authorization, content-type, idempotency-key, if-none-match, x-request-id, traceparent, prefer, last-event-id, mcp-protocol-version',
  'access-control-max-age': '600',
}
const EXPOSED =
  'X-Request-Id, ETag, Retry-After, Idempotency-Replayed, Preference-Applied, Allow, Deprecation, Sunset, Link, WWW-Authenticate'

interface CorsEnv {
  CORS_ORIGINS: string | null | undefined
}

/** A preflight has no credential and no effect: the response comes before the route is looked up. */
export const applyCors = createMiddleware<{ Bindings: CorsEnv }>(async (c, next) => {
  const allowed = c.env.CORS_ORIGINS?.split(',') ?? []
  if (!allowed[0]) return next()
  const requested = c.req.header('origin') ?? ''
  const all = allowed.includes('*')
  const granted = all ? '*' : allowed.find((origin) => origin === requested)
  if (granted && requested && c.req.method === 'OPTIONS' && c.req.header('access-control-request-method'))
    c.res = new Response(null, { status: 204, headers: PREFLIGHT })
  else await next()
  const { headers } = c.res
  if (!all) headers.append('vary', 'Origin')
  if (!granted) return
  headers.set('access-control-allow-origin', granted)
  headers.set('access-control-expose-headers', EXPOSED)
})
