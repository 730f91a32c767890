// The global webhook and the instances that inherit it: every transition of the contract's table, on a whole gateway.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { createDevice, SECRET } from '../device.ts'
import { type Delivery, type Receiver, startReceiver, verifyDelivery } from '../receiver.ts'
import { until } from '../until.ts'
import { type Correspondent, createCorrespondent, listTexts, readText } from './gateway.ts'

let world: BorrowedWorld
let everybodys: Receiver
let another: Receiver
let own: Receiver
let heir: Correspondent
let loner: Correspondent

beforeAll(async () => {
  const receivers = await Promise.all([startReceiver(), startReceiver(), startReceiver()])
  ;[everybodys, another, own] = receivers
  world = await borrowWorld()
  ;[heir, loner] = await Promise.all([
    createCorrespondent(world, 'Heir'),
    createCorrespondent(world, 'Loner'),
  ])
})

beforeEach(async () => {
  for (const receiver of [everybodys, another, own]) receiver.status = 204
  await inheritAgain()
  await world.admin.post('/v1/webhook', { action: 'delete' })
  await loner.caller.post('/webhook', { url: own.url, events: 'messages' })
  for (const receiver of [everybodys, another, own]) receiver.deliveries.length = 0
})

afterAll(async () => {
  await world.close()
  await Promise.all([everybodys.close(), another.close(), own.close()])
})

const inheritAgain = () => heir.caller.post('/webhook', { action: 'inherit' })
const saveGlobal = (body: object = {}) =>
  world.admin.post('/v1/webhook', { url: everybodys.url, events: 'messages', ...body })
const waitForText = (receiver: Receiver, text: string) => until(() => listTexts(receiver).includes(text))
const readWebhook = async (device: Correspondent) => (await device.caller.get('/webhook')).body
const waitForPending = (device: Correspondent, pending: number) =>
  until(async () => (await readWebhook(device)).deliveryStatus.pending === pending)

/** Both instances get a message. Resolves when the receiver of the one without inheritance has it: the other's event is delivered or waits by then. */
async function sendToBoth(text: string) {
  await heir.receiveText(text)
  await until(async () => {
    const { events } = (await heir.caller.get('/v1/events?limit=5')).body
    return JSON.stringify(events).includes(text)
  })
  await loner.receiveText(text)
  await waitForText(own, text)
}

test('without a global webhook no subscription is inherited, and no event waits', async () => {
  expect((await world.admin.get('/v1/webhook')).body).toEqual({ registered: false, scope: 'server' })
  await sendToBoth('nobody listens')
  expect(await readWebhook(heir)).toMatchObject({
    registered: false,
    inheritedGlobal: true,
    webhooks: [],
    deliveryStatus: { pending: 0 },
  })
})

test('instances without an exception inherit URL, secret, events and filters, new ones too', async () => {
  const response = await saveGlobal({
    events: 'messages,connection,qrcode',
    secret: SECRET,
    excludeMessages: 'fromMeYes',
  })
  expect(response.body).toMatchObject({
    registered: true,
    scope: 'server',
    url: everybodys.url,
    enabled: true,
    hasSecret: true,
    events: ['connection', 'messages'],
    ignoredEvents: ['qrcode'],
    excludeMessages: ['fromMeYes'],
  })
  expect((await world.admin.get('/v1/webhook')).body).toEqual(response.body)
  expect(response.text).not.toContain(SECRET)

  await sendToBoth('for everybody')
  await waitForText(everybodys, 'for everybody')
  const delivery = everybodys.deliveries.find((each) => readText(each) === 'for everybody')
  expect(delivery && verifyDelivery(delivery, SECRET)).toMatchObject({ instanceId: heir.id })

  const fresh = await createDevice(world, 'Fresh')
  for (const { caller } of [heir, fresh]) {
    expect((await caller.get('/webhook')).body).toMatchObject({
      registered: true,
      inheritedGlobal: true,
      url: everybodys.url,
      hasSecret: true,
      webhooks: [{ events: ['connection', 'messages'], excludeMessages: ['fromMeYes'] }],
    })
    expect((await caller.get('/instance/status')).body.webhooks).toMatchObject({
      registered: true,
      inheritedGlobal: true,
      enabled: true,
    })
  }
  expect((await readWebhook(heir)).deliveryStatus.lastDeliveredAt).not.toBe('')
})

test('a changed global secret signs together with the previous one, a save without one leaves it, an empty one removes it', async () => {
  const another = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
  const findDelivery = async (text: string) => {
    await sendToBoth(text)
    await waitForText(everybodys, text)
    return everybodys.deliveries.find((each) => readText(each) === text) as Delivery
  }
  await saveGlobal({ secret: SECRET })
  await saveGlobal({ secret: another })
  await saveGlobal()
  const both = await findDelivery('signed twice')
  expect(both.headers['webhook-signature']?.split(' ')).toHaveLength(2)
  for (const secret of [SECRET, another]) verifyDelivery(both, secret)
  await saveGlobal({ secret: '' })
  expect((await findDelivery('not signed')).headers['webhook-signature']).toBeUndefined()
})

test('a paused global webhook pauses the instances that inherit and no others; waiting events go out on resume', async () => {
  await saveGlobal()
  await saveGlobal({ enabled: false })
  await sendToBoth('while paused')
  await waitForPending(heir, 1)
  expect(listTexts(everybodys)).toEqual([])
  await saveGlobal()
  await waitForText(everybodys, 'while paused')
  await waitForPending(heir, 0)
})

test('a deleted global webhook deletes inherited subscriptions and makes their waiting events dead; own ones stay', async () => {
  await saveGlobal()
  await saveGlobal({ enabled: false })
  await sendToBoth('stranded')
  await waitForPending(heir, 1)
  expect((await world.admin.post('/v1/webhook', { action: 'delete' })).body).toEqual({
    registered: false,
    scope: 'server',
  })
  const [dead] = (await heir.caller.get('/v1/events?status=dead&limit=1')).body.events
  expect(dead).toMatchObject({ attempts: 0, lastError: 'destination_changed' })
  expect(JSON.stringify(dead.payload)).toContain('stranded')
  expect(await readWebhook(heir)).toMatchObject({ registered: false, inheritedGlobal: true })
  expect(await readWebhook(loner)).toMatchObject({ registered: true, inheritedGlobal: false, url: own.url })
  await sendToBoth('after the end')
  expect(listTexts(everybodys)).toEqual([])
})

test('another URL gets only later events, and the same URL in another spelling continues with its health', async () => {
  await saveGlobal()
  await sendToBoth('first')
  await waitForText(everybodys, 'first')
  const before = (await until(async () => {
    const { deliveryStatus } = await readWebhook(heir)
    return deliveryStatus.lastDeliveredAt && deliveryStatus
  })) as object
  await saveGlobal({ enabled: false })
  await sendToBoth('waits')
  await waitForPending(heir, 1)
  await saveGlobal({ enabled: false, url: everybodys.url.replace('/hook', '/./hook#there') })
  expect((await readWebhook(heir)).deliveryStatus).toEqual({
    ...before,
    paused: 'disabled',
    pending: 1,
    waitingSince: expect.any(String),
  })

  await saveGlobal({ url: another.url })
  expect((await readWebhook(heir)).deliveryStatus).toMatchObject({ pending: 0, dead: 0, lastDeliveredAt: '' })
  await sendToBoth('second')
  await waitForText(another, 'second')
  expect(listTexts(another)).toEqual(['second'])
  expect(listTexts(everybodys)).toEqual(['first'])
})

describe('exceptions', () => {
  test.each(['update', 'add'])('%s makes an own webhook that global changes do not touch', async (action) => {
    await saveGlobal({ secret: SECRET })
    await heir.caller.post('/webhook', { action, url: another.url, events: 'messages' })
    const own = await readWebhook(heir)
    // The server's secret does not sign for a receiver that an instance chose.
    expect(own).toMatchObject({ inheritedGlobal: false, url: another.url, hasSecret: false })
    await saveGlobal({ enabled: false })
    await sendToBoth(`own by ${action}`)
    await waitForText(another, `own by ${action}`)
    await world.admin.post('/v1/webhook', { action: 'delete' })
    expect(await until(() => readWebhook(heir))).toMatchObject({ id: own.id, updatedAt: own.updatedAt })
    expect(listTexts(everybodys)).toEqual([])
  })

  test('delete is off, also against later global changes, until inherit', async () => {
    await saveGlobal()
    expect((await heir.caller.post('/webhook', { action: 'delete' })).body).toEqual({
      success: true,
      deleted: true,
    })
    await saveGlobal({ events: 'all', secret: SECRET })
    expect(await readWebhook(heir)).toMatchObject({ registered: false, inheritedGlobal: false })
    await sendToBoth('to nobody')
    expect(await readWebhook(heir)).toMatchObject({ deliveryStatus: { pending: 0 } })
    await inheritAgain()
    expect(await readWebhook(heir)).toMatchObject({
      registered: true,
      inheritedGlobal: true,
      url: everybodys.url,
    })
    await sendToBoth('to everybody')
    await waitForText(everybodys, 'to everybody')
    expect(listTexts(everybodys)).not.toContain('to nobody')
  })

  test('from own to inherit, events that waited for the own URL are dead; with the same URL they are delivered', async () => {
    await saveGlobal()
    await heir.caller.post('/webhook', { url: another.url, events: 'messages', enabled: false })
    await sendToBoth('for the own one')
    await waitForPending(heir, 1)
    await inheritAgain()
    const [dead] = (await heir.caller.get('/v1/events?status=dead&limit=1')).body.events
    expect(dead.lastError).toBe('destination_changed')

    await heir.caller.post('/webhook', { url: everybodys.url, events: 'messages', enabled: false })
    await sendToBoth('for both')
    await waitForPending(heir, 1)
    await inheritAgain()
    await waitForText(everybodys, 'for both')
    expect(listTexts(another)).toEqual([])
  })
})

test('the global route refuses inherit, and its refusals name their field', async () => {
  const saveInvalid = async (body: object) => (await world.admin.post('/v1/webhook', body)).body.error
  expect(await saveInvalid({ action: 'inherit' })).toBe('invalid_action')
  expect(await saveInvalid({ action: 'delete', url: everybodys.url })).toBe('invalid_url')
  expect(await saveInvalid({ url: 'https://10.0.0.1/', events: 'all' })).toBe('invalid_url')
  expect(await saveInvalid({ url: everybodys.url })).toBe('invalid_events')
})
