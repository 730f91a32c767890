// Serves a declared route: authentication, body, Idempotency-Key, path and query, and then the handler.

import type { Context, Hono, MiddlewareHandler } from 'hono'
import type { routes } from '../../shared/api/api.ts'
import type { BodyOf, QueryOf, Route, ValueOf } from '../../shared/api/route.ts'
import { scopeOf } from '../../shared/api/scope.ts'
import { SECOND } from '../../shared/clock.ts'
import type { EdgeEnv } from '../context.ts'
import { audited } from './audit.ts'
import {
  adminToken,
  hostToken,
  instanceOrAdminToken,
  instanceToken,
  namedInstance,
  type Prefetch,
} from './auth.ts'
import { bodyReader, readsBody } from './body.ts'
import { claimAtOnce, claimsAtOnce } from './claim-at-once.ts'
import { idempotent } from './idempotency.ts'
import { noStore } from './no-store.ts'
import { queryOf } from './query.ts'
import { refuseSpent } from './token-rates.ts'

/** Returns the value of its route, or a whole response. `given` is parsed by the schemas of the route. */
export type Handler<R> = ((
  c: Context<EdgeEnv>,
  given: { body: BodyOf<R>; query: QueryOf<R> },
) => Promise<ValueOf<R> | Response> | ValueOf<R> | Response) & {
  /** What the route will read anyway. It is read together with the caller, in one call to the database. */
  prefetch?: Prefetch
  /** Throws if the body is wrong in a way that its schema does not say. Runs before the key is taken. */
  judge?: (body: BodyOf<R>) => void
}
export type AnyHandler = ((
  c: Context<EdgeEnv>,
  // biome-ignore lint/suspicious/noExplicitAny: parsed by the schemas of its route.
  given: any,
) => unknown) &
  Pick<Handler<Route>, 'prefetch'> & {
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    judge?: (body: any) => void
  }

type Routes = typeof routes
/** One handler for each route that does not pass on an action. */
export type Handlers = {
  [Id in keyof Routes as Routes[Id] extends { action: string } ? never : Id]: Handler<Routes[Id]>
}

type Step = MiddlewareHandler<EdgeEnv>

export function serve(app: Hono<EdgeEnv>, route: Route, handle: AnyHandler): void {
  const read = bodyReader(route.body)
  const steps: Step[] = [
    ...(route.audit ? [audited(route.audit)] : []),
    ...(route.rate ? [refuseSpent(route.rate)] : []),
    ...(claimsAtOnce(route) ? [claimAtOnce(route, read, handle.judge)] : []),
    ...credentialOf(route, handle),
    ...(route.holdsToken ? [noStore] : []),
    ...(route.method === 'GET' || route.rawBody ? [] : [readsBody(read)]),
    ...(route.names === 'instance' ? [namedInstance] : []),
    ...(route.idempotent === undefined ? [] : [idempotent({ keepFor: route.idempotent * SECOND })]),
  ]
  app.on([route.method], [route.path.replace(/\{(\w+)\}/g, ':$1')], ...steps, async (c) => {
    const answer = await handle(c, { body: c.get('body'), query: queryOf(c, route) })
    return answer instanceof Response ? answer : c.json(answer as object)
  })
}

function credentialOf(route: Route, { prefetch }: AnyHandler): Step[] {
  switch (route.auth) {
    case 'admin':
      return [adminToken(scopeOf(route), route.names === 'instance')]
    case 'instance':
      return [route.adminScope ? instanceOrAdminToken(prefetch, route.adminScope) : instanceToken(prefetch)]
    case 'host':
      return [hostToken]
    case 'none':
      return []
  }
}
