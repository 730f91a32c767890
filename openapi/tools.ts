// Makes tools of the Model Context Protocol, one for each declared route that takes JSON from programs.

import type { Route } from '../shared/api/route.ts'
import type { RouteTool } from '../shared/api/tool.ts'
import { entries } from './document.ts'
import type { Operation } from './operation-object.ts'
import { inlineSchema } from './schemas.ts'

export const routeTools = (): RouteTool[] =>
  entries
    .map(({ operation }) => operation)
    .filter(isTool)
    .map(toolOf)

type ToolRoute = Operation & { auth: 'admin' | 'instance' }

/** No files, no streams, and no routes for hosts or browsers only. */
const isTool = (route: Operation): route is ToolRoute =>
  (route.auth === 'admin' || route.auth === 'instance') &&
  (route.answer.type ?? 'application/json') === 'application/json'

function toolOf(route: ToolRoute): RouteTool {
  const { id, method, path, auth, summary, description, effect, idempotent, query, action } = route
  const reads = method === 'GET' || effect === 'reads'
  return {
    name: id,
    title: summary,
    description: [summary, description].filter(Boolean).join('\n\n'),
    inputSchema: inputOf(route),
    annotations: {
      readOnlyHint: reads,
      destructiveHint: (effect ?? (method === 'DELETE' ? 'destroys' : 'changes')) === 'destroys',
      idempotentHint: reads || idempotent !== undefined,
      openWorldHint: action !== undefined,
    },
    request: { method, path, auth, query: Object.keys(query?.shape ?? {}) },
  }
}

function inputOf({ body, query, names, idempotent }: Route): RouteTool['inputSchema'] {
  const { properties = {}, required = [], ...rest } = body ? inlineSchema(body.schema) : {}
  const asked = query ? inlineSchema(query) : {}
  return {
    ...rest,
    type: 'object',
    properties: {
      ...(names && { id: { type: 'string', description: `Which ${names}.` } }),
      ...properties,
      ...asked.properties,
      ...(idempotent && {
        idempotencyKey: { type: 'string', description: 'One key, one effect, however often it is called.' },
      }),
    },
    required: [...(names ? ['id'] : []), ...required, ...(asked.required ?? [])],
  }
}
