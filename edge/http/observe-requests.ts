// Sets the headers that every response has, X-Request-Id among them; logs and measures each request.

import { limits } from '@msgnet/shared/contract/limits.ts'
import { beginTrace, parseTraceparent } from '@msgnet/shared/trace-context.ts'
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { routePath } from 'hono/route'
import { createCounter } from '../observability/counters.ts'
import { isLogged, log } from '../observability/edge-log.ts'
import { createObserver } from '../observability/histograms.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { countUnwanted } from './unwanted-requests.ts'
import { isUuid } from './uuid.ts'

/** Callers may send any other word, and each would be one more series of the metric. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

const VISIBLE_ASCII = /^[\x21-\x7e]+$/

/** The caller's own, if it is valid. */
export const chooseRequestId = (header: string): string =>
  header.length <= limits.maxRequestIdLength && VISIBLE_ASCII.test(header) ? header : crypto.randomUUID()

export const observeRequest = createMiddleware<EdgeEnv>(async (c, next) => {
  const id = chooseRequestId(c.req.header('x-request-id') ?? '')
  c.set('requestId', id)
  // An invalid header counts as absent.
  const trace = parseTraceparent(c.req.header('traceparent') ?? '') ?? beginTrace()
  c.set('trace', trace)
  const started = Date.now()
  await next()
  c.res.headers.set('x-request-id', id)
  c.res.headers.set('x-content-type-options', 'nosniff')
  const { status } = c.res
  const ms = Date.now() - started
  measureResponse(c.req.method, status, ms)
  const level = status >= 500 ? 'warn' : 'info'
  if (countUnwanted(c) || !isLogged(c.env, level)) return
  log(c.env, level, 'request', {
    requestId: id,
    trace: trace.id,
    method: c.req.method,
    path: formatLoggedPath(c),
    status,
    instance: c.get('instance')?.id,
    ms,
  })
})

/** By method and status. */
const measures = new Map<string, (ms: number) => void>()

function measureResponse(sent: string, status: number, ms: number): void {
  const method = METHODS.has(sent) ? sent : '_OTHER'
  const key = `${method} ${status}`
  const measure = measures.get(key) ?? createMeasure(method, String(status))
  measures.set(key, measure)
  measure(ms)
}

function createMeasure(method: string, status: string): (ms: number) => void {
  const countResponse = createCounter('edge_requests_total', { status })
  const observe = createObserver('http_server_request_duration_seconds', {
    http_request_method: method,
    http_response_status_code: status,
  })
  return (ms) => {
    countResponse()
    observe(ms)
  }
}

/** The path as its route declares it, with the ids that it names: anything else that a caller writes in their place can be a token. */
function formatLoggedPath(c: Context<EdgeEnv>): string {
  const segments = c.req.path.split('/')
  return routePath(c, -1)
    .split('/')
    .map((segment, at) => (segment.startsWith(':') && isUuid(segments[at] ?? '') ? segments[at] : segment))
    .join('/')
}
