// What the samples of an operation are made from: its bodies, and the shape of its requests.

import type { Entry } from '../document.ts'
import { type JsonSchema, toJsonSchema } from '../json-schemas.ts'
import type { RequestShape } from '../samples/sample-request.ts'

/** By name; one without a name if the operation takes no body. Routes for our own hosts have none. */
export function listSampleBodies({ operation }: Entry): { name: string; body: unknown }[] {
  if (operation.auth === 'host') return []
  return Object.entries(operation.body?.samples ?? { '': undefined }).map(([name, body]) => ({ name, body }))
}

export function toRequestShape({ method, path, operation }: Entry): RequestShape {
  const { auth, idempotent, query, header, body, response } = operation
  const querySchema: JsonSchema = query ? toJsonSchema(query, 'input') : {}
  const headerSchema: JsonSchema = header ? toJsonSchema(header, 'input') : {}
  return {
    method,
    path,
    auth,
    keyed: idempotent !== undefined,
    query: Object.keys(querySchema.properties ?? {}),
    requiredQuery: querySchema.required ?? [],
    headers: Object.keys(headerSchema.properties ?? {}),
    bodyType: body?.type ?? 'application/json',
    responseKind: toResponseKind(response.type),
  }
}

function toResponseKind(type = 'application/json'): RequestShape['responseKind'] {
  if (type === 'application/json') return 'json'
  if (type === 'text/event-stream') return 'stream'
  return type.startsWith('text/') ? 'text' : 'bytes'
}
