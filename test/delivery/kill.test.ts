// kill -9 of the edge and of the session host in the middle of a flow of events: none is lost, hardly one comes twice.
// @module-tag slow

import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SECRET, subscribeReceiver } from '../device.ts'
import { type Delivery, type Receiver, startReceiver, verifyDelivery } from '../receiver.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import { type Correspondent, createCorrespondent, listTexts } from './gateway.ts'

const DEVICES = 20
const A_SECOND = 100
const EVENTS = 2000
/** Who dies when so many were written. */
const victims: Record<number, string> = { 600: 'edge', 1300: 'session host' }
const MAX_TWICE = 0.005

let world: World
let receiver: Receiver
let devices: Correspondent[]

beforeAll(async () => {
  receiver = await startReceiver()
  world = await startWorld({ WEBHOOK_ALLOWLIST: receiver.place })
  devices = await Promise.all(Array.from({ length: DEVICES }, () => createCorrespondent(world)))
  for (const device of devices) await subscribeReceiver(device, receiver, ['messages'])
})

afterAll(async () => {
  await world.close()
  await receiver.close()
})

const countArrived = () => new Set(listTexts(receiver)).size

test('no event is lost, each has one id and the same bytes, and duplicates stay within half a percent', {
  timeout: 180_000,
  // What may have been lost is not tried again.
  retry: 0,
}, async () => {
  const began = performance.now()
  const written: Promise<void>[] = []
  for (let n = 0; n < EVENTS; n++) {
    const victim = victims[n]
    if (victim) process.kill(world.findPid(victim), 'SIGKILL')
    // So many a second, also while processes are dead or slow: the network does not wait.
    await pause(Math.max(0, began + (n * 1000) / A_SECOND - performance.now()))
    const device = devices[n % DEVICES] as Correspondent
    written.push(device.receiveText(`${device.id} ${n}`))
  }
  await Promise.all(written)
  await until(() => countArrived() === EVENTS, { within: 120_000 })

  const byId = Map.groupBy(receiver.deliveries, ({ headers }) => headers['webhook-id'])
  expect(byId.size).toBe(EVENTS)
  for (const repeats of byId.values()) {
    expect(new Set(repeats.map(({ body }) => body)).size).toBe(1)
    verifyDelivery(repeats[0] as (typeof repeats)[0], SECRET)
  }
  const twice = receiver.deliveries.length - byId.size
  expect(twice).toBeLessThanOrEqual(EVENTS * MAX_TWICE)
})

test('an edge that is killed while it tells the operator of a webhook tells it again, with the same id and bytes', {
  timeout: 180_000,
}, async () => {
  const [{ caller }] = devices as [Correspondent]
  const destination = { url: `${receiver.url}/gone`, events: 'all' }
  const { id } = (await caller.post('/v1/webhooks', destination)).body.webhook
  await world.admin.post('/v1/webhook', {
    url: `${receiver.url}/operator`,
    events: ['webhook'],
    secret: SECRET,
  })
  const listHeard = () => receiver.deliveries.filter(({ body }) => body.includes(`"webhookId":"${id}"`))
  receiver.runAtNext(() => process.kill(world.findPid('edge'), 'SIGKILL'))
  await world.queryDatabase(`update webhooks set gone = 1, failing_since = 1 where id = '${id}'`)
  // As if the time that was reserved for the post were over.
  const tryAgain = async () => {
    await world.queryDatabase(
      `update webhook_events set next_attempt_at = 1 where next_attempt_at is not null and webhook_id = '${id}'`,
    )
    // Refused while the edge is being started again; the next turn asks once more.
    await fetch(`${world.run.edgeMetricsUrl}/tick`, { method: 'POST' }).catch(() => undefined)
    return listHeard().length > 1
  }
  await until(tryAgain, { within: 120_000 })
  const [first, again] = listHeard() as [Delivery, Delivery]
  expect(again.headers['webhook-id']).toBe(first.headers['webhook-id'])
  expect(again.body).toBe(first.body)
  verifyDelivery(again, SECRET)
  expect(first.envelope).toMatchObject({ EventType: 'webhook', event: { state: 'paused' } })
})
