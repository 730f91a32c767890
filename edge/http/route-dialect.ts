// A dialect that has routes of its own, which do what they do by calls of the contract.

import type { Context } from 'hono'
import type { Dialect, RequestForm } from '../dialect/dialect.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import type { Env } from '../settings/env.ts'
import type { DialectContext } from './call-contract.ts'
import { createDialectApp, type DialectRoute, type Refused } from './dialect-app.ts'
import type { DialectInfo } from './dialect-document.ts'

interface RoutedParts extends Pick<Dialect, 'name' | 'prefix' | 'format'> {
  routes: readonly DialectRoute[]
  /** For its document. */
  info: Omit<DialectInfo, 'prefix'>
  /** How the contract reads its calls. */
  form: RequestForm
  /** Returns the request with its credential where the contract has it. */
  identify(env: Env, request: Request): Promise<Request>
  refuse(refused: Refused, c: Context<EdgeEnv>): Response
}

export function createRouteDialect(
  env: Env,
  { routes, info, form, identify, refuse, ...parts }: RoutedParts,
): Dialect {
  const app = createDialectApp(routes, refuse, { ...info, prefix: parts.prefix })
  return {
    ...parts,
    storesTokens: false,
    async serveBelow(original, context, serveContract) {
      const url = new URL(original.url)
      // Some programs write it at the end of each path.
      url.pathname = url.pathname.replace(/(?<=.)\/$/, '')
      const request = await identify(env, new Request(url, original))
      const ownContext: DialectContext = { ...context, serveContract, form }
      return app.fetch(request, env, ownContext)
    },
  }
}
