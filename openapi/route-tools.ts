// Makes tools of the Model Context Protocol from the declared routes of the sets, and the one that waits for a message.

import { getEffect, type Route } from '@msgnet/shared/api/route-declaration.ts'
import { type RouteTool, WAIT_TOOL } from '@msgnet/shared/api/route-tool.ts'
import { getRequiredScope } from '@msgnet/shared/contract/admin-scope.ts'
import { limits } from '@msgnet/shared/contract/limits.ts'
import { findToolSet, type ToolSet } from '@msgnet/shared/contract/tool-sets.ts'
import { entries } from './document.ts'
import type { Operation } from './operation-object.ts'
import { shortenInput, shortenOutput } from './tool-schemas.ts'

export const listRouteTools = (): RouteTool[] => [
  ...entries
    .map(({ operation }) => operation)
    .filter(isToolRoute)
    .flatMap((route) => {
      const set = findToolSet(route.id)
      return set ? [toTool(route, set)] : []
    }),
  waitTool,
]

type ToolRoute = Operation & { auth: 'admin' | 'instance' }

/** No files, no streams, and no routes for hosts or browsers only. */
const isToolRoute = <R extends Route>(route: R): route is R & { auth: 'admin' | 'instance' } =>
  (route.auth === 'admin' || route.auth === 'instance') &&
  (route.response.type ?? 'application/json') === 'application/json'

function toTool(route: ToolRoute, set: ToolSet): RouteTool {
  const { id, method, path, auth, summary, query, response } = route
  const outputSchema = response.schema && shortenOutput(response.schema)
  return {
    name: id,
    description: summary,
    inputSchema: shortenInput(route),
    ...(outputSchema && { outputSchema }),
    annotations: toAnnotations(route),
    set,
    request: {
      method,
      path,
      auth,
      scope: auth === 'admin' ? getRequiredScope(route) : (route.adminScope ?? 'operate'),
      query: Object.keys(query?.shape ?? {}),
      ...(auth === 'instance' && { tokenScope: route.tokenScope ?? 'own', chats: route.chats ?? 'all' }),
    },
  }
}

function toAnnotations(route: Route): RouteTool['annotations'] {
  const effect = getEffect(route)
  return effect === 'reads' ? { readOnlyHint: true } : { destructiveHint: effect === 'destroys' }
}

const waitTool: RouteTool = {
  name: WAIT_TOOL,
  description:
    'Waits until a message comes in. Give afterSeq of the last result, and nothing is missed between two calls',
  inputSchema: {
    type: 'object',
    properties: {
      number: { type: 'string', description: 'Only this person or group' },
      afterSeq: { type: 'integer' },
      seconds: { type: 'integer', maximum: limits.maxMessageWaitSeconds },
    },
  },
  outputSchema: {
    type: 'object',
    properties: { messages: { type: 'array' }, afterSeq: { type: 'integer' } },
  },
  annotations: { readOnlyHint: true },
  set: 'chat',
  request: {
    method: 'GET',
    path: '/v1/events/stream',
    auth: 'instance',
    scope: 'operate',
    query: [],
    tokenScope: 'read',
    chats: 'listed',
  },
}
