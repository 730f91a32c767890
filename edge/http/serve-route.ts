// Serves a declared route: authentication, body, Idempotency-Key, path and query, and then the handler.

import { routes } from '@msgnet/shared/api/api.ts'
import type { BodyOf, QueryOf, Route, ValueOf } from '@msgnet/shared/api/route-declaration.ts'
import { getRequiredScope } from '@msgnet/shared/contract/admin-scope.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import type { Context, Hono, MiddlewareHandler } from 'hono'
import { createMiddleware } from 'hono/factory'
import { createIdempotencyStep } from '../request/idempotency-step.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { allowActing } from './act-for-instance.ts'
import { announceDeprecation } from './announce-deprecation.ts'
import {
  loadNamedInstance,
  type Prefetch,
  requireAdminToken,
  requireHostToken,
  requireInstanceOrAdminToken,
  requireInstanceToken,
} from './auth.ts'
import { compressResponse } from './compressed-response.ts'
import { answerConditionally } from './conditional-response.ts'
import { createFormReader } from './form-fields.ts'
import { endPageTurn, takePageTurn } from './page-turns.ts'
import { createBodyReader, createBodyStep, type ReadBody } from './parse-body.ts'
import { parseQuery } from './parse-query.ts'
import { createPassedBodyStep } from './passed-body.ts'
import { allowsQuickClaim, createQuickClaim } from './quick-claim.ts'
import { auditRoute } from './record-audit.ts'
import { rejectSpentRate } from './token-rates.ts'

/** Returns the value of its route, or a whole response. `input` is parsed by the schemas of the route. */
export type Handler<R> = ((
  c: Context<EdgeEnv>,
  input: { body: BodyOf<R>; query: QueryOf<R> },
) => Promise<ValueOf<R> | Response> | ValueOf<R> | Response) & {
  /** What the route will read anyway. It is read together with the caller, in one call to the database. */
  prefetch?: Prefetch
  /** Throws if the body is wrong in a way that its schema does not cover. Runs before the key is claimed. */
  validate?: (body: BodyOf<R>) => void
}
export type AnyHandler = ((
  c: Context<EdgeEnv>,
  // biome-ignore lint/suspicious/noExplicitAny: parsed by the schemas of its route.
  input: any,
) => unknown) &
  Pick<Handler<Route>, 'prefetch'> & {
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    validate?: (body: any) => void
  }

type Routes = typeof routes
/** One handler for each route that does not pass on an action. */
export type Handlers = {
  [Id in keyof Routes as Routes[Id] extends { action: string } ? never : Id]: Handler<Routes[Id]>
}

type Step = MiddlewareHandler<EdgeEnv>

/** `name`: of the route that it is in the API, or that it replaces. */
export function serveRoute(app: Hono<EdgeEnv>, name: string, route: Route, handle: AnyHandler): void {
  const readUsual = createBodyReader(route.body)
  const read = route.body?.form ? createFormReader(route.body.form, readUsual) : readUsual
  const steps: Step[] = [
    ...(route.deprecated ? [announceDeprecation(route.deprecated)] : []),
    ...(route.cost ? [endPageTurn] : []),
    ...(isCompressed(route) ? [compressResponse] : []),
    ...(route.conditional ? [answerConditionally] : []),
    ...(route.audit ? [auditRoute(route.audit)] : []),
    ...(route.rate ? [rejectSpentRate(route.rate)] : []),
    ...(allowsQuickClaim(route) ? [createQuickClaim(route, read, handle.validate)] : []),
    ...createCredentialSteps(name, route, handle),
    ...(route.cost ? [takePageTurn] : []),
    ...(route.holdsToken ? [forbidCaching] : []),
    ...createBodySteps(route, read),
    ...(route.names === 'instance' ? [loadNamedInstance] : []),
    ...(route.idempotent === undefined
      ? []
      : [createIdempotencyStep({ retentionMs: route.idempotent * SECOND })]),
  ]
  app.on([route.method], [toPattern(route.path)], ...steps, async (c) => {
    const result = await handle(c, { body: c.get('body'), query: parseQuery(c, route) })
    if (c.req.method === 'HEAD') return dropBody(c, result)
    return result instanceof Response ? result : writeJson(c, result)
  })
}

function createBodySteps({ method, rawBody, body }: Route, read: ReadBody): Step[] {
  if (method === 'GET' || rawBody) return []
  return [body?.type === undefined ? createBodyStep(read) : createPassedBodyStep(body)]
}

function writeJson(c: Context<EdgeEnv>, value: unknown): Response {
  const text = encodeJson(c, value)
  c.set('responseText', text)
  return c.body(text, 200, { 'content-type': 'application/json' })
}

function encodeJson(c: Context<EdgeEnv>, value: unknown): string {
  const text = JSON.stringify(value)
  const page = c.get('page')
  if (page) page.bytes = text.length
  return text
}

/** The response to HEAD, which the router serves as a GET: a body that nothing reads would be produced all the same, or never end. */
async function dropBody(c: Context<EdgeEnv>, result: unknown): Promise<Response> {
  // What is read for a page is the same work, so it costs its token the same.
  if (c.get('page') && !(result instanceof Response)) encodeJson(c, result)
  if (!(result instanceof Response)) return c.body(null, 200, { 'content-type': 'application/json' })
  await result.body?.cancel()
  return new Response(null, { status: result.status, headers: result.headers })
}

/** Streams go out as they come, hosts are near, and pages without a token are compressed once. */
const isCompressed = ({ method, auth, uncompressed, response }: Route): boolean =>
  method === 'GET' &&
  (auth === 'admin' || auth === 'instance') &&
  !uncompressed &&
  (response.type ?? 'application/json') === 'application/json'

/** An `{id}` is not what another route has in its place: `GET /v1/events/replay` is no event, but a method that is not allowed. */
function toPattern(path: string): string {
  const [before, after] = path.split('{id}')
  if (after === undefined) return nameParameters(path)
  const words = Object.values<Route>(routes)
    .filter((other) => other.path.startsWith(before ?? '') && other.path.endsWith(after))
    .map((other) => other.path.slice(before?.length, other.path.length - after.length))
    .filter((word) => /^\w+$/.test(word))
  const excluded = words.length > 0 ? `{(?!(?:${words.join('|')})$)[^/]+}` : ''
  return `${before}:id${excluded}${nameParameters(after)}`
}

const nameParameters = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1')

function createCredentialSteps(name: string, route: Route, { prefetch }: AnyHandler): Step[] {
  switch (route.auth) {
    case 'admin':
      return [requireAdminToken(getRequiredScope(route), { inPath: route.names })]
    case 'instance':
      return [
        allowActing(
          name,
          route,
          route.adminScope
            ? requireInstanceOrAdminToken(route, prefetch, {
                scope: route.adminScope,
                naming: route.adminNames,
              })
            : requireInstanceToken(route, prefetch),
        ),
      ]
    case 'host':
      return [requireHostToken]
    case 'none':
      return []
  }
}

/** Responses with a token must not be stored by any cache. */
const forbidCaching = createMiddleware<EdgeEnv>((c, next) => {
  c.header('cache-control', 'no-store')
  return next()
})
