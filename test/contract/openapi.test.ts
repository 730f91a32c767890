// The document and the gateway say the same: every route, every example of it by its schema, and no complaint of a linter.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deliveries } from '@msgnet/openapi/delivery-section.ts'
import { entries } from '@msgnet/openapi/document.ts'
import { routes } from '@msgnet/shared/api/api.ts'
import type { Route } from '@msgnet/shared/api/route-declaration.ts'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { describe, expect, test } from 'vitest'
import { borrowForFile } from '../borrowed-world.ts'
import { createCaller } from '../caller.ts'
import { document, findFaults, resolveResponse } from './documented.ts'

const root = join(import.meta.dirname, '..', '..')
const world = await borrowForFile()

test('the linter reports no problem', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source: JSON.stringify(document), config })
  expect(problems.filter(({ severity }) => severity === 'error').map(({ message }) => message)).toEqual([])
})

test('the gateway serves the document without a credential', async () => {
  const anonymous = createCaller(world.run.baseUrl, {})
  const response = await anonymous.get('/openapi.json')
  expect(response.body).toEqual(document)
  expect((await anonymous.get('/docs')).headers.get('content-type')).toContain('text/html')
})

test('the document has exactly the routes of the edge', () => {
  const served = Object.values<Route>(routes).map(({ method, path }) => `${method} ${path}`)
  expect(entries.map(({ route }) => route).sort()).toEqual(served.sort())
  // The app serves what is declared, and has no route of its own.
  const app = readFileSync(join(root, 'edge', 'api-app.ts'), 'utf8')
  expect(app).toMatch(/Object\.entries\(routes\)/)
  expect([...app.matchAll(/\bapp\.(get|post|put|delete|patch|all|on|route|mount)\(/g)]).toEqual([])
})

test.each(Object.keys(document.paths))(
  '%s accepts the methods of the document and no other',
  async (path) => {
    const response = await world.callAs('').request('PROPFIND', path.replace('{id}', crypto.randomUUID()))
    const allowed = (response.headers.get('allow') ?? '').split(', ').filter((method) => method !== 'HEAD')
    expect(allowed.sort()).toEqual(
      Object.keys(document.paths[path])
        .map((method) => method.toUpperCase())
        .sort(),
    )
  },
)

test('operation ids and anchors of the page are unique', () => {
  const ids = [...entries.map(({ operation }) => operation.id), ...Object.keys(document.components.schemas)]
  expect(new Set(ids).size).toBe(ids.length)
})

test('every JSON body and answer has a name, for generators of types', () => {
  const contents = entries.flatMap(({ path, method, route }) => {
    const { requestBody, responses } = document.paths[path][method.toLowerCase()]
    const schema = requestBody?.content['application/json']?.schema
    const answers = Object.entries<{ content?: Record<string, { schema: object }> }>(responses)
    return [
      { part: `body of ${route}`, schema },
      ...answers.map(([status, { content }]) => ({
        part: `${status} of ${route}`,
        schema: content?.['application/json']?.schema,
      })),
    ]
  })
  expect(
    contents.filter(({ schema }) => schema && !('$ref' in schema)).map(({ part, schema }) => [part, schema]),
  ).toEqual([])
})

describe('examples', () => {
  const documented = entries.flatMap(({ route, path, method }) =>
    Object.entries(document.paths[path][method.toLowerCase()].responses).flatMap(([status, listed]) => {
      const response = resolveResponse(listed)
      const { 'application/json': json } =
        (response as { content?: Record<string, { schema: unknown; examples?: object }> }).content ?? {}
      return Object.entries(json?.examples ?? {}).map(([name, example]) => ({
        title: `${route} ${status} ${name}`,
        schema: json?.schema,
        value: example.$ref ? document.components.examples[name].value : example.value,
      }))
    }),
  )
  test.each(documented)('$title matches its schema', ({ schema, value }) => {
    expect(findFaults(schema, value)).toBe('')
  })

  const envelopes = Object.entries(deliveries).flatMap(([event, { examples }]) =>
    Object.entries(examples).map(([name, value]) => ({ event, name, value })),
  )
  test.each(envelopes)('the envelope of $event: $name matches its schema', ({ event, value }) => {
    const { schema } = document.webhooks[event].post.requestBody.content['application/json']
    expect(findFaults(schema, value)).toBe('')
  })
})
