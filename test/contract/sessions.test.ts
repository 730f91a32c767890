// Sessions from the admin's side, the fields of a status, and the data that a deletion removes.

import { publicLimits } from '@msgnet/shared/contract/public-limits.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDevice, createPhone, linkDevice } from '../device.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'

let world: World

beforeAll(async () => {
  world = await startWorld()
})

afterAll(() => world.close())

test('the admin connects, restarts and disconnects an instance by its id', async () => {
  const device = await linkDevice(world, await createDevice(world))
  const at = `/v1/instances/${device.id}`
  const restarted = await world.admin.post(`${at}/restart`)
  expect(restarted.body).toMatchObject({ jid: `${device.number}@s.msgnet.net`, response: expect.any(String) })
  await until(async () => (await world.admin.get(at)).body.loggedIn)
  expect((await world.admin.post(`${at}/connect`)).body).toMatchObject({ connected: true, loggedIn: true })
  expect((await world.admin.post(`${at}/disconnect`)).body).toMatchObject({
    unlinked: true,
    connected: false,
    loggedIn: false,
    jid: '',
    instance: { id: device.id, status: 'disconnected', lastDisconnectReason: 'by_request' },
  })
  const pairing = await world.admin.post(`${at}/connect`, { phone: device.number })
  expect(pairing.body.pairing.method).toBe('code')
})

test('a renewed token is shown once, and the old one stops at once', async () => {
  const device = await createDevice(world)
  const renewed = await world.admin.post(`/v1/instances/${device.id}/token`)
  expect(renewed.body).toMatchObject({
    token: expect.stringMatching(/^mgi_[\w-]{43}$/),
    instance: { id: device.id },
  })
  expect(renewed.body.instance).not.toHaveProperty('token')
  expect((await device.caller.get('/instance/status')).status).toBe(401)
  expect((await world.callAs(renewed.body.token).get('/instance/status')).status).toBe(200)
})

test('status shows the linked account; unlinked, owner and jid are empty', async () => {
  const fresh = await createDevice(world)
  expect((await fresh.caller.get('/instance/status')).body).toMatchObject({
    connected: false,
    loggedIn: false,
    jid: '',
    instance: { kind: 'msgnet', owner: '', profileName: '', status: 'disconnected' },
    webhooks: { registered: false },
  })
  const device = await linkDevice(world, fresh)
  expect((await device.caller.get('/instance/status')).body).toMatchObject({
    connected: true,
    loggedIn: true,
    jid: `${device.number}@s.msgnet.net`,
    instance: { owner: device.number, status: 'connected', qrcode: '' },
  })
  const [listed] = (await world.admin.get('/instance/all')).body.filter(
    ({ id }: { id: string }) => id === device.id,
  )
  expect(listed).toMatchObject({ status: 'connected', qrcode: '', owner: device.number })
})

test('a pairing whose codes are not scanned ends as pairing_expired', async () => {
  const device = await createDevice(world)
  expect((await device.caller.post('/instance/connect')).body).toMatchObject({
    connected: true,
    loggedIn: false,
    instance: { status: 'connecting', qrcode: expect.stringMatching(/^data:image\/png;base64,/) },
    pairing: { method: 'qr', qr: expect.any(String), expiresAt: expect.any(String) },
  })
  process.kill(world.findPid('session host'), 'SIGKILL')
  await until(async () => {
    const { instance } = (await device.caller.get('/instance/status')).body
    return instance.status === 'disconnected' && instance.lastDisconnectReason === 'pairing_expired'
  })
})

test('deleting an instance deletes its events, webhook, credentials and messages', async () => {
  const device = await linkDevice(world, await createDevice(world))
  const friend = await createPhone(world)
  await device.caller.post('/send/text', { number: friend, text: 'to be forgotten' })
  await device.caller.post('/webhook', { url: 'https://example.com/hook', events: 'all', enabled: false })
  await until(async () => (await device.caller.get('/v1/events')).text.includes('to be forgotten'))
  await world.admin.delete(`/v1/instances/${device.id}`)
  for (const table of ['events', 'webhooks', 'idempotency_keys']) {
    const column = table === 'idempotency_keys' ? 'scope' : 'instance_id'
    expect(
      await world.queryDatabase(`select 1 from ${table} where ${column} = '${device.id}'`),
      table,
    ).toEqual([])
  }
  expect(await world.sim('GET', `/phones/${device.number}`)).toMatchObject({ companions: [] })
})

test('capabilities show the limits of the contract as numbers', async () => {
  const { body } = await world.admin.get('/v1/capabilities')
  expect(body.limits).toEqual({
    ...publicLimits,
    sendsPerSecond: 100,
    sendsAtOnce: 200,
    streamsPerMinute: 30,
    webhookChangesPerMinute: 30,
    requestsPerMinute: 12_000,
    pageBytesPerMinute: 120 * 1024 * 1024,
    openPageBytesPerMinute: 60 * 1024 * 1024,
    instanceBodyBytes: 32 * 1024 * 1024,
    allBodyBytes: 256 * 1024 * 1024,
  })
  expect(body.limits).toMatchObject({
    requestIdLength: 128,
    idempotencyKeyLength: 128,
    initReplaySeconds: 900,
    replaySeconds: 86_400,
    chatReadMessages: 100,
    requestedHistoryMessages: 50,
    numberDigitsMin: 8,
    numberDigitsMax: 15,
    groupNameLength: 100,
    eventListDefault: 50,
    eventListMax: 200,
    eventPageBytes: 256 * 1024,
    imageBytes: 8_388_608,
    imageBodyBytes: 12_582_912,
    webhookUrlLength: 2048,
    webhookSecretLength: 256,
    connectWaitMs: 5000,
  })
})
