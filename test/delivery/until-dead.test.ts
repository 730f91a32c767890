// One event through its whole schedule on a real gateway, its clock moved by hand: every wait, the end, and the redrive.

import { DAY, HOUR, MINUTE, SECOND } from '@msgnet/shared/date-time.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { SECRET, subscribeReceiver } from '../device.ts'
import { type Receiver, startReceiver, verifyDelivery } from '../receiver.ts'
import { until } from '../until.ts'
import { type Correspondent, createCorrespondent } from './gateway.ts'

const waits = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  DAY,
]

let world: BorrowedWorld
let receiver: Receiver
let device: Correspondent

beforeAll(async () => {
  receiver = await startReceiver()
  world = await borrowWorld()
  device = await createCorrespondent(world)
  await subscribeReceiver(device, receiver, ['messages'])
})

afterAll(async () => {
  await world.close()
  await receiver.close()
})

// biome-ignore lint/suspicious/noExplicitAny: records are looked into by name.
const findEvent = async (): Promise<any> =>
  (await device.caller.get('/v1/events')).body.events.find(
    ({ type }: { type: string }) => type === 'messages',
  )

/** As if its time had come: a save of the same webhook wakes the courier. */
async function makeDue() {
  await world.queryDatabase('update deliveries set next_attempt_at = 1 where next_attempt_at is not null')
  await subscribeReceiver(device, receiver, ['messages'])
}

test('an event has twelve attempts at the documented times, then is dead, and a replay delivers it with the same id and bytes', async () => {
  receiver.status = 503
  await device.receiveText('never taken')
  for (const [index, wait] of waits.entries()) {
    const event = await until(async () => {
      const seen = await findEvent()
      return seen?.attempts === index + 1 && seen
    })
    expect(event).toMatchObject({ status: 'pending', lastStatus: 503, lastError: 'status_503' })
    const ms = Date.parse(event.nextAttemptAt) - Date.parse(event.lastAttemptAt)
    expect(ms).toBeGreaterThanOrEqual(wait * 0.8 - 1)
    expect(ms).toBeLessThanOrEqual(wait * 1.2 + 1)
    await makeDue()
  }
  const dead = await until(async () => {
    const seen = await findEvent()
    return seen.status === 'dead' && seen
  })
  expect(dead).toMatchObject({ attempts: 12, lastError: 'status_503' })
  expect(dead.nextAttemptAt).toBeUndefined()
  const { deliveryStatus } = (await device.caller.get('/webhook')).body
  expect(deliveryStatus).toMatchObject({
    pending: 0,
    dead: 1,
    pausedUntil: null,
    lastFailure: { eventId: dead.id, attempts: 12, status: 503, error: 'status_503' },
  })

  receiver.status = 204
  expect((await device.caller.post('/v1/events/replay', { status: 'dead' })).body).toEqual({
    matched: 1,
    queued: 1,
  })
  await until(async () => (await findEvent()).status === 'delivered')
  expect(receiver.deliveries).toHaveLength(13)
  expect(new Set(receiver.deliveries.map(({ body }) => body)).size).toBe(1)
  expect(new Set(receiver.deliveries.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([dead.id]))
  for (const delivery of receiver.deliveries) verifyDelivery(delivery, SECRET)
})

test('an event that fails blocks the later ones for its first three attempts and no longer', async () => {
  receiver.deliveries.length = 0
  receiver.status = 503
  await device.receiveText('in the way')
  const waitForFailures = (times: number) =>
    until(async () => {
      const { errors } = (await device.caller.get('/webhook/errors')).body
      return errors[0]?.attempts === times
    })
  await waitForFailures(1)
  await device.receiveText('behind it')
  const listTexts = () =>
    receiver.deliveries.map(({ envelope }) => (envelope.message as { text: string }).text)
  await makeDue()
  await waitForFailures(2)
  expect(listTexts()).toEqual(['in the way', 'in the way'])
  await makeDue()
  await until(() => listTexts().length >= 4)
  expect(listTexts().slice(0, 4)).toEqual(['in the way', 'in the way', 'in the way', 'behind it'])
})
