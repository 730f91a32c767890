// The sets of tools are small enough for a model that reads them before each answer, and each route has its place.

import { listRouteTools } from '@msgnet/openapi/route-tools.ts'
import { routes } from '@msgnet/shared/api/api.ts'
import { getEffect, type Route } from '@msgnet/shared/api/route-declaration.ts'
import { routesWithoutTool, toolSetBounds, toolSets } from '@msgnet/shared/contract/tool-sets.ts'
import { expect, test } from 'vitest'

/** Counted with two published tokenizers (o200k, cl100k) these lists have 4.3 to 4.7 bytes a token, so this is never too few. */
const BYTES_A_TOKEN = 4

const tools = listRouteTools()
const listed = Object.values(toolSets).flat()

test.each(Object.keys(toolSets))('the set %s has at most 25 tools and 4,000 tokens', (set) => {
  const served = tools.filter((tool) => tool.set === set).map(({ set: _, request: __, ...tool }) => tool)
  expect(served.length).toBeLessThanOrEqual(toolSetBounds.tools)
  expect(JSON.stringify(served).length / BYTES_A_TOKEN).toBeLessThanOrEqual(toolSetBounds.tokens)
})

/** A new route belongs into one set of shared/contract/tool-sets.ts, or into the list of those without a tool. */
test('each route with a JSON answer for programs is in one set, or left out with a reason', () => {
  const forPrograms = Object.entries<Route>(routes)
    .filter(
      ([, { auth, response }]) =>
        (auth === 'admin' || auth === 'instance') &&
        (response.type ?? 'application/json') === 'application/json',
    )
    .map(([name]) => name)
  expect([...listed, ...Object.keys(routesWithoutTool)].sort()).toEqual(forPrograms.sort())
})

/** What cannot be taken back, each by its name: a new one is to be thought about. */
// biome-ignore format: a list of short entries
const DESTRUCTIVE = [
  'cancelScheduled', 'deleteChat', 'deleteHost', 'deleteInstance', 'deleteInstanceById', 'deleteLink', 'deleteMessage', 'deleteScopedToken',
  'deleteScopedTokenById', 'deleteToken',
  'disconnect', 'disconnectById', 'leaveGroup', 'removeContact', 'removeProxy', 'removeWebhook', 'renewHostToken',
  'renewToken', 'renewTokenById', 'resetInviteCode',
]

test('the routes that destroy are these', () => {
  const destroying = Object.entries<Route>(routes)
    .filter(([, route]) => ['admin', 'instance'].includes(route.auth) && getEffect(route) === 'destroys')
    .map(([name]) => name)
  expect(destroying.sort()).toEqual(DESTRUCTIVE)
})
