// A thousand changes of mode at once, of instances and of the server, while events come in.
// @module-tag slow

import { afterAll, beforeAll, expect, test } from 'vitest'
import { SECRET } from '../device.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import { type Correspondent, createCorrespondent, listTexts } from './gateway.ts'

const CHANGES = 1000
const AT_ONCE = 25

let world: World
let receivers: [Receiver, Receiver, Receiver]
let unchanged: Correspondent
let paused: Correspondent
let deleted: Correspondent
let fickle: Correspondent[]

beforeAll(async () => {
  receivers = await Promise.all([startReceiver(), startReceiver(), startReceiver()])
  world = await startWorld({
    WEBHOOK_ALLOWLIST: receivers.map(({ place }) => place).join(),
    WEBHOOK_CHANGE_RATE: '0',
  })
  ;[unchanged, paused, deleted, ...fickle] = (await Promise.all(
    ['kept', 'paused', 'deleted', 'fickle', 'fickle'].map((name) => createCorrespondent(world, name)),
  )) as [Correspondent, Correspondent, Correspondent, ...Correspondent[]]
})

afterAll(async () => {
  await world.close()
  for (const receiver of receivers) await receiver.close()
})

const readWebhook = async ({ caller }: Correspondent) => {
  const { deliveryStatus, ...configured } = (await caller.get('/webhook')).body
  return configured
}
const listEvents = async ({ caller }: Correspondent, status: string) =>
  (await caller.get(`/v1/events?limit=200&status=${status}`)).body.events

/** The changes in an order of chance, a few at a time. */
async function runInRandomOrder(changes: (() => Promise<unknown>)[]): Promise<void> {
  const waiting = changes
    .map((change) => ({ change, place: Math.random() }))
    .sort((one, other) => one.place - other.place)
  const runWorker = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) await next.change()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, runWorker))
}

test('own webhooks stay intact, paused ones lose no event, deleted ones stay off', async () => {
  const [first, second, own] = receivers
  await unchanged.caller.post('/webhook', { url: own.url, events: 'messages,groups', secret: SECRET })
  await paused.caller.post('/webhook', { url: own.url, events: 'messages', enabled: false })
  await deleted.caller.post('/webhook', { action: 'delete' })
  const before = await Promise.all([unchanged, paused, deleted].map(readWebhook))

  const globals = [
    { url: first.url, events: 'all' },
    { url: second.url, events: 'messages', secret: SECRET },
    { url: first.url, events: 'messages', enabled: false },
    { action: 'delete' },
  ]
  const choices = [
    { action: 'inherit' },
    { url: second.url, events: 'messages' },
    { url: second.url, events: 'messages', secret: SECRET },
    { action: 'delete' },
  ]
  const changes = Array.from({ length: CHANGES }, (_, index) => async () => {
    const one = fickle[index % fickle.length] as Correspondent
    const response =
      index % 2 === 0
        ? await world.admin.post('/v1/webhook', globals[(index / 2) % globals.length])
        : await one.caller.post('/webhook', choices[Math.floor(index / 4) % choices.length])
    expect(response.status).toBe(200)
  })
  const statuses = [unchanged, paused, deleted, ...fickle].flatMap((device) =>
    Array.from({ length: 20 }, (_, index) => () => device.receiveText(`${device.id} ${index}`)),
  )
  await runInRandomOrder([...changes, ...statuses])

  expect(await Promise.all([unchanged, paused, deleted].map(readWebhook))).toEqual(before)
  const listOwnTexts = (device: Correspondent) => listTexts(own).filter((text) => text.startsWith(device.id))
  await until(() => listOwnTexts(unchanged).length === 20)
  await until(async () => (await listEvents(paused, 'pending')).length === 20)
  expect(listOwnTexts(paused)).toEqual([])
  await paused.caller.post('/webhook', { url: own.url, events: 'messages' })
  await until(() => listOwnTexts(paused).length === 20)
  expect(new Set([...listOwnTexts(unchanged), ...listOwnTexts(paused)]).size).toBe(40)
  const everything = receivers.flatMap(listTexts)
  expect(everything.filter((text) => text.startsWith(deleted.id))).toEqual([])
})

test('whichever change was last, instances that inherit have the server\u2019s webhook, and no event waits without a receiver', async () => {
  const [first] = receivers
  await world.admin.post('/v1/webhook', { url: first.url, events: 'messages', secret: SECRET })
  for (const device of fickle) {
    await device.caller.post('/webhook', { action: 'inherit' })
    expect(await readWebhook(device)).toMatchObject({
      inheritedGlobal: true,
      url: first.url,
      hasSecret: true,
    })
    await until(async () => (await listEvents(device, 'pending')).length === 0)
    const seqs = [...(await listEvents(device, 'delivered')), ...(await listEvents(device, 'dead'))].map(
      ({ seq }) => seq,
    )
    expect(seqs.sort((one, other) => one - other)).toEqual(seqs.map((_, index) => index + 1))
  }
})
