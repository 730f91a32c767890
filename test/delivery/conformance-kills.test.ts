// A kill of the edge between a POST and its record: at every position that one event comes again with the same id and bytes, and nothing else.
// @module-tag slow

import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDevice, createPhone, type LinkedDevice, linkDevice, SECRET } from '../device.ts'
import { type Receiver, startReceiver, verifyDelivery } from '../receiver.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import { listTexts, readText } from './gateway.ts'

const POSITIONS = [0, 1, 2, 3, 4]

let world: World
let device: LinkedDevice
let friend: string
const receivers: Receiver[] = []

beforeAll(async () => {
  for (const _ of POSITIONS) receivers.push(await startReceiver())
  world = await startWorld({ WEBHOOK_ALLOWLIST: receivers.map(({ place }) => place).join() })
  const fresh = await createDevice(world)
  for (const [position, { url }] of receivers.entries()) {
    const path = position === 0 ? '/webhook' : '/v1/webhooks'
    const { status, text } = await fresh.caller.post(path, { url, events: ['messages'], secret: SECRET })
    expect([status, text]).toEqual([200, expect.any(String)])
  }
  device = await linkDevice(world, fresh)
  friend = await createPhone(world)
})
afterAll(async () => {
  await world.close()
  for (const receiver of receivers) await receiver.close()
})

const receiveText = (text: string) =>
  world.sim('POST', '/messages', { from: friend, to: device.number, text })

test.each(POSITIONS)('at position %d', { timeout: 120_000 }, async (position) => {
  const killed = receivers[position]
  if (!killed) throw new Error('there is no such position')
  const [before, during, after] = ['before', 'during', 'after'].map((when) => `${when} ${position}`)
  await receiveText(before ?? '')
  for (const receiver of receivers) await until(() => listTexts(receiver).includes(before ?? ''))
  const edge = world.run.parts.edge
  killed.runAtNext(() => void process.kill(world.findPid('edge'), 'SIGKILL'))
  await receiveText(during ?? '')
  await until(() => world.run.parts.edge !== edge, { within: 30_000 })
  await receiveText(after ?? '')
  for (const receiver of receivers)
    await until(() => listTexts(receiver).includes(after ?? ''), { within: 60_000 })

  const twice = killed.deliveries.filter((delivery) => readText(delivery) === during)
  expect(twice).toHaveLength(2)
  expect(new Set(twice.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  expect(new Set(twice.map(({ body }) => body)).size).toBe(1)
  for (const delivery of twice) verifyDelivery(delivery, SECRET)
  for (const receiver of receivers) {
    const texts = listTexts(receiver).filter((text) => text.endsWith(String(position)))
    // Of a receiver that was sent it in that moment, nobody has stored the answer either.
    expect([...new Set(texts)]).toEqual([before, during, after])
    expect(texts.filter((text) => text !== during)).toEqual([before, after])
  }
})
