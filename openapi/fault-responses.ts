// Finds the faults that an operation can answer, and makes their responses: one for each status, with all its codes.

import type { Route } from '../shared/api/route-declaration.ts'
import { Fault, type FaultName } from '../shared/fault-table.ts'
import type { JsonSchema } from './json-schemas.ts'

/** The declared faults, and those that follow from the credential, the path, the body and the key. */
export function listFaults({ method, auth, names, rawBody, idempotent, faults = [] }: Route): FaultName[] {
  const set = new Set<FaultName>(faults)
  const add = (...more: FaultName[]) => {
    for (const fault of more) set.add(fault)
  }
  if (auth !== 'none') add('unauthorized', 'invalid_query', 'storage_unavailable')
  if (auth === 'admin' || auth === 'instance') add('quota_reached')
  if (names === 'instance' || auth === 'instance') add('invalid_id', 'instance_not_found')
  if (auth === 'admin' || auth === 'instance') add('scope_insufficient')
  if (names === 'host') add('invalid_id', 'host_not_found')
  if (names === 'token') add('invalid_id', 'token_not_found')
  if (names === 'event') add('invalid_id', 'event_not_found')
  // Routes that need no body still refuse one that is not an object.
  if (method !== 'GET' && !rawBody)
    add('invalid_json', 'invalid_body', 'body_too_large', 'unsupported_media_type')
  if (idempotent) add('invalid_idempotency_key', 'idempotency_mismatch', 'idempotency_in_progress')
  add('internal')
  return [...set]
}

const createFault = (fault: FaultName) => new Fault(fault)

export interface FaultResponse {
  description: string
  headers: Record<string, unknown>
  content: Record<string, { schema: JsonSchema; examples: Record<string, { $ref: string }> }>
}

/** By status. */
export function buildFaultResponses(faults: FaultName[]): Record<string, FaultResponse> {
  const byStatus = Map.groupBy(faults, (fault) => createFault(fault).status)
  return Object.fromEntries([...byStatus].map(([status, group]) => [status, buildFaultResponse(group)]))
}

function buildFaultResponse(group: FaultName[]): FaultResponse {
  const codes = [...new Set(group.map((fault) => createFault(fault).body.error))]
  const hasRetryAfter = group.some((fault) => createFault(fault).retryAfter !== undefined)
  return {
    description: codes.map((code) => `\`${code}\``).join(', '),
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
      ...(group.includes('outcome_unknown') && {
        'Preference-Applied': { $ref: '#/components/headers/Preference-Applied' },
      }),
      ...(hasRetryAfter && { 'Retry-After': { $ref: '#/components/headers/Retry-After' } }),
    },
    content: {
      'application/json': {
        schema: {
          allOf: [{ $ref: '#/components/schemas/Error' }, { properties: { error: { enum: codes } } }],
        },
        examples: Object.fromEntries(
          group.map((fault) => [fault, { $ref: `#/components/examples/${fault}` }]),
        ),
      },
    },
  }
}

/** Every fault of the API as an example. */
export const buildFaultExamples = (faults: Iterable<FaultName>) =>
  Object.fromEntries(
    [...new Set(faults)].map((fault) => [
      fault,
      { summary: createFault(fault).message, value: createFault(fault).body },
    ]),
  )

/** The responses of paths and methods that are not in the document. */
export const buildUnmatchedResponses = () => {
  const notAllowed = buildFaultResponse(['method_not_allowed'])
  notAllowed.headers.Allow = { $ref: '#/components/headers/Allow' }
  return { NoSuchRoute: buildFaultResponse(['not_found']), MethodNotAllowed: notAllowed }
}
