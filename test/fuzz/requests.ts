// Made-up requests for every route of the document, and some for none.

import fc from 'fast-check'
import { generateValues, junk, type Schema } from './values.ts'

interface Parameter {
  name: string
  in: string
  schema?: Schema
  $ref?: string
}

interface Operation {
  parameters?: Parameter[]
  requestBody?: {
    content: Record<
      string,
      { schema: Schema; example?: unknown; examples?: Record<string, { value: unknown }> }
    >
  }
}

export interface Document {
  paths: Record<string, Record<string, Operation>>
  components?: { schemas?: Record<string, Schema>; parameters?: Record<string, Parameter> }
}

export interface Request {
  method: string
  path: string
  headers: Record<string, string>
  body?: string
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'options', 'head']

export function generateRequests(
  document: Document,
  credentials: Record<string, string>[],
): fc.Arbitrary<Request> {
  const documented = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => generateRequestTo(document, path, method, operation, credentials)),
  )
  return fc.oneof(
    { weight: 15, arbitrary: fc.oneof(...documented) },
    { weight: 1, arbitrary: generateStrayRequest(document, credentials) },
  )
}

function generateRequestTo(
  document: Document,
  path: string,
  method: string,
  operation: Operation,
  credentials: Record<string, string>[],
) {
  const body = operation.requestBody
    ? generateBodies(document, operation.requestBody)
    : fc.option(bodiesOfNoRoute, { nil: undefined, freq: 8 })
  return fc
    .record({
      path: generatePaths(document, path, operation),
      headers: generateHeaders(limitHarm(method, path, credentials)),
      body,
    })
    .map(({ path, headers, body }) => buildRequest(method.toUpperCase(), path, headers, body))
}

/** An unknown path, or a known one with a method that it may not take. */
function generateStrayRequest(document: Document, credentials: Record<string, string>[]) {
  const path = fc.oneof(fc.constantFrom(...Object.keys(document.paths)), fc.webPath())
  const method = fc.constantFrom('PUT', 'PATCH', 'OPTIONS', 'POST', 'GET')
  return fc
    .record({
      path,
      method,
      headers: generateHeaders(limitHarm('delete', '/instance', credentials)),
      body: fc.option(bodiesOfNoRoute, { nil: undefined }),
    })
    .map(({ method, path, headers, body }) =>
      buildRequest(method, path.startsWith('/') ? path : `/${path}`, headers, body),
    )
}

/** Routes that end an instance are called without its token: the instance is still needed. */
const limitHarm = (method: string, path: string, credentials: Record<string, string>[]) =>
  method === 'delete' && path === '/instance' ? [{}, { token: 'mgi_none' }] : credentials

function buildRequest(
  method: string,
  path: string,
  headers: Record<string, string>,
  body: string | undefined,
): Request {
  const takesBody = body !== undefined && method !== 'GET' && method !== 'HEAD'
  return { method, path, headers, ...(takesBody && { body }) }
}

function generatePaths(
  document: Document,
  path: string,
  { parameters = [] }: Operation,
): fc.Arbitrary<string> {
  const known = parameters.map((each) =>
    each.$ref ? (document.components?.parameters?.[each.$ref.split('/').at(-1) ?? ''] as Parameter) : each,
  )
  const query = known.filter((each) => each.in === 'query')
  const values = fc.record(
    Object.fromEntries(
      query.map(({ name, schema = {} }) => [
        name,
        generateValues(schema, createLookup(document)).map(toText),
      ]),
    ),
    { requiredKeys: [] },
  )
  const id = fc.oneof(fc.uuid(), fc.webSegment())
  return fc.tuple(values, id).map(([query, id]) => {
    const search = new URLSearchParams(query as Record<string, string>).toString()
    return path.replace(/\{\w+\}/g, encodeURIComponent(id || '-')) + (search && `?${search}`)
  })
}

const toText = (value: unknown) =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed()

const createLookup =
  (document: Document) =>
  (ref: string): Schema =>
    document.components?.schemas?.[ref.split('/').at(-1) ?? ''] ?? {}

function generateBodies(
  document: Document,
  { content }: NonNullable<Operation['requestBody']>,
): fc.Arbitrary<string | undefined> {
  const { schema = {}, example, examples = {} } = Object.values(content)[0] ?? {}
  const shown = [example, ...Object.values(examples).map(({ value }) => value)].filter(
    (each) => each !== undefined,
  )
  return fc.oneof(
    {
      weight: 10,
      arbitrary: generateValues(schema, createLookup(document)).map((value) => JSON.stringify(value)),
    },
    ...(shown.length > 0
      ? [{ weight: 4, arbitrary: fc.constantFrom(...shown).map((value) => JSON.stringify(value)) }]
      : []),
    { weight: 2, arbitrary: bodiesOfNoRoute },
  )
}

const bodiesOfNoRoute: fc.Arbitrary<string> = fc.oneof(
  junk.map((value) => JSON.stringify(value) ?? ''),
  fc.string({ maxLength: 200 }),
  fc.integer({ min: 20, max: 3000 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  fc.integer({ min: 1, max: 300_000 }).map((size) => JSON.stringify({ name: 'x'.repeat(size) })),
  fc.constantFrom('', '{', 'null', '{"__proto__":{"admin":true}}', '{"name":"a","name":"b"}', '\ufeff{}'),
)

function generateHeaders(credentials: Record<string, string>[]): fc.Arbitrary<Record<string, string>> {
  const visible = fc.string({
    unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
    minLength: 1,
    maxLength: 140,
  })
  return fc
    .record({
      credential: fc.constantFrom(...credentials),
      type: fc.oneof(
        { weight: 9, arbitrary: fc.constant('application/json') },
        { weight: 1, arbitrary: fc.constantFrom('text/plain', 'application/xml', 'a/b;c', '') },
      ),
      key: fc.option(fc.oneof(visible, fc.constantFrom('same', 'other', 'two words')), {
        nil: undefined,
        freq: 4,
      }),
      id: fc.option(visible, { nil: undefined, freq: 4 }),
    })
    .map(({ credential, type, key, id }) => ({
      ...credential,
      'content-type': type,
      ...(key !== undefined && { 'idempotency-key': key }),
      ...(id !== undefined && { 'x-request-id': id }),
    }))
}
