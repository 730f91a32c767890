// Additional or different routes for clients of the API family. Each is checked like the route that it stands for.

import { Hono } from 'hono'
import * as z from 'zod'
import { routes } from '../../shared/api/api.ts'
import type { Route } from '../../shared/api/route.ts'
import type { EdgeEnv } from '../context.ts'
import { type Env, speaksFamily } from '../env.ts'
import { drained } from '../http/body.ts'
import { cors } from '../http/cors.ts'
import { faultResponse } from '../http/faults.ts'
import { requestId } from '../http/request-id.ts'
import { type AnyHandler, serve } from '../http/serve.ts'
import { GroupListRequest } from './groups.ts'
import * as handlers from './handlers.ts'

interface Theirs {
  route: Route
  handle: AnyHandler
}

/** Additional routes, which do not contradict the contract. */
const beside: Theirs[] = [
  { route: { ...routes.streamEvents, path: '/sse' }, handle: handlers.streamEvents },
  {
    route: {
      ...routes.listGroups,
      ...{ method: 'POST', path: '/group/list', query: z.object({}), answer: { description: 'A page.' } },
      body: { schema: GroupListRequest, optional: true, samples: {} },
    },
    handle: handlers.listGroups,
  },
  {
    route: {
      ...{ method: 'GET', path: '/group/invitelink/{groupjid}', auth: 'instance' },
      ...{ summary: 'The invitation', answer: { description: 'The link.' } },
    },
    handle: handlers.getInviteLink,
  },
]

/** Routes that replace ours. */
const instead: Theirs[] = [
  { route: routes.getWebhook, handle: handlers.getWebhook },
  { route: routes.configureWebhook, handle: handlers.configureWebhook },
  { route: routes.listDeliveryFailures, handle: handlers.listFailedDeliveries },
  { route: { ...routes.getServerWebhook, path: '/globalwebhook' }, handle: handlers.getServerWebhook },
  {
    route: { ...routes.configureServerWebhook, path: '/globalwebhook' },
    handle: handlers.configureServerWebhook,
  },
  { route: { ...routes.listInstances, holdsToken: true }, handle: handlers.listInstances },
]

function appOf(theirs: Theirs[]) {
  const app = new Hono<EdgeEnv>()
  app.use(requestId)
  app.use(cors)
  app.use(drained)
  app.onError(faultResponse)
  for (const { route, handle } of theirs) serve(app, route, handle)
  const forms = theirs.map(({ route: { method, path } }) => ({
    method,
    form: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
  }))
  const has = (asked: string, path: string) =>
    forms.some(({ method, form }) => method === asked && form.test(path))
  return { app, has }
}

const tolerated = appOf(beside)
const spoken = appOf([...beside, ...instead])

/** The app that serves this request instead of ours, if there is one. */
export function familyRoute(method: string, path: string, env: Env): Hono<EdgeEnv> | undefined {
  const { app, has } = speaksFamily(env) ? spoken : tolerated
  return has(method, path) ? app : undefined
}
