// Changes of webhooks beside the first while events come in and wait.

import { afterAll, expect, test } from 'vitest'
import { createDevice, createPhone, SECRET } from '../device.ts'
import { type Envelope, type Receiver, startReceiver, verifyDelivery } from '../receiver.ts'
import { borrowScene } from '../scene.ts'
import { until } from '../until.ts'
import { unlimited } from '../world.ts'

const receivers = await Promise.all([startReceiver(), startReceiver(), startReceiver()])
const [former, next, whole] = receivers as [Receiver, Receiver, Receiver]
const { world, receiver: first, device } = await borrowScene(unlimited)
const { caller } = device
const anna = await createPhone(world, 'Anna')
afterAll(() => Promise.all(receivers.map((one) => one.close())))

const add = async (body: object): Promise<string> =>
  (await caller.post('/v1/webhooks', { events: ['messages'], ...body })).body.webhook.id
const change = (id: string, body: object) => caller.request('PATCH', `/v1/webhooks/${id}`, body)
const remove = (id: string) => caller.request('DELETE', `/v1/webhooks/${id}`)
const findWebhook = async (id: string) => (await caller.get(`/v1/webhooks/${id}`)).body.webhook
const readText = ({ message }: Envelope) => (message as { text?: string } | undefined)?.text
const isAbout = (text: string) => (envelope: Envelope) => readText(envelope) === text
const listTexts = ({ deliveries }: Receiver) => deliveries.flatMap(({ envelope }) => readText(envelope) ?? [])
const sendText = async (text: string): Promise<string> =>
  (await caller.post('/send/text', { number: anna, text })).body.messageid
/** The event is stored: the first webhook has it. */
const sendStored = async (text: string) => {
  await sendText(text)
  return (await first.waitForDelivery(isAbout(text))).envelope
}
const findDelivery = async (eventId: string, webhookId: string) =>
  (await caller.get(`/v1/events/${eventId}`)).body.event.deliveries.find(
    (one: { webhookId: string }) => one.webhookId === webhookId,
  )

test('what waited for another URL is dead, does not count for the new one, and a replay brings it there in order', async () => {
  const id = await add({ url: former.url, enabled: false })
  const waited = [await sendStored('waited one'), await sendStored('waited two')]
  expect((await change(id, { url: next.url, enabled: true })).body.webhook.deliveryStatus).toMatchObject({
    pending: 0,
    dead: 0,
  })
  await sendStored('for the next')
  await next.waitForDelivery(isAbout('for the next'))
  for (const { eventId } of waited)
    expect(await findDelivery(eventId, id)).toMatchObject({
      status: 'dead',
      lastError: 'destination_changed',
    })
  expect(listTexts(next)).toEqual(['for the next'])
  const replayed = await caller.post('/v1/events/replay', { webhookId: id, status: 'dead' })
  expect(replayed.body).toEqual({ matched: 2, queued: 2 })
  await next.waitForDelivery(isAbout('waited two'))
  expect(listTexts(next)).toEqual(['for the next', 'waited one', 'waited two'])
  expect(listTexts(former)).toEqual([])
  await remove(id)
})

test('an attempt under way ends at the URL that it began with, and nothing follows it there', async () => {
  const hang = Promise.withResolvers<void>()
  const id = await add({ url: former.url })
  former.holdNext(hang.promise)
  await sendText('on its way')
  await former.waitForDelivery(isAbout('on its way'))
  await sendStored('behind it')
  await change(id, { url: next.url })
  hang.resolve()
  await sendText('to the next')
  await next.waitForDelivery(isAbout('to the next'))
  expect(listTexts(former)).toEqual(['on its way'])
  expect(listTexts(next).slice(3)).toEqual(['to the next'])
  expect((await findWebhook(id)).deliveryStatus).toMatchObject({ dead: 0 })
  await remove(id)
})

test('other events are for what comes: of the past only what waited is delivered', async () => {
  const id = await add({ url: whole.url, events: ['groups'] })
  for (const text of ['unwanted one', 'unwanted two']) await sendStored(text)
  await change(id, { events: ['messages'] })
  await sendStored('wanted')
  await whole.waitForDelivery(isAbout('wanted'))
  expect(listTexts(whole)).toEqual(['wanted'])
  await change(id, { chats: ['groups'] })
  await sendStored('of no group')
  await change(id, { enabled: false })
  await change(id, { chats: [] })
  await sendStored('after the pause')
  await change(id, { enabled: true })
  await whole.waitForDelivery(isAbout('after the pause'))
  expect(listTexts(whole)).toEqual(['wanted', 'after the pause'])
  await remove(id)
})

test('a secret that was saved beside another signs too, and none is lost', async () => {
  const id = await add({ url: whole.url })
  const secrets = [SECRET, 'second-secret-of-two']
  await Promise.all(secrets.map((secret) => change(id, { secret })))
  await sendText('signed twice')
  const delivery = await whole.waitForDelivery(isAbout('signed twice'))
  for (const secret of secrets) verifyDelivery(delivery, toLibraryForm(secret))
  await remove(id)
})

const toLibraryForm = (secret: string) =>
  secret.startsWith('whsec_') ? secret : `whsec_${Buffer.from(secret).toString('base64')}`

test('a header replaces that of the gateway with the same name', async () => {
  const id = await add({ url: whole.url, headers: { 'User-Agent': 'shop/1', Authorization: 'Bearer seven' } })
  await sendText('with an agent')
  const { headers } = await whole.waitForDelivery(isAbout('with an agent'))
  expect(headers).toMatchObject({ 'user-agent': 'shop/1', authorization: 'Bearer seven' })
  await remove(id)
})

test('a replay names its webhook: by ids, a state, a range, and nothing that it does not want', async () => {
  const id = await add({ url: whole.url })
  const one = await sendStored('replayed one')
  await sendStored('replayed two')
  await whole.waitForDelivery(isAbout('replayed two'))
  const count = () => listTexts(whole).filter((text) => text.startsWith('replayed')).length
  const replay = (selection: object) => caller.post('/v1/events/replay', { webhookId: id, ...selection })
  expect((await replay({ ids: [one.eventId], dryRun: true })).body).toEqual({ matched: 1, queued: 0 })
  expect((await replay({ ids: [one.eventId] })).body).toEqual({ matched: 1, queued: 1 })
  await until(() => count() === 3)
  const atFirst = listTexts(first).length
  expect((await replay({ status: 'delivered', fromSeq: one.seq })).body.queued).toBeGreaterThanOrEqual(2)
  await until(() => count() === 5)
  await change(id, { enabled: false })
  const waits = await sendStored('waits')
  expect((await replay({ fromSeq: waits.seq })).body.queued).toBe(1)
  await change(id, { events: ['groups'] })
  expect((await replay({ fromSeq: one.seq })).body.queued).toBe(0)
  expect(listTexts(first).length).toBe(atFirst + 1)
  await remove(id)
})

test('an event that only another webhook got is not unaddressed', async () => {
  await caller.post('/webhook', { action: 'delete' })
  const id = await add({ url: whole.url })
  await sendText('without the first')
  const { envelope } = await whole.waitForDelivery(isAbout('without the first'))
  await until(async () => (await findDelivery(envelope.eventId, id))?.status === 'delivered')
  const { body } = await caller.get(`/v1/events/${envelope.eventId}`)
  expect([body.unaddressed, body.event.unaddressed, body.event.status]).toEqual([false, false, 'delivered'])
  const listed = (await caller.get('/v1/events?unaddressed=true&type=messages')).body.events
  expect(listed.map(({ id }: { id: string }) => id)).not.toContain(envelope.eventId)
  await remove(id)
})

test('four beside the first, whatever it is', async () => {
  await caller.post('/webhook', { action: 'delete' })
  const ids = await Promise.all([1, 2, 3, 4].map(() => add({ url: whole.url, enabled: false })))
  const fifth = await caller.post('/v1/webhooks', { url: whole.url, events: 'all' })
  expect(fifth).toMatchObject({ status: 409, body: { error: 'too_many_webhooks' } })
  await Promise.all(ids.map(remove))
})

test('an inherited webhook is not made an own one with the URL of the server', async () => {
  const inheriting = await createDevice(world, 'Inheriting')
  await world.admin.post('/v1/webhook', { url: `${whole.url}?key=of-the-operator`, events: 'all' })
  const { id } = (await inheriting.caller.get('/v1/webhooks')).body.webhooks[0]
  const path = `/v1/webhooks/${id}`
  const refused = await inheriting.caller.request('PATCH', path, { events: ['messages'] })
  expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_url' } })
  for (const path of ['/webhook', '/v1/webhooks'])
    expect((await inheriting.caller.get(path)).text).not.toContain('of-the-operator')
  const own = await inheriting.caller.request('PATCH', path, { url: next.url })
  expect(own.body.webhook).toMatchObject({ url: next.url, first: true })
  expect((await inheriting.caller.get('/webhook')).body.inheritedGlobal).toBe(false)
  await world.admin.post('/v1/webhook', { action: 'delete' })
})
