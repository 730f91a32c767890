// Redriving: what was delivered or given up goes out again, with the id and the bytes that it had.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { SECRET, subscribe } from '../device.ts'
import { type Receiver, startReceiver, verify } from '../receiver.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import { type Correspondent, makeCorrespondent, textOf, textsAt } from './gateway.ts'

let world: World
let receiver: Receiver
let device: Correspondent

beforeAll(async () => {
  receiver = await startReceiver()
  world = await startWorld({ WEBHOOK_ALLOWLIST: receiver.place })
})

beforeEach(async () => {
  receiver.answer = 204
  receiver.deliveries.length = 0
  device = await makeCorrespondent(world)
  await subscribe(device, receiver, ['messages'])
})

afterAll(async () => {
  await world.close()
  await receiver.close()
})

const redrive = async (body: object) => (await device.caller.post('/v1/events/replay', body)).body
const events = async (query = '') => (await device.caller.get(`/v1/events?limit=200${query}`)).body.events
const arrivals = (text: string) => receiver.deliveries.filter((delivery) => textOf(delivery) === text)
const delivered = (count: number) =>
  until(async () => {
    const { pending } = (await device.caller.get('/webhook')).body.deliveryStatus
    return pending === 0 && receiver.deliveries.length === count
  })

test('what was delivered goes out again by its id, the same id and bytes, signed for the new attempt', async () => {
  await device.hears('once more')
  await delivered(1)
  const [first] = arrivals('once more')
  expect(await redrive({ ids: [first?.envelope.eventId] })).toEqual({ matched: 1, queued: 1 })
  const [, again] = await until(() => arrivals('once more').length === 2 && arrivals('once more'))
  expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
  expect(again?.body).toBe(first?.body)
  expect(again && verify(again, SECRET)).toMatchObject({ EventType: 'messages' })
})

test('a range by seq goes out in order, a dry run only counts', async () => {
  await device.hears('many', 5)
  await delivered(5)
  const seqs = (await events())
    .filter(({ type }: { type: string }) => type === 'messages')
    .map(({ seq }: { seq: number }) => seq)
    .sort((one: number, other: number) => one - other)
  const range = { fromSeq: seqs[1], toSeq: seqs[3], status: 'delivered' }
  expect(await redrive({ ...range, dryRun: true })).toEqual({ matched: 3, queued: 0 })
  expect(await redrive(range)).toEqual({ matched: 3, queued: 3 })
  await delivered(8)
  expect(receiver.deliveries.slice(5).map(({ envelope }) => envelope.seq)).toEqual(seqs.slice(1, 4))
})

test('what a changed destination left dead goes to the present one; what waits for hours is due at once', async () => {
  const paused = { url: receiver.url, events: 'messages', enabled: false }
  await device.caller.post('/webhook', paused)
  await device.hears('left behind')
  await until(async () => (await events('&status=pending')).length === 1)
  await device.caller.post('/webhook', { ...paused, url: `${receiver.url}/new`, enabled: true })
  const [dead] = await events('&status=dead')
  expect(dead).toMatchObject({ lastError: 'destination_changed' })
  expect(await redrive({ status: 'dead' })).toEqual({ matched: 1, queued: 1 })
  await delivered(1)
  expect(await events('&status=dead')).toEqual([])

  receiver.answer = 503
  await device.hears('refused')
  await until(async () => (await events('&status=pending'))[0]?.attempts === 1)
  receiver.answer = 204
  expect(
    await redrive({ ids: (await events('&status=pending')).map(({ id }: { id: string }) => id) }),
  ).toEqual({
    ...{ matched: 1, queued: 1 },
  })
  await until(() => arrivals('refused').length === 2)
})

test('only what the present webhook takes is queued, and nothing without one', async () => {
  await device.hears('excluded')
  await delivered(1)
  const all = (await redrive({ fromSeq: 0, dryRun: true })).matched
  expect(all).toBe((await events()).length)
  await device.caller.post('/webhook', { url: receiver.url, events: 'messages', excludeMessages: 'fromMeNo' })
  expect(await redrive({ fromSeq: 0 })).toEqual({ matched: all, queued: 0 })
  await device.caller.post('/webhook', { url: receiver.url, events: 'groups' })
  expect(await redrive({ fromSeq: 0 })).toEqual({ matched: all, queued: 0 })
  await device.caller.post('/webhook', { action: 'delete' })
  expect(await redrive({ fromSeq: 0 })).toEqual({ matched: all, queued: 0 })
  expect(textsAt(receiver)).toEqual(['excluded'])
})

test('nothing of another instance is ever matched, and refusals name their field', async () => {
  await device.hears('mine')
  await delivered(1)
  const [mine] = arrivals('mine')
  const other = await makeCorrespondent(world)
  const answer = await other.caller.post('/v1/events/replay', { ids: [mine?.envelope.eventId] })
  expect(answer.body).toEqual({ matched: 0, queued: 0 })
  const refused = async (body: object) => (await redrive(body)).error
  expect(await refused({ ids: ['seven'] })).toBe('invalid_id')
  expect(await refused({ status: 'pending' })).toBe('invalid_status')
  expect(await refused({ fromSeq: -1 })).toBe('invalid_body')
  expect(await refused({ dryRun: 'yes' })).toBe('invalid_body')
})
