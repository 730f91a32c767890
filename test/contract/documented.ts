// Whether an answer is one that the document promises: its status, its type, its headers, its body to the last field, its code.

import { buildOpenapiDocument } from '@msgnet/openapi/document.ts'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

// biome-ignore lint/suspicious/noExplicitAny: the document is read as any reader of JSON does.
type Json = any

export const document: Json = JSON.parse(JSON.stringify(buildOpenapiDocument()))

/** Readers must bear new fields; we must not send one that is not written down. */
function closeSchema(schema: Json, part = false): Json {
  if (Array.isArray(schema)) return schema.map((each) => closeSchema(each))
  if (typeof schema !== 'object' || schema === null) return schema
  const inner = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === 'allOf' ? (value as Json[]).map((each) => closeSchema(each, true)) : closeSchema(value),
    ]),
  )
  const isObject = schema.type === 'object' && schema.properties && schema.additionalProperties === undefined
  return isObject && !part ? { ...inner, additionalProperties: false } : inner
}

const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default(ajv)
ajv.addSchema({ $id: 'api:', components: { schemas: closeSchema(document.components.schemas) } })

const compiled = new Map<unknown, ReturnType<typeof ajv.compile>>()

/** What is wrong with a value by a schema of the document; empty when nothing is. */
export function findFaults(schema: Json, value: unknown): string {
  let validate = compiled.get(schema)
  if (!validate) {
    const rooted = JSON.parse(
      JSON.stringify(closeSchema(schema)).replaceAll('"#/components', '"api:#/components'),
    )
    validate = ajv.compile(rooted)
    compiled.set(schema, validate)
  }
  return validate(value) ? '' : ajv.errorsText(validate.errors, { separator: '\n' })
}

export interface Seen {
  method: string
  /** With or without a query. */
  path: string
  status: number
  headers: Headers
  text: string
}

/** A response that stands in the operation, or the shared one that it refers to. */
export const resolveResponse = (response: Json): Json =>
  response?.$ref ? document.components.responses[response.$ref.split('/').at(-1)] : response

const routes = Object.entries<Json>(document.paths).map(([path, operations]) => ({
  form: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
  operations,
}))

/** Throws when the document does not promise this answer. */
export function expectDocumented(seen: Seen): void {
  const { method, status, headers, text } = seen
  const path = seen.path.split('?')[0] ?? ''
  const operations = routes.find(({ form }) => form.test(path))?.operations
  const operation = operations?.[method.toLowerCase()]
  const strays = document.components.responses
  const response = operation
    ? resolveResponse(operation.responses[status])
    : { 404: !operations && strays.NoSuchRoute, 405: operations && strays.MethodNotAllowed }[status]
  const failWith = (what: string): never => {
    throw new Error(`${method} ${path} answered ${status}, and ${what}: ${text.slice(0, 500)}`)
  }
  if (!response) failWith('the document does not know that')

  for (const [name, header] of Object.entries<Json>(response.headers ?? {})) {
    const { required, schema } = document.components.headers[header.$ref.split('/').at(-1)]
    const value = headers.get(name)
    if (value === null && required) failWith(`it has no ${name}`)
    if (value === null) continue
    const wrong = findFaults(schema, schema.type === 'integer' ? Number(value) : value)
    if (wrong) failWith(`its ${name} is wrong: ${wrong}`)
  }
  const [[type, content] = []] = Object.entries<Json>(response.content ?? {})
  if (!type) return
  const contentType = headers.get('content-type')?.split(';')[0]
  if (contentType !== type) failWith(`its type is ${contentType}`)
  const body = type === 'application/json' ? JSON.parse(text) : text
  const wrong = findFaults(content.schema, body)
  if (wrong) failWith(`its body is not as documented: ${wrong}`)
  const codes = response['x-error-codes'] ?? [body.error]
  if (!codes.includes(body.error)) failWith(`its code is none of ${codes}`)
}

/** Throws when the document does not know this envelope. */
export function expectDocumentedEnvelope(envelope: { EventType: string }): void {
  const delivery = document.webhooks[envelope.EventType]
  if (!delivery) throw new Error(`the document knows no event "${envelope.EventType}"`)
  const wrong = findFaults(delivery.post.requestBody.content['application/json'].schema, envelope)
  if (wrong) throw new Error(`the envelope is not as documented: ${wrong}`)
}
