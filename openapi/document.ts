// The OpenAPI 3.1 document of the whole API, assembled from its chapters.

import { chapters } from '../shared/api/api.ts'
import type { Chapter, Route } from '../shared/api/route-declaration.ts'
import { CONTRACT_VERSION } from '../shared/contract/contract-version.ts'
import { buildDeliverySection } from './delivery-section.ts'
import { buildFaultExamples, buildUnmatchedResponses, listFaults } from './fault-responses.ts'
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

const description = `Many linked devices of a messaging network behind one HTTP/JSON API.

The admin makes instances with the \`admintoken\` header; beside the token of the environment there may be others, each with a scope (\`read\`, \`operate\`, \`admin\`), and where it does not suffice the answer is 403 \`not_admin\` that says which one is wanted; everything that an instance does is asked with its own \`token\` header. Neither has a substitute: no bearer header, no query parameter.

Of a body an optional field may be absent, \`null\` or, if it is a text, empty: the same. No text may hold half of a surrogate pair. A query names each field once, else it is 400 \`invalid_query\`.

Every answer carries \`X-Request-Id\`, and \`X-Content-Type-Options: nosniff\`; those that tell a token are \`Cache-Control: no-store\`. Every error is an Error object whose \`error\` is for programs. An unknown path is 404 \`not_found\`, another method 405 \`method_not_allowed\` with \`Allow\`. A request is judged in one order: route, method, credential, body, idempotency, what is named, session.

With an \`Idempotency-Key\` one request has one effect: the same key, path and bytes are answered with what was answered before, and \`Idempotency-Replayed: true\`.`

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
      { name: 'Deliveries', description: 'What is posted to webhooks.' },
    ],
    security: [],
    paths: buildPaths(),
    webhooks: buildDeliverySection(),
    components: {
      schemas: listNamedSchemas(),
      responses: buildUnmatchedResponses(),
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
