// Redriving: what was delivered or given up goes out again, with the id and the bytes that it had.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { SECRET, subscribeReceiver } from '../device.ts'
import { type Receiver, startReceiver, verifyDelivery } from '../receiver.ts'
import { until } from '../until.ts'
import { type Correspondent, createCorrespondent, listTexts, readText } from './gateway.ts'

let world: BorrowedWorld
let receiver: Receiver
let device: Correspondent

beforeAll(async () => {
  receiver = await startReceiver()
  world = await borrowWorld()
})

beforeEach(async () => {
  receiver.status = 204
  receiver.deliveries.length = 0
  device = await createCorrespondent(world)
  await subscribeReceiver(device, receiver, ['messages'])
})

afterAll(async () => {
  await world.close()
  await receiver.close()
})

const replayEvents = async (body: object) => (await device.caller.post('/v1/events/replay', body)).body
const listEvents = async (query = '') => (await device.caller.get(`/v1/events?limit=200${query}`)).body.events
const findArrivals = (text: string) => receiver.deliveries.filter((delivery) => readText(delivery) === text)
const waitForDelivered = (count: number) =>
  until(async () => {
    const { pending } = (await device.caller.get('/webhook')).body.deliveryStatus
    return pending === 0 && receiver.deliveries.length === count
  })

test('a delivered event is replayed by its id, with the same id and bytes, signed for the new attempt', async () => {
  await device.receiveText('once more')
  await waitForDelivered(1)
  const [first] = findArrivals('once more')
  expect(await replayEvents({ ids: [first?.envelope.eventId] })).toEqual({ matched: 1, queued: 1 })
  const [, again] = await until(() => findArrivals('once more').length === 2 && findArrivals('once more'))
  expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
  expect(again?.body).toBe(first?.body)
  expect(again && verifyDelivery(again, SECRET)).toMatchObject({ EventType: 'messages' })
})

test('an event that is named twice, or in capital letters, is one event', async () => {
  await device.receiveText('named often')
  await waitForDelivered(1)
  const [{ envelope }] = findArrivals('named often') as [(typeof receiver.deliveries)[number]]
  const ids = [envelope.eventId, envelope.eventId.toUpperCase(), envelope.eventId]
  expect(await replayEvents({ ids, dryRun: true })).toEqual({ matched: 1, queued: 0 })
  expect(await replayEvents({ ids })).toEqual({ matched: 1, queued: 1 })
  await waitForDelivered(2)
})

test('a range by seq is replayed in order, and a dry run only counts', async () => {
  await device.receiveText('many', 5)
  await waitForDelivered(5)
  const seqs = (await listEvents())
    .filter(({ type }: { type: string }) => type === 'messages')
    .map(({ seq }: { seq: number }) => seq)
    .sort((one: number, other: number) => one - other)
  const range = { fromSeq: seqs[1], toSeq: seqs[3], status: 'delivered' }
  expect(await replayEvents({ ...range, dryRun: true })).toEqual({ matched: 3, queued: 0 })
  expect(await replayEvents(range)).toEqual({ matched: 3, queued: 3 })
  await waitForDelivered(8)
  expect(receiver.deliveries.slice(5).map(({ envelope }) => envelope.seq)).toEqual(seqs.slice(1, 4))
})

test('events that died by a changed destination are replayed to the current one; waiting events are due at once', async () => {
  const paused = { url: receiver.url, events: 'messages', enabled: false }
  await device.caller.post('/webhook', paused)
  await device.receiveText('left behind')
  await until(async () => (await listEvents('&status=pending')).length === 1)
  await device.caller.post('/webhook', { ...paused, url: `${receiver.url}/new`, enabled: true })
  const [dead] = await listEvents('&status=dead')
  expect(dead).toMatchObject({ lastError: 'destination_changed' })
  expect(await replayEvents({ status: 'dead' })).toEqual({ matched: 1, queued: 1 })
  await waitForDelivered(1)
  expect(await listEvents('&status=dead')).toEqual([])

  receiver.status = 503
  await device.receiveText('refused')
  await until(async () => (await listEvents('&status=pending'))[0]?.attempts === 1)
  receiver.status = 204
  expect(
    await replayEvents({ ids: (await listEvents('&status=pending')).map(({ id }: { id: string }) => id) }),
  ).toEqual({ matched: 1, queued: 1 })
  await until(() => findArrivals('refused').length === 2)
})

test('only events that the current webhook receives are queued, and none without a webhook', async () => {
  await device.receiveText('excluded')
  await waitForDelivered(1)
  const all = (await replayEvents({ fromSeq: 0, dryRun: true })).matched
  expect(all).toBe((await listEvents()).length)
  await device.caller.post('/webhook', { url: receiver.url, events: 'messages', excludeMessages: 'fromMeNo' })
  expect(await replayEvents({ fromSeq: 0 })).toEqual({ matched: all, queued: 0 })
  await device.caller.post('/webhook', { url: receiver.url, events: 'groups' })
  expect(await replayEvents({ fromSeq: 0 })).toEqual({ matched: all, queued: 0 })
  await device.caller.post('/webhook', { action: 'delete' })
  expect(await replayEvents({ fromSeq: 0 })).toEqual({ matched: all, queued: 0 })
  expect(listTexts(receiver)).toEqual(['excluded'])
})

test('no event of another instance is matched, and refusals name their field', async () => {
  await device.receiveText('mine')
  await waitForDelivered(1)
  const [own] = findArrivals('mine')
  const other = await createCorrespondent(world)
  const response = await other.caller.post('/v1/events/replay', { ids: [own?.envelope.eventId] })
  expect(response.body).toEqual({ matched: 0, queued: 0 })
  const replayInvalid = async (body: object) => (await replayEvents(body)).error
  expect(await replayInvalid({ ids: ['seven'] })).toBe('invalid_id')
  expect(await replayInvalid({ status: 'pending' })).toBe('invalid_status')
  expect(await replayInvalid({ fromSeq: -1 })).toBe('invalid_body')
  expect(await replayInvalid({ dryRun: 'yes' })).toBe('invalid_body')
  // One that is not known would deliver more than was meant.
  expect(await replayInvalid({ status: 'dead', dryrun: true })).toBe('invalid_body')
})
