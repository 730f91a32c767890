// The OpenAPI 3.1 document of the whole API, assembled from its chapters.

import { chapters } from '@msgnet/shared/api/api.ts'
import type { Chapter, Route } from '@msgnet/shared/api/route-declaration.ts'
import { CONTRACT_VERSION } from '@msgnet/shared/contract/contract-version.ts'
import { ErrorObject } from '@msgnet/shared/contract/responses/error-response.ts'
import { buildDeliverySection, deliveries } from './delivery-section.ts'
import {
  buildFaultExamples,
  buildSharedResponses,
  buildUnmatchedResponses,
  listFaults,
} from './fault-responses.ts'
import { headers, parameters, securitySchemes } from './header-objects.ts'
import { listNamedSchemas } from './json-schemas.ts'
import { buildOperationObject, type Operation } from './operation-object.ts'

export interface Entry extends Pick<Route, 'method' | 'path'> {
  chapter: Chapter
  /** Its method and path, as people write it. */
  route: string
  operation: Operation
}

/** Every operation in reading order. */
export const entries: Entry[] = chapters.flatMap((chapter) =>
  Object.entries(chapter.routes).map(([id, route]) => {
    const { method, path } = route
    return { chapter, route: `${method} ${path}`, method, path, operation: { ...route, id } }
  }),
)

const description = `One HTTP/JSON API for many linked devices of a messaging network.

The admin creates instances with the \`admintoken\` header. Beside the token of the environment there may be other admin tokens, each with a scope (\`read\`, \`operate\`, \`admin\`). If the scope is too low, the response is 403 \`not_admin\` and names the required scope. All requests to an instance use its own \`token\` header. In its place an admin token of scope \`operate\` beside the header \`instance: {id}\` acts for that instance; the audit log records what it changes and each answer with texts of messages. \`token\` and \`instance\` together are 401 \`unauthorized\`. No header has a substitute: no bearer header, no query parameter.

An optional field of a body may be absent, \`null\` or, if it is a text, empty: all have the same meaning. No text may contain half of a surrogate pair. A query must name each field once only; otherwise the response is 400 \`invalid_query\`.

Every response has \`X-Request-Id\` and \`X-Content-Type-Options: nosniff\`; responses that contain a token have \`Cache-Control: no-store\`. Every error is an Error object whose \`error\` is for programs. An unknown path is 404 \`not_found\`; another method is 405 \`method_not_allowed\` with \`Allow\`. A request is checked in one order: route, method, credential, body, idempotency, the named objects, session.

With an \`Idempotency-Key\` one request has one effect: the same key, path and bytes get the same response as before, with \`Idempotency-Replayed: true\`.`

export function buildOpenapiDocument() {
  const faults = entries.flatMap(({ operation }) => listFaults(operation))
  return {
    openapi: '3.1.1',
    info: {
      title: 'msgnet gateway',
      version: CONTRACT_VERSION,
      summary: 'Instances of a messaging network over HTTP',
      description,
    },
    servers: [{ url: '/', description: 'The server that this document comes from.' }],
    tags: [
      ...chapters.map(({ title, description }) => ({ name: title, description })),
      { name: 'Deliveries', description: 'The gateway posts these requests to webhooks.' },
    ],
    security: [],
    paths: buildPaths(),
    webhooks: buildDeliverySection(),
    components: {
      schemas: listNamedSchemas(listBodySchemas(), listResponseSchemas()),
      responses: {
        ...buildSharedResponses(entries.map(({ operation }) => operation)),
        ...buildUnmatchedResponses(),
      },
      examples: buildFaultExamples([...faults, 'not_found', 'method_not_allowed']),
      headers,
      parameters,
      securitySchemes,
    },
  }
}

export type OpenapiDocument = ReturnType<typeof buildOpenapiDocument>

function buildPaths(): Record<string, Record<string, ReturnType<typeof buildOperationObject>>> {
  const paths: ReturnType<typeof buildPaths> = {}
  for (const { chapter, method, path, operation } of entries) {
    const object = buildOperationObject(chapter.title, operation)
    paths[path] = { ...paths[path], [method.toLowerCase()]: object }
  }
  return paths
}

const listBodySchemas = () => entries.flatMap(({ operation: { body } }) => body?.schema ?? [])

const listResponseSchemas = () => [
  ...entries.flatMap(({ operation: { response, otherResponses = [] } }) =>
    [response, ...otherResponses].flatMap(({ schema }) => schema ?? []),
  ),
  ...Object.values(deliveries).map(({ envelope }) => envelope),
  ErrorObject,
]
