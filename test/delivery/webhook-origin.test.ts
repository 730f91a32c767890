// Headers and secret of a webhook belong to the origin of its URL: whoever has the token can move the webhook, and reads neither.

import { afterAll, describe, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { type Caller, createPlainCaller } from '../caller.ts'
import { createDevice, SECRET } from '../device.ts'
import { type Delivery, type Receiver, startReceiver, verifyDelivery } from '../receiver.ts'
import { unlimited } from '../world.ts'

const [theirs, other] = (await Promise.all([startReceiver(), startReceiver()])) as [Receiver, Receiver]
const settings = unlimited
const world = await borrowWorld(settings)
const family = await borrowWorld({ ...settings, COMPATIBILITY: 'uazapi' })
afterAll(() => Promise.all([world, family, theirs, other].map((one) => one.close())))

const KEY = 'Bearer of-the-customer'
const OTHER_SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
const events = 'messages'
const sealed = { headers: { Authorization: KEY }, secret: SECRET }
const both = ['headers', 'secret']

interface Webhook {
  caller: Caller
  id: string
  /** Saves, and returns the response. */
  save(fields: object): Promise<Awaited<ReturnType<Caller['post']>>>
  /** Sends a test and returns what arrived. */
  test(receiver: Receiver): Promise<Delivery>
}

async function sendTest(caller: Caller, path: string, receiver: Receiver): Promise<Delivery> {
  const before = receiver.deliveries.length
  const { body } = await caller.post(path)
  expect(body).toMatchObject({ delivered: true })
  return receiver.deliveries[before] as Delivery
}

async function createWebhook(kind: string, on: BorrowedWorld = world): Promise<Webhook> {
  const { caller } = await createDevice(on)
  if (kind === 'first, by POST /webhook') {
    await caller.post('/webhook', { url: theirs.url, events, ...sealed })
    return {
      caller,
      id: '',
      save: (fields) => caller.post('/webhook', { events, ...fields }),
      test: (receiver) => sendTest(caller, '/webhook/test', receiver),
    }
  }
  const isFirst = kind === 'first, by its id'
  if (isFirst) await caller.post('/webhook', { url: theirs.url, events, ...sealed })
  else await caller.post('/v1/webhooks', { url: theirs.url, events, ...sealed })
  const id = (await caller.get('/v1/webhooks')).body.webhooks[0].id
  return {
    caller,
    id,
    save: (fields) => caller.request('PATCH', `/v1/webhooks/${id}`, fields),
    test: (receiver) => sendTest(caller, `/v1/webhooks/${id}/test`, receiver),
  }
}

const listRecords = async ({ caller }: Webhook) => (await caller.get('/v1/webhooks')).body.webhooks

function expectBare({ headers }: Delivery) {
  expect([headers.authorization, headers['webhook-signature']]).toEqual([undefined, undefined])
}

describe.each(['first, by POST /webhook', 'first, by its id', 'beside the first'])('a webhook %s', (kind) => {
  test('has neither at another origin, says so, and does not get them back', async () => {
    const webhook = await createWebhook(kind)
    const before = await webhook.test(theirs)
    expect(before.headers.authorization).toBe(KEY)
    verifyDelivery(before, SECRET)

    expect((await webhook.save({ url: other.url })).body.dropped).toEqual(both)
    expectBare(await webhook.test(other))
    expect(await listRecords(webhook)).toMatchObject([{ headerNames: [], hasSecret: false }])

    expect((await webhook.save({ url: theirs.url })).body.dropped).toBeUndefined()
    expectBare(await webhook.test(theirs))
  })

  test('keeps both at another path of the same origin', async () => {
    const webhook = await createWebhook(kind)
    const saved = await webhook.save({ url: `http://${theirs.place}/other?key=1` })
    expect(saved.body.dropped).toBeUndefined()
    const delivery = await webhook.test(theirs)
    expect(delivery.headers.authorization).toBe(KEY)
    verifyDelivery(delivery, SECRET)
  })

  test('has at another origin what is sent with it, also if it is the same', async () => {
    const webhook = await createWebhook(kind)
    expect((await webhook.save({ url: other.url, ...sealed })).body.dropped).toBeUndefined()
    const delivery = await webhook.test(other)
    expect(delivery.headers.authorization).toBe(KEY)
    verifyDelivery(delivery, SECRET)
    const { headers } = sealed
    expect((await webhook.save({ url: theirs.url, headers })).body.dropped).toEqual(['secret'])
    expect((await webhook.test(theirs)).headers).toMatchObject({ authorization: KEY })
    expect((await webhook.save({ url: other.url, headers: {}, secret: '' })).body.dropped).toBeUndefined()
  })

  test('is signed at another origin by the new secret alone, and at the same one by both for a day', async () => {
    const webhook = await createWebhook(kind)
    await webhook.save({ url: theirs.url, secret: OTHER_SECRET })
    const rotated = await webhook.test(theirs)
    for (const secret of [SECRET, OTHER_SECRET]) verifyDelivery(rotated, secret)
    await webhook.save({ url: other.url, secret: OTHER_SECRET })
    const moved = await webhook.test(other)
    verifyDelivery(moved, OTHER_SECRET)
    expect(moved.headers['webhook-signature']?.split(' ')).toHaveLength(1)
  })

  test('has no header or secret of the other origin, however two saves come together', async () => {
    const webhook = await createWebhook(kind)
    for (let round = 0; round < 20; round++) {
      await Promise.all([
        webhook.save({ url: other.url }),
        webhook.save({ url: theirs.url, ...sealed }),
        webhook.save({ url: other.url }),
      ])
      const [record] = await listRecords(webhook)
      if (record.url === other.url) expect(record).toMatchObject({ headerNames: [], hasSecret: false })
    }
  })
})

test.each([
  ['https://receiver.example.com:443/b', undefined],
  ['https://RECEIVER.example.com/b', undefined],
  ['https://receiver.example.com:8443/a', both],
  ['https://receiver.example.com.example.org/a', both],
  ['https://receiver.example.co/a', both],
  ['https://www.receiver.example.com/a', both],
])('from https://receiver.example.com/a to %s drops %j', async (url, dropped) => {
  const { caller } = await createDevice(world)
  await caller.post('/webhook', { url: 'https://receiver.example.com/a', events, ...sealed })
  expect((await caller.post('/webhook', { url, events })).body.dropped).toEqual(dropped)
})

test('a replay to another origin is neither signed nor has the headers', async () => {
  const { caller } = await createDevice(world)
  await caller.post('/webhook', { url: theirs.url, events: 'connection', enabled: false, ...sealed })
  await caller.post('/instance/connect')
  await caller.post('/webhook', { url: other.url, events: 'connection' })
  await caller.post('/v1/events/replay', { status: 'dead' })
  expectBare(
    await other.waitForDelivery(({ EventType }) => EventType === 'connection').then((found) => found),
  )
})

test('the secret of the server does not follow its webhook to another origin', async () => {
  const { caller } = await createDevice(world)
  const pick = ({ body }: Awaited<ReturnType<Caller['post']>>) => [body.hasSecret, body.dropped]
  const saveGlobal = async (url: string, secret?: string) =>
    pick(await world.admin.post('/v1/webhook', { url, events, ...(secret && { secret }) }))
  expect(await saveGlobal(theirs.url, SECRET)).toEqual([true, undefined])
  verifyDelivery(await sendTest(caller, '/webhook/test', theirs), SECRET)
  expect(await saveGlobal(`http://${theirs.place}/again`)).toEqual([true, undefined])
  expect(await saveGlobal(other.url)).toEqual([false, ['secret']])
  expectBare(await sendTest(caller, '/webhook/test', other))
  await saveGlobal(theirs.url, SECRET)
  // An own webhook has none of what it inherited, and so loses nothing.
  const own = await caller.post('/webhook', { url: `http://${theirs.place}/mine`, events })
  expect(pick(own)).toEqual([false, undefined])
  await world.admin.post('/v1/webhook', { action: 'delete' })
})

test.each(['first', 'beside the first'])(
  'the same is true of a webhook %s in the words of the family',
  async (place) => {
    const { token } = await createDevice(family)
    const caller = createPlainCaller(family.run.baseUrl, { token })
    const add = (url: string, fields: object = {}) =>
      caller.post('/webhook', { action: 'add', url, events: [events], ...fields })
    if (place !== 'first') await add(`http://${theirs.place}/first`)
    const added = (await add(theirs.url, sealed)).body.find(({ url }: { url: string }) => url === theirs.url)
    const test = (receiver: Receiver) =>
      sendTest(caller, place === 'first' ? '/webhook/test' : `/v1/webhooks/${added.id}/test`, receiver)
    expect((await test(theirs)).headers.authorization).toBe(KEY)
    const moved = await caller.post('/webhook', {
      action: 'update',
      id: added.id,
      url: other.url,
      events: [events],
    })
    expect(moved.body.find(({ id }: { id: string }) => id === added.id)).toMatchObject({ dropped: both })
    expectBare(await test(other))
  },
)
