// Receivers that misbehave: each bad attempt ends with its reason, and nobody else waits for it.

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { subscribe } from '../device.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import { type Bad, type Manner, startBad } from './bad-receiver.ts'
import { type Correspondent, makeCorrespondent, textsAt } from './gateway.ts'

const READ_AT_MOST = 64 * 1024
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
    ...(['hang', 'drip', 'endless', 'endless refusal'] as const),
    ...(['redirect', 'refuse', 'gone', 'busy'] as const),
  ]
  const elsewhere = `http://127.0.0.1:${(canary.address() as AddressInfo).port}/`
  const receivers = await Promise.all(manners.map((manner) => startBad(manner, elsewhere)))
  const good = await Promise.all([startReceiver(), startReceiver(), startReceiver()])
  world = await startWorld({ WEBHOOK_ALLOWLIST: [...receivers, ...good].map(({ place }) => place).join() })
  for (const receiver of good) {
    const device = await makeCorrespondent(world)
    await subscribe(device, receiver, ['messages'])
    healthy.push({ receiver, device })
  }
  for (const [index, receiver] of receivers.entries()) {
    const device = await makeCorrespondent(world)
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

const badOne = (manner: Manner) => bad.get(manner) as { receiver: Bad; device: Correspondent }
const statusOf = async (manner: Manner) =>
  (await badOne(manner).device.caller.get('/webhook')).body.deliveryStatus
const failureOf = (manner: Manner) =>
  until(async () => (await statusOf(manner)).lastFailure, { within: 30_000 }) as Promise<{
    status: number
    error: string
  }>

test('while the bad ones hang, everything for the others arrives; then each bad attempt ends with its reason', async () => {
  for (const { device } of bad.values()) await device.hears('for a bad one')
  await until(() => badOne('hang').receiver.hanging > 0 && badOne('drip').receiver.hanging > 0)
  await Promise.all(healthy.map(({ device }) => device.hears('for a good one', 50)))
  await until(() => healthy.every(({ receiver }) => textsAt(receiver).length === 50))
  // Nothing is timed: it was all delivered before the first of these was let go.
  expect(badOne('hang').receiver.hanging).toBe(1)
  expect(badOne('drip').receiver.hanging).toBe(1)

  expect(await failureOf('hang')).toMatchObject({ status: 0, error: 'timeout' })
  expect(await failureOf('drip')).toMatchObject({ status: 0, error: 'timeout' })
  expect(await failureOf('redirect')).toMatchObject({ status: 307, error: 'redirect' })
  expect(await failureOf('refuse')).toMatchObject({ status: 400, error: 'status_400' })
  expect(await failureOf('endless refusal')).toMatchObject({ status: 500, error: 'status_500' })
})

test('an answer without end is read up to 64 KiB and is an answer', async () => {
  const { receiver } = badOne('endless')
  await until(async () => (await statusOf('endless')).lastDeliveredAt)
  await until(() => receiver.hanging === 0)
  expect(receiver.sent).toBeLessThan(READ_AT_MOST + BUFFERED)
  await until(() => badOne('endless refusal').receiver.hanging === 0)
})

test('a redirect is not followed', () => {
  expect(touched).toBe(0)
})

test('Retry-After moves the next attempt behind the schedule, and deliveryStatus says until when', async () => {
  await failureOf('busy')
  const { pausedUntil } = await statusOf('busy')
  const { events } = (await badOne('busy').device.caller.get('/v1/events?status=pending')).body
  expect(pausedUntil).toBe(events[0].nextAttemptAt)
  const wait = Date.parse(events[0].nextAttemptAt) - Date.parse(events[0].lastAttemptAt)
  expect(wait).toBe(3_600_000)
})

test('410 ends it: the event is dead, later ones wait, and a save begins anew', async () => {
  const { device, receiver } = badOne('gone')
  expect(await failureOf('gone')).toMatchObject({ status: 410 })
  expect((await device.caller.get('/v1/events?status=dead')).body.events).toHaveLength(1)
  await device.hears('later')
  await until(async () => (await statusOf('gone')).pending === 1)
  expect(await statusOf('gone')).toMatchObject({ dead: 1 })
  expect(receiver.asked).toBe(1)
  await device.caller.post('/webhook', { url: receiver.url, events: 'messages' })
  await until(() => receiver.asked === 2)
})

test('failures are listed newest first, with their reason and without what they carried', async () => {
  const { errors } = (await badOne('gone').device.caller.get('/webhook/errors')).body
  expect(errors.length).toBeGreaterThan(0)
  expect(errors[0]).toMatchObject({ type: 'messages', lastStatus: 410, lastError: 'status_410' })
  expect(errors.map(({ seq }: { seq: number }) => seq)).toEqual(
    errors.map(({ seq }: { seq: number }) => seq).sort((one: number, other: number) => other - one),
  )
  expect(JSON.stringify(errors)).not.toContain('for a bad one')
})

test('a test delivery says what the receiver said, and says it when there is no receiver', async () => {
  const [good] = healthy
  const tested = (await good?.device.caller.post('/webhook/test'))?.body
  expect(tested).toEqual({ delivered: true, status: 204, ms: expect.any(Number), error: '' })
  expect(good?.receiver.deliveries.at(-1)?.envelope).toMatchObject({ EventType: 'test', seq: 0 })
  const { device } = badOne('refuse')
  expect((await device.caller.post('/webhook/test')).body).toMatchObject({
    ...{ delivered: false, status: 400, error: 'status_400' },
  })
  await device.caller.post('/webhook', { action: 'delete' })
  const none = await device.caller.post('/webhook/test')
  expect([none.status, none.body.error]).toEqual([400, 'invalid_url'])
})
