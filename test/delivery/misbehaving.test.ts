// Receivers that misbehave: each bad attempt ends with its reason, and no other receiver waits for it.
// @module-tag slow

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { subscribeReceiver } from '../device.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import { type Bad, type Manner, startBadReceiver } from './bad-receiver.ts'
import { type Correspondent, createCorrespondent, listTexts } from './gateway.ts'

const MAX_READ = 64 * 1024
/** What lies in the buffers of two kernels and a runtime counts as sent, and was not read. */
const BUFFERED = 8 * 1024 * 1024

let world: World
let canary: Server
let touched = 0
const healthy: { receiver: Receiver; device: Correspondent }[] = []
const bad = new Map<Manner, { receiver: Bad; device: Correspondent }>()

beforeAll(async () => {
  canary = createServer((_, response) => {
    touched++
    response.end()
  })
  await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve))
  const manners: Manner[] = [
    ...(['hang', 'drip', 'endless', 'endless refusal', 'never final'] as const),
    ...(['redirect', 'refuse', 'gone', 'busy'] as const),
  ]
  const elsewhere = `http://127.0.0.1:${(canary.address() as AddressInfo).port}/`
  const receivers = await Promise.all(manners.map((manner) => startBadReceiver(manner, elsewhere)))
  const good = await Promise.all([startReceiver(), startReceiver(), startReceiver()])
  world = await startWorld({ WEBHOOK_ALLOWLIST: [...receivers, ...good].map(({ place }) => place).join() })
  for (const receiver of good) {
    const device = await createCorrespondent(world)
    await subscribeReceiver(device, receiver, ['messages'])
    healthy.push({ receiver, device })
  }
  for (const [index, receiver] of receivers.entries()) {
    const device = await createCorrespondent(world)
    await device.caller.post('/webhook', { url: receiver.url, events: 'messages' })
    bad.set(manners[index] as Manner, { receiver, device })
  }
})

afterAll(async () => {
  await world.close()
  canary.close()
  for (const { receiver } of bad.values()) receiver.close()
  for (const { receiver } of healthy) await receiver.close()
})

const findBadReceiver = (manner: Manner) => bad.get(manner) as { receiver: Bad; device: Correspondent }
const readDeliveryStatus = async (manner: Manner) =>
  (await findBadReceiver(manner).device.caller.get('/webhook')).body.deliveryStatus
const waitForFailure = (manner: Manner) =>
  until(async () => (await readDeliveryStatus(manner)).lastFailure, { within: 30_000 }) as Promise<{
    status: number
    error: string
  }>

test('while bad receivers hang, the others get everything; then each bad attempt ends with its reason', async () => {
  for (const { device } of bad.values()) await device.receiveText('for a bad one')
  await until(
    () => findBadReceiver('hang').receiver.hanging > 0 && findBadReceiver('drip').receiver.hanging > 0,
  )
  await Promise.all(healthy.map(({ device }) => device.receiveText('for a good one', 50)))
  await until(() => healthy.every(({ receiver }) => listTexts(receiver).length === 50))
  // Nothing is timed: it was all delivered before the first of these was let go.
  expect(findBadReceiver('hang').receiver.hanging).toBe(1)
  expect(findBadReceiver('drip').receiver.hanging).toBe(1)

  expect(await waitForFailure('hang')).toMatchObject({ status: 0, error: 'timeout' })
  expect(await waitForFailure('drip')).toMatchObject({ status: 0, error: 'timeout' })
  expect(await waitForFailure('redirect')).toMatchObject({ status: 307, error: 'redirect' })
  expect(await waitForFailure('refuse')).toMatchObject({ status: 400, error: 'status_400' })
  expect(await waitForFailure('endless refusal')).toMatchObject({ status: 500, error: 'status_500' })
})

test('a response without end is read up to 64 KiB and counts as a response', async () => {
  const { receiver } = findBadReceiver('endless')
  await until(async () => (await readDeliveryStatus('endless')).lastDeliveredAt)
  await until(() => receiver.hanging === 0)
  expect(receiver.sent).toBeLessThan(MAX_READ + BUFFERED)
  await until(() => findBadReceiver('endless refusal').receiver.hanging === 0)
})

test('provisional responses without end are not read for long', async () => {
  const { receiver } = findBadReceiver('never final')
  expect(await waitForFailure('never final')).toMatchObject({ status: 0, error: 'connection_lost' })
  await until(() => receiver.hanging === 0)
  expect(receiver.sent).toBeLessThan(BUFFERED)
})

test('a redirect is not followed', () => {
  expect(touched).toBe(0)
})

test('Retry-After makes the next attempt later than scheduled, and deliveryStatus shows until when', async () => {
  await waitForFailure('busy')
  const { pausedUntil } = await readDeliveryStatus('busy')
  const { events } = (await findBadReceiver('busy').device.caller.get('/v1/events?status=pending')).body
  expect(pausedUntil).toBe(events[0].nextAttemptAt)
  const wait = Date.parse(events[0].nextAttemptAt) - Date.parse(events[0].lastAttemptAt)
  expect(wait).toBe(3_600_000)
})

test('a 410 makes the event dead, later events wait, and a save starts the delivery again', async () => {
  const { device, receiver } = findBadReceiver('gone')
  expect(await waitForFailure('gone')).toMatchObject({ status: 410 })
  expect((await device.caller.get('/v1/events?status=dead')).body.events).toHaveLength(1)
  await device.receiveText('later')
  await until(async () => (await readDeliveryStatus('gone')).pending === 1)
  expect(await readDeliveryStatus('gone')).toMatchObject({ dead: 1 })
  expect(receiver.requests).toBe(1)
  await device.caller.post('/webhook', { url: receiver.url, events: 'messages' })
  await until(() => receiver.requests === 2)
})

test('failures are listed newest first, with their reason and without their payload', async () => {
  const { errors } = (await findBadReceiver('gone').device.caller.get('/webhook/errors')).body
  expect(errors.length).toBeGreaterThan(0)
  expect(errors[0]).toMatchObject({ type: 'messages', lastStatus: 410, lastError: 'status_410' })
  expect(errors.map(({ seq }: { seq: number }) => seq)).toEqual(
    errors.map(({ seq }: { seq: number }) => seq).sort((one: number, other: number) => other - one),
  )
  expect(JSON.stringify(errors)).not.toContain('for a bad one')
})

test('a webhook test shows the response of the receiver, or that there is no receiver', async () => {
  const [good] = healthy
  const tested = (await good?.device.caller.post('/webhook/test'))?.body
  expect(tested).toEqual({ delivered: true, status: 204, ms: expect.any(Number), error: '' })
  expect(good?.receiver.deliveries.at(-1)?.envelope).toMatchObject({ EventType: 'test', seq: 0 })
  const { device } = findBadReceiver('refuse')
  expect((await device.caller.post('/webhook/test')).body).toMatchObject({
    delivered: false,
    status: 400,
    error: 'status_400',
  })
  await device.caller.post('/webhook', { action: 'delete' })
  const none = await device.caller.post('/webhook/test')
  expect([none.status, none.body.error]).toEqual([400, 'invalid_url'])
})
