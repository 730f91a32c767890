// An operator who wants no webhooks, and a server of calls: what the rest of the API says then.

import { entries } from '@msgnet/openapi/document.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { createDevice, type Device } from '../device.ts'

let world: BorrowedWorld
let device: Device

beforeAll(async () => {
  world = await borrowWorld({ WEBHOOKS: 'off' })
  device = await createDevice(world)
})

afterAll(() => world.close())

const ofWebhooks = entries.filter(({ path }) => path.includes('webhook'))

test.each(ofWebhooks)('$route is 503 webhooks_disabled', async ({ route, operation }) => {
  const [method = '', path = ''] = route.split(' ')
  const caller = operation.auth === 'admin' ? world.admin : device.caller
  const body = { url: 'https://example.com/hook', events: 'all' }
  const named = path.replace('{id}', crypto.randomUUID())
  const response = await caller.request(method, named, ['POST', 'PATCH'].includes(method) ? body : undefined)
  expect([response.status, response.body.error]).toEqual([503, 'webhooks_disabled'])
})

test('events are stored all the same', async () => {
  await device.caller.post('/instance/connect')
  expect((await device.caller.get('/v1/events')).body.events.length).toBeGreaterThan(0)
  expect((await world.admin.get('/v1/capabilities')).body.capabilities.webhooks).toBe(false)
})
