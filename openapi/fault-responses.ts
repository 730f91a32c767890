// Finds the faults that an operation can answer, and makes their responses: one for each status, with all its codes.

import { networkFaults } from '@msgnet/shared/api/common-faults.ts'
import type { Named, Route } from '@msgnet/shared/api/route-declaration.ts'
import { Fault, type FaultName } from '@msgnet/shared/fault-table.ts'
import type { JsonSchema } from './json-schemas.ts'

interface FaultGroup {
  /** The routes that can answer them. */
  what: string
  applies(route: Route): boolean
  faults: FaultName[]
  /** A route that has them for reasons of its own shows them too. */
  isAside?: true
}

/** Faults that follow from what a route takes, whatever it does. */
const impliedFaults: FaultGroup[] = [
  {
    what: 'Every route with a token',
    applies: ({ auth }) => auth !== 'none',
    faults: ['unauthorized', 'invalid_query', 'storage_unavailable'],
  },
  {
    what: 'Every route with the token of an instance or an operator',
    applies: ({ auth }) => auth === 'admin' || auth === 'instance',
    faults: ['quota_reached', 'scope_insufficient'],
  },
  {
    // An admin token names the instance in a header.
    what: 'Every route of an instance',
    applies: ({ auth }) => auth === 'instance',
    faults: ['invalid_id', 'instance_not_found', 'token_scope'],
  },
  {
    // As if it were not there.
    what: 'Every route that names a chat or a message, for a scoped token that is not for it',
    applies: ({ auth, chats }) => auth === 'instance' && chats === 'named',
    faults: ['not_on_network', 'group_not_found', 'message_not_found'],
    isAside: true,
  },
  {
    // Routes that need no body still refuse one that is not an object.
    what: 'Every route but GET',
    applies: ({ method, rawBody, body }) => method !== 'GET' && !rawBody && body?.type === undefined,
    faults: ['invalid_json', 'invalid_body', 'body_too_large', 'unsupported_media_type'],
  },
  {
    what: 'Every route whose body is no JSON',
    applies: ({ body }) => body?.type !== undefined,
    faults: ['invalid_body', 'body_too_large', 'unsupported_media_type'],
  },
  {
    what: 'Every route that accepts an Idempotency-Key',
    applies: ({ idempotent }) => Boolean(idempotent),
    faults: ['invalid_idempotency_key', 'idempotency_mismatch', 'idempotency_in_progress'],
  },
  { what: 'Every route', applies: () => true, faults: ['internal'] },
]

/** Declared by every route for which the session asks the network, and described once. */
export const faultGroups: FaultGroup[] = [
  ...impliedFaults,
  {
    what: 'Every route that asks the network',
    applies: ({ faults = [] }) => networkFaults.every((fault) => faults.includes(fault)),
    faults: networkFaults,
  },
]

const namedFaults: Record<Named, FaultName[]> = {
  instance: ['invalid_id', 'instance_not_found'],
  host: ['invalid_id', 'host_not_found'],
  token: ['invalid_id', 'token_not_found'],
  event: ['invalid_id', 'event_not_found'],
  message: ['message_not_found'],
  webhook: ['invalid_id', 'webhook_not_found'],
}

const namedWithinFaults = {
  link: ['link_not_found'],
  scopedToken: ['invalid_id', 'token_not_found'],
} as const satisfies Record<NonNullable<Route['namesWithin']>, readonly FaultName[]>

/** The declared faults, and those of the id in its path. */
const listDeclaredFaults = ({ names, namesWithin, faults = [] }: Route): FaultName[] => [
  ...new Set<FaultName>([
    ...faults,
    ...(names ? namedFaults[names] : []),
    ...(namesWithin ? namedWithinFaults[namesWithin] : []),
  ]),
]

/** The faults that no group describes. */
export function listOwnFaults(route: Route): FaultName[] {
  const groups = faultGroups.filter(({ applies, isAside }) => !isAside && applies(route))
  return listDeclaredFaults(route).filter((fault) => !groups.some(({ faults }) => faults.includes(fault)))
}

/** All faults that an operation can answer. */
export function listFaults(route: Route): FaultName[] {
  const implied = impliedFaults.filter(({ applies }) => applies(route)).flatMap(({ faults }) => faults)
  return [...new Set([...listDeclaredFaults(route), ...implied])]
}

const createFault = (fault: FaultName) => new Fault(fault)

export interface FaultResponse {
  description: string
  /** The codes of this response, for programs that read the document. */
  'x-error-codes': string[]
  headers: Record<string, unknown>
  content: Record<string, { schema: JsonSchema; examples: Record<string, { $ref: string }> }>
}

/** By status. A status with one fault refers to the response that all such routes share. */
export function buildFaultResponses(faults: FaultName[]): Record<string, FaultResponse | { $ref: string }> {
  return Object.fromEntries(
    groupByStatus(faults).map(([status, group]) => {
      const [only] = group
      const isShared = only !== undefined && group.length === 1
      return [
        status,
        isShared ? { $ref: `#/components/responses/${formatResponseName(only)}` } : buildFaultResponse(group),
      ]
    }),
  )
}

/** The responses that several operations share, by their names in `components.responses`. */
export function buildSharedResponses(routes: Route[]): Record<string, FaultResponse> {
  const groups = routes.flatMap((route) => groupByStatus(listFaults(route)).map(([, group]) => group))
  const shared = new Set(groups.flatMap((group) => (group.length === 1 ? group : [])))
  return Object.fromEntries(
    [...shared].sort().map((fault) => [formatResponseName(fault), buildFaultResponse([fault])]),
  )
}

const groupByStatus = (faults: FaultName[]): [status: number, FaultName[]][] => [
  ...Map.groupBy(faults, (fault) => createFault(fault).status),
]

/** `not_connected` is `NotConnected`. */
const formatResponseName = (fault: FaultName): string =>
  fault.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

function buildFaultResponse(group: FaultName[]): FaultResponse {
  const codes = [...new Set(group.map((fault) => createFault(fault).body.error))]
  const hasRetryAfter = group.some((fault) => createFault(fault).retryAfter !== undefined)
  return {
    description: codes.map((code) => `\`${code}\``).join(', '),
    'x-error-codes': codes,
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
      ...(group.includes('outcome_unknown') && {
        'Preference-Applied': { $ref: '#/components/headers/Preference-Applied' },
      }),
      ...(hasRetryAfter && { 'Retry-After': { $ref: '#/components/headers/Retry-After' } }),
    },
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
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
