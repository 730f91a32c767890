// Lets an admin token act for an instance on the routes of its token, and records each use that changes something or shows texts of messages.

import type { MiddlewareHandler } from 'hono'
import { createMiddleware } from 'hono/factory'
import { getEffect, type Route } from '../../shared/api/route-declaration.ts'
import type { EdgeEnv } from '../request-context.ts'
import { isActing, requireActingAdmin } from './auth.ts'
import { auditUse } from './record-audit.ts'

/** `asInstance`: the step for every other caller, which costs it one look for a header. */
export function allowActing(
  name: string,
  route: Route,
  asInstance: MiddlewareHandler<EdgeEnv>,
): MiddlewareHandler<EdgeEnv> {
  const act = createActingStep(name, route)
  return createMiddleware<EdgeEnv>((c, next) => (isActing(c) ? act(c, next) : asInstance(c, next)))
}

function createActingStep(name: string, route: Route): MiddlewareHandler<EdgeEnv> {
  const showsTexts = route.showsTexts === true
  const isHarmless = getEffect(route) === 'reads' && !showsTexts
  // A route with `audit` has its own step for that.
  if (route.audit || isHarmless) return requireActingAdmin
  const use = { action: `acting.${name}` as const, showsTexts }
  return createMiddleware<EdgeEnv>((c, next) => auditUse(c, use, () => requireActingAdmin(c, next)))
}
