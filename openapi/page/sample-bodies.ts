// What the samples of an operation are made from: its bodies, and the shape of its requests.

import { type Entry, entries } from '../document.ts'
import { type JsonSchema, toJsonSchema } from '../json-schemas.ts'
import type { RequestShape } from '../samples/sample-request.ts'

/** An earlier operation that differs by its path only: what the admin does by id, an instance does with its token. */
export function findTwin({ operation: { id, summary, response } }: Entry): Entry | undefined {
  const same = entries.filter((one) => one.operation.summary === summary)
  const [first] = same.filter((one) => one.operation.response.schema === response.schema)
  return first?.operation.id === id ? undefined : first
}

/** By name; one without a name if the operation takes no body. Routes for our own hosts have none, and a twin has the first. */
export function listSampleBodies(entry: Entry): { name: string; body: unknown }[] {
  const { operation } = entry
  if (operation.auth === 'host') return []
  const samples = Object.entries(operation.body?.samples ?? { '': undefined })
  return samples.slice(0, findTwin(entry) && 1).map(([name, body]) => ({ name, body }))
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
