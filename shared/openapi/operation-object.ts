// One operation as OpenAPI spells it.

import type * as z from 'zod'
import { faultResponses, faultsOf } from './faults.ts'
import type { Answer, Body, Operation, Route } from './operation.ts'
import { jsonSchema } from './schemas.ts'

export function operationObject(route: Route, tag: string, operation: Operation) {
  const { id, summary, who, body, answers } = operation
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...described(operation),
    security: who === 'anybody' ? [] : [{ [who]: [] }],
    parameters: parametersOf(operation),
    ...(body && { requestBody: requestBody(body) }),
    responses: {
      ...Object.fromEntries(answers.map((answer) => [answer.status, response(answer, operation)])),
      ...faultResponses(faultsOf(route, operation)),
    },
  }
}

function described({ says, replays }: Operation): { description?: string } {
  const kept =
    replays &&
    `An Idempotency-Key is kept for ${replays >= 3600 ? `${replays / 3600} hours` : `${replays} seconds`}.`
  const description = [says, kept].filter(Boolean).join(' ')
  return description ? { description } : {}
}

const shared = (name: string) => ({ $ref: `#/components/parameters/${name}` })

/** It asks the network, and may wait for it in vain. */
const waits = ({ faults = [] }: Operation): boolean => faults.includes('outcome_unknown')

const parametersOf = (operation: Operation): object[] => {
  const { named, query, header, replays } = operation
  return [
    ...(named ? [shared(named === 'instance' ? 'InstanceId' : 'HostId')] : []),
    ...(query ? parametersIn('query', query) : []),
    ...(header ? parametersIn('header', header) : []),
    ...(replays ? [shared('IdempotencyKey')] : []),
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

const requestBody = ({ schema, optional, examples }: Body) => ({
  required: !optional,
  content: { 'application/json': { schema: jsonSchema(schema, 'input'), examples: examplesOf(examples) } },
})

const response = (
  { status, says, schema, type = 'application/json', examples }: Answer,
  operation: Operation,
) => ({
  description: says,
  headers: {
    'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
    ...(operation.replays &&
      status < 300 && { 'Idempotency-Replayed': { $ref: '#/components/headers/Idempotency-Replayed' } }),
    ...(waits(operation) && { 'Preference-Applied': { $ref: '#/components/headers/Preference-Applied' } }),
  },
  ...(schema && {
    content: {
      [type]: { schema: jsonSchema(schema, 'output'), ...(examples && { examples: examplesOf(examples) }) },
    },
  }),
})
