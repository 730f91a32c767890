// What operators see of several webhooks of an instance: the worst of them, in the overview, the list and the metrics.

import { afterAll, expect, test } from 'vitest'
import { createPhone } from '../device.ts'
import { type Envelope, type Receiver, startReceiver } from '../receiver.ts'
import { borrowScene } from '../scene.ts'
import { until } from '../until.ts'

const receivers = await Promise.all([startReceiver(), startReceiver()])
const [gone, failing] = receivers as [Receiver, Receiver]
const { world, receiver, device } = await borrowScene()
const { caller } = device
const anna = await createPhone(world, 'Anna')
afterAll(() => Promise.all(receivers.map((one) => one.close())))

const add = async (url: string): Promise<string> =>
  (await caller.post('/v1/webhooks', { url, events: ['messages'] })).body.webhook.id
const change = (id: string, body: object) => caller.request('PATCH', `/v1/webhooks/${id}`, body)
const receive = (text: string) =>
  world
    .sim('POST', '/messages', { from: anna, to: device.number, text })
    .then(() => receiver.waitForDelivery(isAbout(text)))
const isAbout = (text: string) => (envelope: Envelope) =>
  (envelope.message as { text?: string } | undefined)?.text === text

/** Undefined until it is in this state. */
async function findInState(state: string) {
  const { body } = await world.admin.get(`/v1/instances?webhook=${state}`)
  return body.instances[0]
}
// Counts are good for a while, longer on a busy machine.
const within = 60_000
const untilStateCounted = (state: string) =>
  until(async () => (await world.admin.get('/v1/overview')).body.webhooks[state] === 1, { within })

async function readGauges(name: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${world.run.edgeMetricsUrl}/metrics`)).text()
  const found = text.matchAll(new RegExp(`^${name}\\{\\w+="(\\w+)"\\} (\\S+)$`, 'gm'))
  return Object.fromEntries([...found].map(([, label, value]) => [label, Number(value)]))
}

test('one that fails shows, with its id and cause, though the first is healthy', async () => {
  failing.status = 500
  const id = await add(failing.url)
  await receive('one')
  const { webhook, pending } = await until(() => findInState('failing'))
  expect([webhook, pending]).toMatchObject([{ id, cause: 'status_500', status: 500, inherited: false }, 1])
  expect(Date.parse(webhook.since)).toBeGreaterThan(Date.now() - 60_000)
  await untilStateCounted('failing')
  expect(await readGauges('edge_delivery_queue_depth')).toEqual({ msgnet: 1 })
  const { active = 0 } = await readGauges('edge_webhook_oldest_waiting_seconds')
  expect(active).toBeGreaterThan(0)
  failing.status = 204
  await change(id, { enabled: false })
  expect((await findInState('paused'))?.webhook.id).toBe(id)
  await caller.request('DELETE', `/v1/webhooks/${id}`)
  expect((await findInState('healthy'))?.webhook).toMatchObject({ cause: '' })
})

test('one that rests after a 410 shows, and what waits at it has an age', async () => {
  gone.status = 410
  const id = await add(gone.url)
  await receive('two')
  const { webhook } = await until(() => findInState('resting'))
  expect(webhook).toMatchObject({ id, cause: 'status_410', status: 410 })
  await untilStateCounted('resting')
  await receive('three')
  await until(async () => ((await readGauges('edge_webhook_oldest_waiting_seconds')).gone ?? 0) > 0)
  expect(await readGauges('edge_webhooks')).toEqual({ active: 0, paused: 0, gone: 1, none: 0 })
  gone.status = 204
  await change(id, { enabled: true })
  await gone.waitForDelivery(isAbout('three'))
  await until(async () => (await readGauges('edge_webhooks')).active === 1)
  await caller.request('DELETE', `/v1/webhooks/${id}`)
})

test('without the first, the outcome of an event is that at the others', async () => {
  const hang = Promise.withResolvers<void>()
  await caller.post('/webhook', { action: 'delete' })
  const id = await add(gone.url)
  gone.holdNext(hang.promise)
  const readDay = async () => (await world.admin.get('/v1/overview')).body.events.lastDay
  const untilPending = (pending: number) =>
    until(
      async () => {
        const lastDay = await readDay()
        return lastDay.pending === pending && lastDay
      },
      { within },
    )
  await untilPending(0)
  await world.sim('POST', '/messages', { from: anna, to: device.number, text: 'four' })
  await gone.waitForDelivery(isAbout('four'))
  const meanwhile = await untilPending(1)
  hang.resolve()
  expect((await untilPending(0)).delivered).toBe(meanwhile.delivered + 1)
  await caller.request('DELETE', `/v1/webhooks/${id}`)
})
