// Every action that changes something on the network is in a table of the endings: done, refused, silent, dropped, and a store that fails.

import { routes } from '@msgnet/shared/api/api.ts'
import type { Route } from '@msgnet/shared/api/route-declaration.ts'
import { expect, test } from 'vitest'
import { account } from '../journey/endings/account-rows.ts'
import { groups } from '../journey/endings/group-rows.ts'
import { groupSettings } from '../journey/endings/group-setting-rows.ts'
import { messages } from '../journey/endings/message-rows.ts'
import { settings } from '../journey/endings/setting-rows.ts'

const covered = [...messages, ...groups, ...groupSettings, ...settings, ...account].map(({ name }) => name)

/** They change what the edge stores of the instance, without a request to the network. */
const ofTheEdge = [
  'POST /instance/updateInstanceName',
  'POST /instance/updateDelaySettings',
  'POST /v1/webhooks',
]

test('each route that changes something for an instance has a row among them', () => {
  const changing = Object.values(routes as Record<string, Route>)
    .filter(({ auth, idempotent }) => auth === 'instance' && idempotent)
    .map(({ method, path }) => `${method} ${path}`)
    .filter((route) => !ofTheEdge.includes(route))
  expect(changing.length).toBeGreaterThan(30)
  const missing = changing.filter((route) => !covered.some((name) => `${name} `.startsWith(`${route} `)))
  expect(missing).toEqual([])
})
