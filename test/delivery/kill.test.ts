// kill -9 of edge and database in the middle of a flow of events: none is lost, hardly one comes twice.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { SECRET, subscribe } from '../device.ts'
import { type Receiver, startReceiver, verify } from '../receiver.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import { type Correspondent, makeCorrespondent, textsAt } from './gateway.ts'

const DEVICES = 4
const EACH = 300
const AHEAD = 3
const MOST_TWICE = 0.005

let world: World
let receiver: Receiver
let devices: Correspondent[]

beforeAll(async () => {
  receiver = await startReceiver()
  world = await startWorld({ WEBHOOK_ALLOWLIST: receiver.place })
  devices = await Promise.all(Array.from({ length: DEVICES }, () => makeCorrespondent(world)))
  for (const device of devices) await subscribe(device, receiver, ['messages'])
})

afterAll(async () => {
  await world.close()
  await receiver.close()
})

const arrived = () => new Set(textsAt(receiver)).size

test('none lost, one id an event, the same bytes, duplicates within half a percent', {
  timeout: 180_000,
}, async () => {
  const victims: Record<number, string> = { 80: 'edge', 160: 'database', 240: 'edge' }
  for (let i = 0; i < EACH; i++) {
    const victim = victims[i]
    if (victim) process.kill(world.run.parts[victim] ?? 0, 'SIGKILL')
    await Promise.all(devices.map((device) => device.hears(`${device.id} ${i}`)))
    // A flow and not a flood: at most a few are on their way, except while what was killed comes back.
    if (victims[i] === undefined) await until(() => arrived() >= DEVICES * (i - AHEAD))
  }
  await until(() => arrived() === DEVICES * EACH, { within: 120_000 })

  const byId = Map.groupBy(receiver.deliveries, ({ headers }) => headers['webhook-id'])
  expect(byId.size).toBe(DEVICES * EACH)
  for (const repeats of byId.values()) {
    expect(new Set(repeats.map(({ body }) => body)).size).toBe(1)
    verify(repeats[0] as (typeof repeats)[0], SECRET)
  }
  const twice = receiver.deliveries.length - byId.size
  expect(twice).toBeLessThanOrEqual(DEVICES * EACH * MOST_TWICE)
})
