// Makes tools of the Model Context Protocol, one for each declared route that takes JSON from programs.

import { getEffect, type Route } from '../shared/api/route-declaration.ts'
import type { RouteTool } from '../shared/api/route-tool.ts'
import { entries } from './document.ts'
import { toInlineSchema } from './json-schemas.ts'
import type { Operation } from './operation-object.ts'

export const listRouteTools = (): RouteTool[] =>
  entries
    .map(({ operation }) => operation)
    .filter(isTool)
    .map(toTool)

type ToolRoute = Operation & { auth: 'admin' | 'instance' }

/** No files, no streams, and no routes for hosts or browsers only. */
const isTool = (route: Operation): route is ToolRoute =>
  (route.auth === 'admin' || route.auth === 'instance') &&
  (route.response.type ?? 'application/json') === 'application/json'

function toTool(route: ToolRoute): RouteTool {
  const { id, method, path, auth, summary, description, idempotent, query, action } = route
  const effect = getEffect(route)
  return {
    name: id,
    title: summary,
    description: [summary, description].filter(Boolean).join('\n\n'),
    inputSchema: toInputSchema(route),
    annotations: {
      readOnlyHint: effect === 'reads',
      destructiveHint: effect === 'destroys',
      idempotentHint: effect === 'reads' || idempotent !== undefined,
      openWorldHint: action !== undefined,
    },
    request: { method, path, auth, query: Object.keys(query?.shape ?? {}) },
  }
}

function toInputSchema({ body, query, names, namesWithin, idempotent }: Route): RouteTool['inputSchema'] {
  const { properties = {}, required = [], ...rest } = body ? toInlineSchema(body.schema) : {}
  const querySchema = query ? toInlineSchema(query) : {}
  return {
    ...rest,
    type: 'object',
    properties: {
      ...(names && { id: { type: 'string', description: `The id of the ${names}.` } }),
      ...(namesWithin && { linkId: { type: 'string', description: `The id of the ${namesWithin}.` } }),
      ...properties,
      ...querySchema.properties,
      ...(idempotent && {
        idempotencyKey: {
          type: 'string',
          description: 'Each key has one effect, however often the tool is called.',
        },
      }),
    },
    required: [
      ...(names ? ['id'] : []),
      ...(namesWithin ? ['linkId'] : []),
      ...required,
      ...(querySchema.required ?? []),
    ],
  }
}
