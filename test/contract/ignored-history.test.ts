// The letter of the contract: `history` is accepted and ignored until the instance asks for its past, and an admin token is no instance's.

import { entries } from '@msgnet/openapi/document.ts'
import { expect, test } from 'vitest'
import { createDevice, linkWithPast } from '../device.ts'
import { borrowStage } from '../scene.ts'
import { until } from '../until.ts'

const { world, receiver } = await borrowStage()
const asked = { url: receiver.url, events: ['messages', 'history', 'qrcode'] }

test('history among events is ignored until the instance asks for its past, and is delivered then', async () => {
  const device = await createDevice(world)
  const ignored = { events: ['messages'], ignoredEvents: expect.arrayContaining(['qrcode', 'history']) }
  const delivered = { events: ['messages', 'history'], ignoredEvents: ['qrcode'] }
  const expectShown = async (shown: object, before: Record<string, unknown>) => {
    expect(before).toMatchObject(shown)
    const own = (await device.caller.get('/webhook')).body
    expect(own).toMatchObject({ ...shown, webhooks: [shown] })
    expect((await device.caller.get('/v1/webhooks')).body.webhooks).toEqual([
      expect.objectContaining(shown),
      expect.objectContaining(shown),
    ])
  }
  const saved = await device.caller.post('/webhook', asked)
  const second = await device.caller.post('/v1/webhooks', { ...asked, url: `${receiver.url}?second` })
  expect(second.body.webhook).toMatchObject(ignored)
  await expectShown(ignored, saved.body)
  await linkWithPast(world, device, { chats: 1, messages: 3 })
  await until(async () => (await device.caller.get('/instance/status')).body.history.state !== 'none')
  await expectShown(delivered, (await device.caller.get('/webhook')).body)
  await receiver.waitForDelivery(({ EventType }) => EventType === 'history')
})

test('in the webhook of the server history is ignored: it is for all instances', async () => {
  const saved = await world.admin.post('/v1/webhook', asked)
  expect(saved.body).toMatchObject({
    events: ['messages'],
    ignoredEvents: expect.arrayContaining(['qrcode', 'history']),
  })
  await world.admin.post('/v1/webhook', { action: 'delete' })
})

test('an admin token alone is 401 on the routes of an instance, whatever the query says', async () => {
  const instances = entries.filter(
    ({ operation: { auth, adminScope }, path }) => auth === 'instance' && !(adminScope && path.includes('{')),
  )
  for (const { operation, path } of instances) {
    const body = operation.method === 'GET' ? undefined : {}
    const response = await world.admin.request(operation.method, path.replace('{id}', 'x'), body)
    expect([path, response.status, response.body.error]).toEqual([path, 401, 'unauthorized'])
  }
  for (const query of ['?limit=x', '?status=dead', '?afterSeq=1', '?instance=', '?messageid=&instance='])
    expect((await world.admin.get(`/v1/events${query}`)).status).toBe(401)
  const { id } = await createDevice(world)
  expect((await world.admin.get(`/v1/events?instance=${id}`)).status).toBe(200)
  expect((await world.admin.get('/v1/events?messageid=3EB0')).status).toBe(200)
})
