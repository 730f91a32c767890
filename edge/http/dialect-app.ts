// Serves the routes of a dialect by the steps that those of the contract have: credential, limits, body. What they do, they do by calling the contract.

import type { RequestBody, Route } from '@msgnet/shared/api/route-declaration.ts'
import type { Scope } from '@msgnet/shared/contract/admin-scope.ts'
import { type ErrorBody, Fault } from '@msgnet/shared/fault-table.ts'
import type { Context, Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import * as z from 'zod'
import { log } from '../observability/edge-log.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import type { Env } from '../settings/env.ts'
import { ContractRefusal, type DialectContext } from './call-contract.ts'
import { applyCors } from './cors.ts'
import { type DialectInfo, type DocumentedRoute, serveDocument } from './dialect-document.ts'
import { drainRest } from './drain-rest.ts'
import { toFault } from './fault-response.ts'
import { observeRequest } from './observe-requests.ts'
import { rejectDotSegments } from './request-target.ts'
import { createRoutedApp } from './router.ts'
import { serveRoute } from './serve-route.ts'

/** What a handler gets: its parameters by name, and the body, of which nothing was checked but that it is an object. */
export interface DialectInput {
  params: Record<string, string>
  query: Record<string, string>
  body: Record<string, unknown>
}

export interface DialectRoute extends DocumentedRoute {
  auth: Extract<Route['auth'], 'admin' | 'instance' | 'none'>
  /** An instance's route that an admin token of this scope may call too. */
  adminScope?: Scope
  /** What a scoped token needs where the handler does more than its calls. */
  tokenScope?: Route['tokenScope']
  /** Of the body, where it differs: its size, the fields that may hold files, and whether it may be a form. */
  body?: Pick<RequestBody, 'maxBytes' | 'fileFields' | 'form'>
  /** Returns the value of the response, or a whole response. */
  handle(c: Context<EdgeEnv>, input: DialectInput): unknown
}

/** An error as the contract has it. */
export interface Refused {
  status: number
  body: ErrorBody
  retryAfter: string | null
}

/** With the words of the dialect. */
export const respondRefusal = (status: number, body: object, retryAfter: string | null): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...(retryAfter && { 'retry-after': retryAfter }) },
  })

const anyObject = z.record(z.string(), z.unknown())

/** `refuse`: writes an error in the form of the dialect. `info`: for its document. */
export function createDialectApp(
  routes: readonly DialectRoute[],
  refuse: (refused: Refused, c: Context<EdgeEnv>) => Response,
  info: DialectInfo,
): Hono<EdgeEnv> {
  const app = createRoutedApp()
  app.use(observeRequest)
  app.use(applyCors)
  app.use(drainRest)
  app.use(rejectUnidentified)
  app.use(rejectDotSegments)
  app.use(markReplay)
  app.notFound((c) => refuse(toRefused(new Fault('not_found'), c), c))
  app.onError((error, c) => refuse(toRefused(error, c), c))
  const respondDocument = serveDocument(routes, info)
  const document: DialectRoute = {
    method: 'GET',
    path: '/openapi.json',
    auth: 'none',
    handle: (c) => respondDocument(c),
  }
  for (const route of [document, ...routes])
    serveRoute(app, route.path, declareRoute(route), (c) =>
      route.handle(c, {
        params: c.req.param() as Record<string, string>,
        query: c.req.query(),
        body: (c.get('body') ?? {}) as Record<string, unknown>,
      }),
    )
  return app
}

/** Returns the request with its credential where the contract has it. */
export type Identify = (env: Env, request: Request) => Promise<Request>

/** Serves the request as its caller is identified. That reads the database, and what it throws is refused by the app, as every other error. */
export async function serveIdentified(
  app: Hono<EdgeEnv>,
  request: Request,
  env: Env,
  context: DialectContext,
  identify: Identify,
): Promise<Response> {
  let identified = request
  let failure: unknown
  try {
    identified = await identify(env, request)
  } catch (error) {
    failure = error
  }
  const ownContext: DialectContext = { ...context, failure }
  return app.fetch(identified, env, ownContext)
}

const rejectUnidentified = createMiddleware<EdgeEnv>((c, next) => {
  const { failure } = c.executionCtx as DialectContext
  if (failure !== undefined) throw failure
  return next()
})

/** As the contract's routes do, refusals included. */
const markReplay = createMiddleware<EdgeEnv>(async (c, next) => {
  await next()
  if (c.get('isReplayed')) c.res.headers.set('idempotency-replayed', 'true')
})

/** It has no effect of its own: what the contract's routes do for it is in the audit log as their own. */
const declareRoute = ({
  method,
  path,
  auth,
  adminScope,
  tokenScope = 'read',
  body,
  rawBody,
}: DialectRoute): Route => ({
  method,
  path,
  auth,
  ...(adminScope && { adminScope }),
  // A scoped token is judged by the routes of the contract that are called.
  tokenScope,
  chats: 'none',
  summary: path,
  effect: 'reads',
  response: { description: path },
  uncompressed: true,
  ...(rawBody
    ? { rawBody }
    : { body: { schema: anyObject, optional: true, checkedByHandler: true, samples: {}, ...body } }),
})

function toRefused(error: unknown, c: Context<EdgeEnv>): Refused {
  if (error instanceof ContractRefusal) return error
  const fault = toFault(error)
  if (!(error instanceof Fault)) {
    const { requestId } = c.var
    log(c.env, 'error', 'failed to serve request', { requestId, fault: fault.fault, error })
  }
  const { status, body, retryAfter } = fault
  return { status, body, retryAfter: retryAfter === undefined ? null : String(retryAfter) }
}
