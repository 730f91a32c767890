// Lets an admin token act for an instance on the routes of its token, and records each use that changes something or shows texts of messages.

import { getEffect, type Route } from '@msgnet/shared/api/route-declaration.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import type { Context, MiddlewareHandler } from 'hono'
import { createMiddleware } from 'hono/factory'
import { adoptCaller } from '../request/inner-request.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { authenticateAdmin, loadInstance } from './auth.ts'
import { validateQuery } from './parse-query.ts'
import { auditUse } from './record-audit.ts'
import { isUuid } from './uuid.ts'

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
  const { showsTexts } = route
  const isHarmless = getEffect(route) === 'reads' && !showsTexts
  // A route with `audit` has its own step for that.
  if (route.audit || isHarmless) return requireActingAdmin
  const action = showsTexts ?? (`acting.${name}` as const)
  return createMiddleware<EdgeEnv>((c, next) => auditUse(c, action, () => requireActingAdmin(c, next)))
}

/** Whether the caller names the instance that it acts for with an admin token. */
const isActing = (c: Context<EdgeEnv>): boolean => c.req.header('instance') !== undefined

/** Both the token of an instance and the name of one: it is not clear which of them counts. */
export function rejectTwoCredentials(c: Context<EdgeEnv>): void {
  if (isActing(c) && c.req.header('token') !== undefined)
    throw new Fault('unauthorized', 'The headers token and instance exclude each other.')
}

/** Accepts an admin token of scope `operate` that acts for the instance in the header `instance`, instead of its own token. */
const requireActingAdmin = createMiddleware<EdgeEnv>(async (c, next) => {
  if (adoptCaller(c)) {
    validateQuery(c)
    return next()
  }
  const id = c.req.header('instance') ?? ''
  rejectTwoCredentials(c)
  const as = isUuid(id) ? id.toLowerCase() : ''
  const tokenHash = await authenticateAdmin(c, 'operate', id, as)
  await loadInstance(c, 'The header instance', id)
  validateQuery(c)
  c.set('tokenHash', tokenHash)
  await next()
})
