// What the client knows of each route when it runs. `npm run build:client` puts the table in the place of this file, so that
// no schema travels with the client.

import { routes as declared } from '../shared/api/api.ts'
import type { Route } from '../shared/api/route.ts'

export interface Way extends Pick<Route, 'method' | 'path' | 'auth' | 'names'> {
  takes?: 'body' | 'query'
  /** It must not happen twice: it goes under a key. */
  once?: true
}

const wayOf = ({ method, path, auth, names, body, query, idempotent }: Route): Way => ({
  ...{ method, path, auth },
  ...(names && { names }),
  ...(body && { takes: 'body' }),
  ...(query && { takes: 'query' }),
  ...(idempotent !== undefined && { once: true }),
})

export const routes: Record<string, Way> = Object.fromEntries(
  Object.entries<Route>(declared).map(([id, route]) => [id, wayOf(route)]),
)
