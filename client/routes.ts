// The table of routes that the client needs when it runs. `npm run build:client` replaces this file by the table, so that the
// package contains no schemas.

import { routes as declared } from '../shared/api/api.ts'
import type { Route } from '../shared/api/route-declaration.ts'

export interface ClientRoute extends Pick<Route, 'method' | 'path' | 'auth'> {
  takes?: 'body' | 'query'
  /** It must not happen twice, so it is sent with a key. */
  once?: true
}

const toClientRoute = ({ method, path, auth, body, query, idempotent }: Route): ClientRoute => ({
  method,
  path,
  auth,
  ...(body && { takes: 'body' }),
  ...(query && { takes: 'query' }),
  ...(idempotent !== undefined && { once: true }),
})

export const routes: Record<string, ClientRoute> = Object.fromEntries(
  Object.entries<Route>(declared).map(([id, route]) => [id, toClientRoute(route)]),
)
