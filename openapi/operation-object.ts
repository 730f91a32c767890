// Makes the OpenAPI object of one operation.

import type * as z from 'zod'
import type { Answer, RequestBody, Route } from '../shared/api/route.ts'
import { scopeOf } from '../shared/api/scope.ts'
import { faultResponses, faultsOf } from './faults.ts'
import { recordedSamples } from './samples/recorded.ts'
import { jsonSchema } from './schemas.ts'

/** A route with its name. */
export interface Operation extends Route {
  id: string
}

/** With recorded samples of a real gateway, if there are any. */
export const answersOf = ({ id, answer, otherAnswers = [] }: Operation): Answer[] =>
  [answer, ...otherAnswers].map((one) => {
    const samples = recordedSamples(id, one.status ?? 200) ?? one.samples
    return { ...one, ...(samples && { samples }) }
  })

export function operationObject(tag: string, operation: Operation) {
  const { id, summary, body } = operation
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...described(operation),
    security: securityOf(operation),
    parameters: parametersOf(operation),
    ...(body && { requestBody: requestBody(body) }),
    responses: {
      ...Object.fromEntries(
        answersOf(operation).map((answer) => [answer.status ?? 200, response(answer, operation)]),
      ),
      ...faultResponses(faultsOf(operation)),
    },
  }
}

const securityOf = ({ auth, adminScope, ...operation }: Operation): object[] => {
  if (auth === 'none') return []
  const own = { [auth]: auth === 'admin' ? [scopeOf(operation)] : [] }
  return adminScope ? [own, { admin: [adminScope] }] : [own]
}

function described(operation: Operation): { description?: string } {
  const { idempotent: seconds } = operation
  const { unsupported = [] } = operation.body ?? {}
  const refused =
    unsupported.length > 0 &&
    `Not supported, and refused by name: ${unsupported.map((name) => `\`${name}\``).join(', ')}.`
  const kept =
    seconds &&
    `An Idempotency-Key is kept for ${seconds >= 3600 ? `${seconds / 3600} hours` : `${seconds} seconds`}.`
  const wanted = operation.auth === 'admin' && `Wants an admin token of scope \`${scopeOf(operation)}\`.`
  const logged = operation.audit && `In the audit log as \`${operation.audit}\`.`
  const description = [operation.description, refused, kept, wanted, logged].filter(Boolean).join(' ')
  return description ? { description } : {}
}

const shared = (name: string) => ({ $ref: `#/components/parameters/${name}` })

/** It asks the network, which may not answer. */
const waits = ({ faults = [] }: Operation): boolean => faults.includes('outcome_unknown')

const idParameters = { instance: 'InstanceId', host: 'HostId', token: 'TokenId' } as const

const parametersOf = (operation: Operation): object[] => {
  const { names, query, header, idempotent } = operation
  return [
    ...(names ? [shared(idParameters[names])] : []),
    ...(query ? parametersIn('query', query) : []),
    ...(header ? parametersIn('header', header) : []),
    ...(idempotent ? [shared('IdempotencyKey')] : []),
    ...(waits(operation) ? [shared('Prefer')] : []),
    shared('RequestId'),
  ]
}

function parametersIn(place: 'query' | 'header', fields: z.ZodObject): object[] {
  const { properties = {} } = jsonSchema(fields, 'input')
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = property as { description?: string }
    return { in: place, name, ...(description && { description }), schema }
  })
}

const examplesOf = (examples: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(examples).map(([name, value]) => [name.replaceAll(' ', '_'), { summary: name, value }]),
  )

const requestBody = ({ schema, optional, samples }: RequestBody) => ({
  required: !optional,
  content: { 'application/json': { schema: jsonSchema(schema, 'input'), examples: examplesOf(samples) } },
})

const response = (
  { status = 200, description, schema, type = 'application/json', samples }: Answer,
  operation: Operation,
) => ({
  description,
  headers: {
    'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
    ...(operation.idempotent &&
      status < 300 && { 'Idempotency-Replayed': { $ref: '#/components/headers/Idempotency-Replayed' } }),
    ...(waits(operation) && { 'Preference-Applied': { $ref: '#/components/headers/Preference-Applied' } }),
  },
  ...(schema && {
    content: {
      [type]: { schema: jsonSchema(schema, 'output'), ...(samples && { examples: examplesOf(samples) }) },
    },
  }),
})
