// The table of routes that the client needs when it runs. `npm run build:client` replaces this file by the table, so that the
// package contains no schemas.

import { routes as declared } from '@msgnet/shared/api/api.ts'
import { getEffect, type Route } from '@msgnet/shared/api/route-declaration.ts'

export interface ClientRoute extends Pick<Route, 'method' | 'path' | 'auth'> {
  takes?: 'body' | 'query'
  /** It must not happen twice, so it is sent with a key. */
  once?: true
  /** It changes nothing, so that it can be repeated. */
  reads?: true
}

/** Routes for browsers, and those whose methods are written by hand. */
export const routesByHand = [
  'serveMedia',
  'putMessage',
  'streamEvents',
  'exportInstance',
  'importCredential',
  'importCredentialById',
  'getGreeting',
] as const

const toClientRoute = (route: Route): ClientRoute => ({
  method: route.method,
  path: route.path,
  auth: route.auth,
  ...(route.body && { takes: 'body' }),
  ...(route.query && { takes: 'query' }),
  ...(route.idempotent !== undefined && { once: true }),
  ...(getEffect(route) === 'reads' && { reads: true }),
})

export const routes: Record<string, ClientRoute> = Object.fromEntries(
  Object.entries<Route>(declared)
    .filter(([id]) => !(routesByHand as readonly string[]).includes(id))
    .map(([id, route]) => [id, toClientRoute(route)]),
)
