// Makes the OpenAPI object of one operation.

import type { Deprecation, RequestBody, Route, RouteResponse } from '@msgnet/shared/api/route-declaration.ts'
import { getRequiredScope } from '@msgnet/shared/contract/admin-scope.ts'
import type { ChatUse } from '@msgnet/shared/contract/scoped-token.ts'
import type * as z from 'zod'
import { buildFaultResponses, listFaults } from './fault-responses.ts'
import { toJsonSchema } from './json-schemas.ts'
import { listRecordedSamples } from './samples/recorded-samples.ts'

/** A route with its name. */
export interface Operation extends Route {
  id: string
}

/** With recorded samples of a real gateway, if there are any. */
export const listResponses = ({ id, response, otherResponses = [] }: Operation): RouteResponse[] =>
  [response, ...otherResponses].map((one) => {
    const samples = listRecordedSamples(id, one.status ?? 200) ?? one.samples
    return { ...one, ...(samples && { samples }) }
  })

export function buildOperationObject(tag: string, operation: Operation) {
  const { id, summary, body } = operation
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...describeOperation(operation),
    ...(operation.deprecated && { deprecated: true }),
    security: listSecurity(operation),
    parameters: listParameters(operation),
    ...(body && { requestBody: buildRequestBody(body) }),
    responses: {
      ...Object.fromEntries(
        listResponses(operation).map((response) => [
          response.status ?? 200,
          buildResponse(response, operation),
        ]),
      ),
      ...(operation.conditional && { 304: notModified }),
      ...buildFaultResponses(listFaults(operation)),
    },
  }
}

const listSecurity = ({ auth, adminScope, ...operation }: Operation): object[] => {
  if (auth === 'none') return []
  if (auth !== 'instance') return [{ [auth]: auth === 'admin' ? [getRequiredScope(operation)] : [] }]
  return [
    { instance: [] },
    { admin: ['operate'], actingFor: [] },
    ...(adminScope ? [{ admin: [adminScope] }] : []),
  ]
}

function describeOperation(operation: Operation): { description?: string } {
  const { idempotent: seconds } = operation
  const { unsupported = [] } = operation.body ?? {}
  const unsupportedNote =
    unsupported.length > 0 &&
    `These fields are not supported and are refused by name: ${unsupported.map((name) => `\`${name}\``).join(', ')}.`
  const retention = seconds && describeRetention(seconds)
  const requiredScope =
    operation.auth === 'admin' &&
    `This route requires an admin token of scope \`${getRequiredScope(operation)}\`.`
  const tokenNote = describeTokenScope(operation)
  const auditNote = operation.audit && `The audit log records it as \`${operation.audit}\`.`
  const ending = operation.deprecated && describeDeprecation(operation.deprecated)
  const description = [
    operation.description,
    ending,
    unsupportedNote,
    retention,
    requiredScope,
    tokenNote,
    auditNote,
  ]
    .filter(Boolean)
    .join(' ')
  return description ? { description } : {}
}

const describeDeprecation = ({ since, sunset }: Deprecation): string =>
  `Deprecated since ${since}${sunset ? `; it ends on ${sunset}` : ''}.`

const chatNotes: Record<ChatUse, string> = {
  none: '',
  named: 'one for some chats finds only them.',
  listed: 'one for some chats gets only them.',
  groups: 'one for some chats needs `groups` among them.',
  all: 'one for some chats is refused.',
}

/** What scoped tokens of an instance may do there. */
function describeTokenScope({ auth, tokenScope = 'own', chats = 'none' }: Operation): string {
  if (auth !== 'instance') return ''
  if (tokenScope === 'own') return 'Scoped tokens are refused.'
  return `A scoped token needs scope \`${tokenScope}\`${chatNotes[chats] ? `; ${chatNotes[chats]}` : '.'}`
}

const describeRetention = (seconds: number): string =>
  `An Idempotency-Key is stored for ${seconds >= 3600 ? `${seconds / 3600} hours` : `${seconds} seconds`}.`

const referenceParameter = (name: string) => ({ $ref: `#/components/parameters/${name}` })

/** It sends a request to the network, which may not respond. */
const mayTimeOut = ({ faults = [] }: Operation): boolean => faults.includes('outcome_unknown')

const idParameters = {
  instance: 'InstanceId',
  host: 'HostId',
  token: 'TokenId',
  event: 'EventId',
  message: 'MessageId',
  webhook: 'WebhookId',
} as const

const withinParameters = { link: 'LinkId', scopedToken: 'ScopedTokenId' } as const

const listParameters = (operation: Operation): object[] => {
  const { names, namesWithin, query, header, idempotent } = operation
  return [
    ...(names ? [referenceParameter(idParameters[names])] : []),
    ...(namesWithin ? [referenceParameter(withinParameters[namesWithin])] : []),
    ...(query ? toParameters('query', query) : []),
    ...(header ? toParameters('header', header) : []),
    ...(idempotent ? [referenceParameter('IdempotencyKey')] : []),
    ...(mayTimeOut(operation) ? [referenceParameter('Prefer')] : []),
    ...(operation.conditional ? [referenceParameter('IfNoneMatch')] : []),
    referenceParameter('RequestId'),
  ]
}

function toParameters(place: 'query' | 'header', fields: z.ZodObject): object[] {
  const { properties = {} } = toJsonSchema(fields, 'input')
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = property as { description?: string }
    return { in: place, name, ...(description && { description }), schema }
  })
}

export const toExamples = (examples: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(examples).map(([name, value]) => [name.replaceAll(' ', '_'), { summary: name, value }]),
  )

const requestIdHeader = { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } }
const tagHeader = { ETag: { $ref: '#/components/headers/ETag' } }

const notModified = {
  description: 'Nothing has changed since the response with this tag.',
  headers: { ...requestIdHeader, ...tagHeader },
}

const buildRequestBody = ({ schema, optional, samples, type = 'application/json' }: RequestBody) => ({
  required: !optional,
  content: { [type]: { schema: toJsonSchema(schema, 'input'), examples: toExamples(samples) } },
})

const buildResponse = (
  { status = 200, description, schema, type = 'application/json', samples }: RouteResponse,
  operation: Operation,
) => ({
  description,
  headers: {
    ...requestIdHeader,
    ...(operation.conditional && status === 200 && tagHeader),
    ...(operation.idempotent &&
      status < 300 && { 'Idempotency-Replayed': { $ref: '#/components/headers/Idempotency-Replayed' } }),
    ...(mayTimeOut(operation) && {
      'Preference-Applied': { $ref: '#/components/headers/Preference-Applied' },
    }),
  },
  ...(schema && {
    content: {
      [type]: { schema: toJsonSchema(schema, 'output'), ...(samples && { examples: toExamples(samples) }) },
    },
  }),
})
