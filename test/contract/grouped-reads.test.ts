// What many callers ask at the same time goes to the database as one statement: each has the answer that it would have had alone.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { type ApiResponse, type Caller, createCaller } from '../caller.ts'
import { createDevice, createPhone, type LinkedDevice, linkDevice } from '../device.ts'
import { type DeliveryValues, insertDeliveries } from '../stored-deliveries.ts'

const HOUR = 3_600_000

let world: BorrowedWorld

beforeAll(async () => {
  world = await borrowWorld()
})
afterAll(() => world.close())

const createWebhook = (change: object = {}) => ({ url: 'http://127.0.0.1:9/hook', events: 'all', ...change })

/** With one event that failed too often to hold back what follows it, one that failed once, and two that are dead. */
async function createWithBacklog(): Promise<Caller> {
  const { id, caller } = await createDevice(world, 'backlog')
  await caller.post('/webhook', createWebhook())
  const now = Date.now() + 1000
  const insertEvent = async (seq: number, values: DeliveryValues) => {
    await world.queryDatabase(`insert into events
      (id, instance_id, seq, type, owner, payload, at, created_at, status) values (
      '${id.slice(0, -4)}000${seq}', '${id}', ${seq}, 'messages', '', '{}', ${now}, ${now}, 'delivered')`)
    await world.queryDatabase(insertDeliveries(`e.instance_id = '${id}' and e.seq = ${seq}`, values))
  }
  await insertEvent(1, { status: "'pending'", attempts: 5, next_attempt_at: now + 2 * HOUR })
  await insertEvent(2, { status: "'pending'", attempts: 1, next_attempt_at: now + HOUR })
  await insertEvent(3, { status: "'dead'", attempts: 9, dead_at: now })
  await insertEvent(4, { status: "'dead'", attempts: 9, dead_at: now })
  return caller
}

/** By its former token, which is good for an hour more. */
async function renewToken(): Promise<Caller> {
  const { id, caller } = await createDevice(world, 'renewed')
  expect((await world.admin.post(`/v1/instances/${id}/token`, { overlap: 3600 })).status).toBe(200)
  return caller
}

test('concurrent status requests get the same responses as single ones', async () => {
  const { caller: bare } = await createDevice(world, 'bare')
  const { caller: paused } = await createDevice(world, 'paused')
  await paused.post('/webhook', createWebhook({ enabled: false }))
  const anonymous = createCaller(world.run.baseUrl, { token: 'nobodys' })
  const callers = [bare, paused, await createWithBacklog(), await renewToken(), anonymous]
  const alone: ApiResponse[] = []
  for (const caller of callers) alone.push(await caller.get('/instance/status'))
  expect(alone.map(({ status }) => status)).toEqual([200, 200, 200, 200, 401])
  const { pending, dead, pausedUntil } = alone[2]?.body.webhooks.deliveryStatus ?? {}
  expect([pending, dead]).toEqual([2, 2])
  // When the one is due that holds back what follows it.
  expect(Date.parse(pausedUntil) - Date.now()).toBeLessThan(1.5 * HOUR)

  const crowd = Array.from({ length: 8 }, () => callers).flat()
  const together = await Promise.all(crowd.map((caller) => caller.get('/instance/status')))
  const withoutIds = ({ status, body }: ApiResponse) => ({ status, body: removeId(body) })
  expect(together.map(withoutIds)).toEqual(Array.from({ length: 8 }, () => alone.map(withoutIds)).flat())
})

test('concurrent list requests get the same responses as single ones, by company and of all', async () => {
  for (const companyId of ['', 'north', 'south'])
    await world.admin.post('/instance/init', { name: `of ${companyId}`, companyId })
  const lists = ['', '?companyId=north', '?companyId=south', '?companyId=nobody']
  const listInstances = (list: string) => world.admin.get(`/instance/all${list}`)
  const alone: ApiResponse[] = []
  for (const list of lists) alone.push(await listInstances(list))
  expect(alone.map(({ body }) => body.length)).toEqual([expect.any(Number), 1, 1, 0])

  const together = await Promise.all(Array.from({ length: 8 }, () => lists.map(listInstances)).flat())
  expect(together.map(({ text }) => text)).toEqual(
    Array.from({ length: 8 }, () => alone.map(({ text }) => text)).flat(),
  )
})

/** Of the request. */
const removeId = ({ requestId: _, request_id: __, ...body }: Record<string, unknown>) => body

test('concurrent sends with different keys send one message each, and each key repeats its own response', async () => {
  const devices: LinkedDevice[] = []
  for (const name of ['one', 'two', 'three'])
    devices.push(await linkDevice(world, await createDevice(world, name)))
  const friend = await createPhone(world)
  const sendText = ({ caller }: LinkedDevice, text: string, key: string) =>
    caller.post('/send/text', { number: friend, text }, { 'idempotency-key': key })
  for (const device of devices) expect((await sendText(device, 'known', 'known')).status).toBe(200)

  const orders = devices.flatMap((device) => ['a', 'b', 'c', 'd'].map((key) => ({ device, key })))
  const sendAll = () =>
    Promise.all(orders.map(({ device, key }) => sendText(device, `text ${device.id} ${key}`, key)))
  const first = await sendAll()
  expect(first.map(({ status }) => status)).toEqual(orders.map(() => 200))
  const { messages } = await world.sim('GET', `/phones/${friend}/inbox`)
  const texts = (messages as { text: string }[]).map(({ text }) => text).filter((text) => text !== 'known')
  expect(texts.sort()).toEqual(orders.map(({ device, key }) => `text ${device.id} ${key}`).sort())

  const again = await sendAll()
  expect(again.map(({ text }) => text)).toEqual(first.map(({ text }) => text))
  expect(again.map(({ headers }) => headers.get('idempotency-replayed'))).toEqual(orders.map(() => 'true'))
  const [one, two] = devices as [LinkedDevice, LinkedDevice]
  const others = await Promise.all([
    sendText(one, 'another', 'a'),
    sendText(two, 'another', 'b'),
    sendText(one, 'new', 'e'),
  ])
  expect(others.map(({ status }) => status)).toEqual([422, 422, 200])
})
