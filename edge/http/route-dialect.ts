// A dialect that has routes of its own, which do what they do by calls of the contract.

import type { Context } from 'hono'
import type { Dialect, RequestForm } from '../dialect/dialect.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import type { Env } from '../settings/env.ts'
import type { DialectContext } from './call-contract.ts'
import {
  createDialectApp,
  type DialectRoute,
  type Identify,
  type Refused,
  serveIdentified,
} from './dialect-app.ts'
import type { DialectInfo } from './dialect-document.ts'

interface RoutedParts extends Pick<Dialect, 'name' | 'prefix' | 'format'> {
  routes: readonly DialectRoute[]
  /** For its document. */
  info: Omit<DialectInfo, 'prefix'>
  /** How the contract reads its calls. */
  form: RequestForm
  identify: Identify
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
      const ownContext: DialectContext = { ...context, serveContract, form }
      return serveIdentified(app, new Request(url, original), env, ownContext, identify)
    },
  }
}
