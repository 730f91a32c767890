// Additional or different routes for clients of uazapi. Each passes the same checks as the route that it replaces.

import { routes } from '@msgnet/shared/api/api.ts'
import type { Route } from '@msgnet/shared/api/route-declaration.ts'
import { InitRequest } from '@msgnet/shared/contract/instance-requests.ts'
import type { GroupRecord } from '@msgnet/shared/contract/responses/group-responses.ts'
import * as z from 'zod'
import { applyCors } from '../http/cors.ts'
import { drainRest } from '../http/drain-rest.ts'
import { createFaultResponse } from '../http/fault-response.ts'
import { observeRequest } from '../http/observe-requests.ts'
import { rejectDotSegments } from '../http/request-target.ts'
import { createRoutedApp, refuseMethods } from '../http/router.ts'
import { type AnyHandler, serveRoute } from '../http/serve-route.ts'
import { instanceHandlers } from '../routes/instance-routes.ts'
import { adminFields, creationFields } from './instance-fields.ts'
import { GroupListRequest } from './paged-groups.ts'
import * as handlers from './uazapi-handlers.ts'
import { toUazapiSpelling } from './uazapi-spelling.ts'
import * as webhooks from './uazapi-webhooks.ts'

interface UazapiRoute {
  /** Of the route of the contract that it stands for. */
  name: string
  route: Route
  handle: AnyHandler
}

/** Additional routes, which do not contradict the contract. */
const additionalRoutes: UazapiRoute[] = [
  {
    name: 'streamEvents',
    // Its clients name their token there, and what to leave out.
    route: { ...routes.streamEvents, path: '/sse', onlyKnownQuery: false },
    handle: handlers.streamEvents,
  },
  {
    name: 'getLimits',
    route: {
      ...routes.getLimits,
      path: '/instance/wa_messages_limits',
      response: { description: 'Limits.' },
    },
    handle: handlers.getMessageLimits,
  },
  {
    name: 'getInviteLink',
    route: {
      method: 'GET',
      path: '/group/invitelink/{groupjid}',
      auth: 'instance',
      summary: 'The invitation',
      response: { description: 'The link.' },
    },
    handle: handlers.getInviteLink,
  },
]

const createInstance = {
  ...routes.createInstance,
  body: { ...routes.createInstance.body, schema: InitRequest.extend(creationFields) },
}

/** Routes that replace those of the contract, and those that only make sense beside them. */
const replacedRoutes: UazapiRoute[] = [
  { name: 'createInstance', route: createInstance, handle: instanceHandlers.createInstance },
  {
    name: 'createInstance',
    route: { ...createInstance, path: '/instance/create' },
    handle: instanceHandlers.createInstance,
  },
  {
    name: 'renameInstance',
    route: {
      method: 'POST',
      path: '/instance/updateAdminFields',
      auth: 'admin',
      audit: 'instance.rename',
      summary: 'Changes the texts that programs keep with an instance',
      body: { schema: z.object({ id: z.string(), ...adminFields }), samples: {} },
      response: { description: 'The instance.' },
    },
    handle: handlers.updateAdminFields,
  },
  { name: 'getWebhook', route: routes.getWebhook, handle: webhooks.getWebhook },
  { name: 'configureWebhook', route: routes.configureWebhook, handle: webhooks.configureWebhook },
  { name: 'listDeliveryFailures', route: routes.listDeliveryFailures, handle: webhooks.listFailedDeliveries },
  {
    name: 'getServerWebhook',
    route: { ...routes.getServerWebhook, path: '/globalwebhook' },
    handle: handlers.getServerWebhook,
  },
  {
    name: 'configureServerWebhook',
    route: { ...routes.configureServerWebhook, path: '/globalwebhook' },
    handle: handlers.configureServerWebhook,
  },
  {
    name: 'listInstances',
    route: { ...routes.listInstances, holdsToken: true },
    handle: handlers.listInstances,
  },
  { name: 'listGroups', route: routes.listGroups, handle: handlers.listAllGroups },
  { name: 'listContacts', route: routes.listContacts, handle: handlers.listContacts },
]

/** It is sent page by page, so its handler converts it. */
const createGroupPages = (convert: (group: GroupRecord) => unknown): UazapiRoute => ({
  name: 'listGroups',
  route: {
    ...routes.listGroups,
    method: 'POST',
    path: '/group/list',
    query: z.object({}),
    response: { description: 'A page.' },
    body: { schema: GroupListRequest, optional: true, samples: {} },
  },
  handle: handlers.createGroupLister(convert),
})

/** Of these the contract has some methods, and refuses the others. */
const sharedPaths = new Set<string>(Object.values(routes).map(({ path }) => path))

function createApp(uazapiRoutes: UazapiRoute[]) {
  const app = createRoutedApp()
  app.use(observeRequest)
  app.use(applyCors)
  app.use(drainRest)
  app.use(rejectDotSegments)
  app.use(refuseMethods(app))
  app.onError(createFaultResponse)
  for (const { name, route, handle } of uazapiRoutes) serveRoute(app, name, route, handle)
  const patterns = uazapiRoutes.map(({ route: { method, path } }) => ({
    method: sharedPaths.has(path) && method,
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
  }))
  /** Of its own paths it has every method, to refuse the wrong ones. */
  const hasRoute = (requestMethod: string, path: string) =>
    patterns.some(({ method, pattern }) => (!method || method === requestMethod) && pattern.test(path))
  return { app, hasRoute }
}

/** With routes that do not contradict the contract. */
export const tolerantApp = createApp([...additionalRoutes, createGroupPages((group) => group)])
/** With routes that replace those of the contract, too. */
export const uazapiApp = createApp([
  ...additionalRoutes,
  createGroupPages(toUazapiSpelling),
  ...replacedRoutes,
])

export type RouteApp = typeof uazapiApp
