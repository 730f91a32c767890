// A route that is declared to end says so: in each of its answers, in the document, and on the page about versions.

import { readFileSync } from 'node:fs'
import { serveRoute } from '@msgnet/edge/http/serve-route.ts'
import type { EdgeEnv } from '@msgnet/edge/request/request-context.ts'
import { buildOperationObject } from '@msgnet/openapi/operation-object.ts'
import { routes } from '@msgnet/shared/api/api.ts'
import type { Route } from '@msgnet/shared/api/route-declaration.ts'
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import * as z from 'zod'

const route: Route = {
  method: 'GET',
  path: '/old',
  auth: 'none',
  summary: 'Returns what is old',
  response: { description: 'It.', schema: z.object({}) },
  uncompressed: true,
}

function serveDeclared(declared: Route, handle: () => unknown) {
  const app = new Hono<EdgeEnv>()
  app.onError((_, c) => c.text('refused', 400))
  serveRoute(app, 'old', declared, handle)
  return app.request('/old')
}

const ending = { ...route, deprecated: { since: '2026-11-29', sunset: '2027-03-01' } }

test('each answer of a route that ends has Deprecation, Sunset and a link, a refusal too', async () => {
  const fail = () => {
    throw new Error('refused')
  }
  for (const [handle, status] of [[() => ({}), 200] as const, [fail, 400] as const]) {
    const response = await serveDeclared(ending, handle)
    const { headers } = response
    expect(response.status).toBe(status)
    expect(headers.get('deprecation')).toBe('@1795910400')
    expect(headers.get('sunset')).toBe('Mon, 01 Mar 2027 00:00:00 GMT')
    expect(headers.get('link')).toBe('</docs/use/versions.md>; rel="deprecation"; type="text/markdown"')
  }
})

test('the day of its end is left out while it is not known, and other routes have none of the headers', async () => {
  const open = await serveDeclared({ ...route, deprecated: { since: '2026-11-29' } }, () => ({}))
  expect([open.headers.has('deprecation'), open.headers.has('sunset')]).toEqual([true, false])
  const usual = await serveDeclared(route, () => ({}))
  for (const name of ['deprecation', 'sunset', 'link']) expect(usual.headers.has(name)).toBe(false)
})

test('its operation in the document is deprecated, with both days', () => {
  const operation = buildOperationObject('Old', { ...ending, id: 'getOld' })
  expect(operation).toMatchObject({
    deprecated: true,
    description: 'Deprecated since 2026-11-29; it ends on 2027-03-01.',
  })
  expect(buildOperationObject('Old', { ...route, id: 'getOld' })).not.toHaveProperty('deprecated')
})

test('the page about versions names each route that ends, and says so if there is none', () => {
  const page = readFileSync('docs/use/versions.md', 'utf8')
  const all: Route[] = Object.values(routes)
  const named = all.filter(({ deprecated }) => deprecated)
  expect(page.includes('| none today |')).toBe(named.length === 0)
  for (const { method, path, deprecated } of named)
    expect(page).toContain(`| \`${method} ${path}\` | ${deprecated?.since} |`)
})
