// The webhook of an instance as its status shows it: why it is paused, its origin, and no credential of the operator.

import { afterAll, expect, test } from 'vitest'
import { createDevice } from '../device.ts'
import { borrowStage } from '../scene.ts'
import { until } from '../until.ts'

const { world, receiver } = await borrowStage()

afterAll(async () => {
  receiver.status = 204
})

test('deliveryStatus says why delivery is paused: disabled, or 410 of the receiver', async () => {
  const { caller } = await createDevice(world)
  const isPaused = async () => (await caller.get('/webhook')).body.deliveryStatus.paused
  const webhook = { url: receiver.url, events: 'all' }
  expect(await isPaused()).toBe('')
  await caller.post('/webhook', { ...webhook, enabled: false })
  expect(await isPaused()).toBe('disabled')
  expect((await caller.get('/instance/status')).body.webhooks.deliveryStatus.paused).toBe('disabled')
  await caller.post('/webhook', webhook)
  expect(await isPaused()).toBe('')

  receiver.status = 410
  await caller.post('/instance/connect')
  await until(async () => (await isPaused()) === 'gone')
  receiver.status = 204
  expect((await caller.post('/webhook', webhook)).body.deliveryStatus.paused).toBe('')
})

test('the first webhook takes chats, shows them, keeps them until another choice, and the server’s takes none', async () => {
  const { caller } = await createDevice(world)
  const save = async (more: object) =>
    (await caller.post('/webhook', { url: receiver.url, events: 'messages', ...more })).body
  const own = { chats: ['5511910000001@s.msgnet.net', 'groups'] }
  expect(await save({ chats: ['5511910000001', 'groups'] })).toMatchObject({ ...own, webhooks: [own] })
  expect(await save({ events: 'groups' })).toMatchObject({ ...own, events: ['groups'] })
  const { webhooks } = (await caller.get('/v1/webhooks')).body
  expect(webhooks[0]).toMatchObject({ first: true, ...own })
  expect(await save({ chats: [] })).not.toHaveProperty('chats')
  await save(own)
  await caller.post('/webhook', { action: 'delete' })
  expect(await save({})).not.toHaveProperty('chats')
  const refused = await world.admin.post('/v1/webhook', {
    url: receiver.url,
    events: 'all',
    chats: ['groups'],
  })
  expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_body' } })
})

test('update and delete with another id are 404 and change nothing', async () => {
  const { caller } = await createDevice(world)
  const stranger = await createDevice(world)
  const webhook = { url: receiver.url, events: 'all' }
  const saveIncomplete = async (body: object) => {
    const before = (await caller.get('/webhook')).body
    const { status, body: saved } = await caller.post('/webhook', body)
    expect([status, saved.error]).toEqual([404, 'not_found'])
    expect((await caller.get('/webhook')).body).toEqual(before)
  }
  const otherId = (await stranger.caller.post('/webhook', webhook)).body.id
  await saveIncomplete({ ...webhook, action: 'update', id: otherId })
  await saveIncomplete({ action: 'delete', id: otherId })

  const { id } = (await caller.post('/webhook', { ...webhook, id: 'of-no-matter' })).body
  await saveIncomplete({ ...webhook, action: 'update', id: otherId })
  await saveIncomplete({ action: 'delete', id: 'not-even-an-id' })
  for (const none of ['', null, undefined])
    expect((await caller.post('/webhook', { ...webhook, action: 'update', id: none })).status).toBe(200)
  expect((await caller.post('/webhook', { ...webhook, action: 'update', id: 5 })).body.error).toBe(
    'invalid_id',
  )
  expect((await caller.post('/webhook', { ...webhook, action: 'update', id })).body.id).toBe(id)
  expect((await caller.post('/webhook', { action: 'delete', id })).body).toEqual({
    success: true,
    deleted: true,
  })
  await saveIncomplete({ action: 'delete', id })
})

test('an inherited URL is shown without its query; the operator sees it whole, and deliveries use it whole', async () => {
  const url = `${receiver.url}?key=operators-own`
  const saved = await world.admin.post('/v1/webhook', { url, events: 'all' })
  expect(saved.body.url).toBe(url)
  const { caller } = await createDevice(world)
  const shown = await caller.get('/webhook')
  expect(shown.body).toMatchObject({
    inheritedGlobal: true,
    url: receiver.url,
    webhooks: [{ url: receiver.url }],
  })
  expect(shown.text).not.toContain('operators-own')
  const own = { url: `${receiver.url}?key=mine`, events: 'all' }
  expect((await caller.post('/webhook', own)).body.url).toBe(own.url)
  expect((await caller.post('/webhook', { action: 'inherit' })).body.url).toBe(receiver.url)
  await world.admin.post('/v1/webhook', { action: 'delete' })
})

test('a replay needs ids, a status or a range', async () => {
  const { caller } = await createDevice(world)
  for (const body of [{}, { dryRun: true }, { ids: null, status: '' }]) {
    const { status, body: replayed } = await caller.post('/v1/events/replay', body)
    expect([body, status, replayed.error]).toEqual([body, 400, 'invalid_body'])
  }
  for (const body of [{ status: 'dead' }, { fromSeq: 0 }, { toSeq: 9 }, { ids: [] }])
    expect((await caller.post('/v1/events/replay', body)).status).toBe(200)
})
