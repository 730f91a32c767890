// Several webhooks of one instance: each gets its events in order by itself, whatever the others do.

import { afterAll, expect, test } from 'vitest'
import { createPhone, SECRET } from '../device.ts'
import { type Envelope, type Receiver, startReceiver, verifyDelivery } from '../receiver.ts'
import { borrowScene } from '../scene.ts'
import { until } from '../until.ts'

const receivers = await Promise.all([startReceiver(), startReceiver(), startReceiver(), startReceiver()])
const [second, third, fourth, fifth] = receivers as [Receiver, Receiver, Receiver, Receiver]
const { world, receiver: first, device } = await borrowScene()
const { caller } = device
const anna = await createPhone(world, 'Anna')
afterAll(() => Promise.all(receivers.map((one) => one.close())))

const add = async (body: object): Promise<string> =>
  (await caller.post('/v1/webhooks', { events: 'all', ...body })).body.webhook.id
const remove = (id: string) => caller.request('DELETE', `/v1/webhooks/${id}`)
const sendText = async (text: string): Promise<string> =>
  (await caller.post('/send/text', { number: anna, text })).body.messageid
const isAbout = (text: string) => (envelope: Envelope) => readText(envelope) === text
const readText = ({ message }: Envelope) => (message as { text?: string } | undefined)?.text
const listTexts = ({ deliveries }: Receiver) => deliveries.flatMap(({ envelope }) => readText(envelope) ?? [])
const findWebhook = async (id: string) => (await caller.get(`/v1/webhooks/${id}`)).body.webhook

test('each gets the events from when it was added, with the same id, its own signature and its own headers', async () => {
  await sendText('before')
  await first.waitForDelivery(isAbout('before'))
  const id = await add({ url: second.url, secret: SECRET, headers: { Authorization: 'Bearer seven' } })
  await sendText('after')
  const [one, other] = await Promise.all([
    first.waitForDelivery(isAbout('after')),
    second.waitForDelivery(isAbout('after')),
  ])
  expect(other.headers['webhook-id']).toBe(one.headers['webhook-id'])
  expect(other.body).toBe(one.body)
  expect(other.headers.authorization).toBe('Bearer seven')
  expect(one.headers.authorization).toBeUndefined()
  verifyDelivery(other, SECRET)
  expect(listTexts(second)).toEqual(['after'])
  const shown = await findWebhook(id)
  expect(shown).toMatchObject({ first: false, headerNames: ['Authorization'], hasSecret: true })
  expect(JSON.stringify(shown)).not.toContain('seven')
  await remove(id)
})

test('one that hangs, one that refuses and one that wants no more delay no other', async () => {
  const hang = Promise.withResolvers<void>()
  second.released = hang.promise
  third.status = 500
  fourth.status = 410
  const ids = [second, third, fourth, fifth].map(({ url }) => add({ url }))
  const [hanging, refusing, gone, well] = await Promise.all(ids)
  for (const text of ['one', 'two', 'three']) await sendText(text)
  await Promise.all([first, fifth].map((one) => one.waitForDelivery(isAbout('three'))))
  expect(listTexts(fifth)).toEqual(['one', 'two', 'three'])
  await until(async () => (await findWebhook(gone ?? '')).deliveryStatus.paused === 'gone')
  await until(async () => (await findWebhook(refusing ?? '')).deliveryStatus.cause === 'status_500')
  // The receiver has an event before the edge has stored that it has it.
  await until(async () => (await findWebhook(well ?? '')).deliveryStatus.pending === 0)
  expect((await findWebhook(well ?? '')).deliveryStatus).toMatchObject({ dead: 0, cause: '' })
  expect((await caller.get('/webhook')).body.deliveryStatus).toMatchObject({ dead: 0, cause: '' })
  hang.resolve()
  second.released = undefined
  await second.waitForDelivery(isAbout('three'))
  expect([...new Set(listTexts(second))].slice(-3)).toEqual(['one', 'two', 'three'])
  for (const id of [hanging, refusing, gone, well]) await remove(id ?? '')
})

test('one that waits for its next attempt costs next to no reads for each new event', async () => {
  second.status = 500
  const before = second.deliveries.length
  const id = await add({ url: second.url, events: ['messages'] })
  await sendText('refused')
  // Half a minute passes until the third attempt.
  await until(() => second.deliveries.length === before + 2)
  await until(async () => (await findWebhook(id)).deliveryStatus.lastFailure?.attempts === 2)
  const whileWaiting = await countStatements('while it waits')
  await caller.request('PATCH', `/v1/webhooks/${id}`, { enabled: false })
  const whilePaused = await countStatements('while it is paused')
  expect((whileWaiting - whilePaused) / EVENTS).toBeLessThan(1.5)
  second.status = 204
  await remove(id)
})

const EVENTS = 10
/** Of the edge's database, for some events that come one by one. */
async function countStatements(text: string): Promise<number> {
  const readCount = async () => {
    const metrics = await (await fetch(`${world.run.edgeMetricsUrl}/metrics`)).text()
    return Number(/^edge_database_statements_total (\d+)/m.exec(metrics)?.[1])
  }
  const before = await readCount()
  for (let n = 0; n < EVENTS; n++) {
    await world.sim('POST', '/messages', { from: anna, to: device.number, text: `${text} ${n}` })
    await first.waitForDelivery(isAbout(`${text} ${n}`))
  }
  return (await readCount()) - before
}

test('one that is paused gets everything when it goes on, in order and once', async () => {
  const before = fifth.deliveries.length
  const id = await add({ url: fifth.url, events: ['messages'] })
  await caller.request('PATCH', `/v1/webhooks/${id}`, { enabled: false })
  for (const text of ['four', 'five']) await sendText(text)
  await first.waitForDelivery(isAbout('five'))
  expect((await findWebhook(id)).deliveryStatus).toMatchObject({ pending: 2, paused: 'disabled' })
  expect(fifth.deliveries.length).toBe(before)
  await caller.request('PATCH', `/v1/webhooks/${id}`, { enabled: true })
  await fifth.waitForDelivery(isAbout('five'))
  expect(listTexts(fifth).slice(-2)).toEqual(['four', 'five'])
  await until(async () => (await findWebhook(id)).deliveryStatus.pending === 0)
  await remove(id)
})

test('events, filters and chats choose what it gets', async () => {
  const bruno = await createPhone(world, 'Bruno')
  const id = await add({
    url: fifth.url,
    events: ['messages'],
    excludeMessages: ['wasSentByApi'],
    chats: [bruno],
  })
  await sendText('not for it')
  await world.sim('POST', '/messages', { from: anna, to: device.number, text: 'of another chat' })
  await world.sim('POST', '/messages', { from: bruno, to: device.number, text: 'of its chat' })
  await fifth.waitForDelivery(isAbout('of its chat'))
  expect(listTexts(fifth).slice(-1)).toEqual(['of its chat'])
  expect(listTexts(fifth)).not.toContain('of another chat')
  await remove(id)
})

test('the sixth is refused, and a change that names nothing is too', async () => {
  const urls = [second, third, fourth, fifth].map(({ url }) => url)
  const ids = await Promise.all(urls.map((url) => add({ url })))
  expect(await caller.post('/v1/webhooks', { url: second.url, events: 'all' })).toMatchObject({
    status: 409,
    body: { error: 'too_many_webhooks' },
  })
  expect((await caller.get('/v1/webhooks')).body.webhooks).toHaveLength(5)
  expect(await caller.request('PATCH', `/v1/webhooks/${ids[0]}`, {})).toMatchObject({ status: 400 })
  await Promise.all(ids.map(remove))
  expect((await caller.get('/v1/webhooks')).body.webhooks).toHaveLength(1)
})
