// Fifty devices on one host: linked at once, each receiving its own, with the memory that a session takes printed.
// @module-tag slow

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createDevice, createPhone, linkDevice, subscribeReceiver } from '../device.ts'
import { startStage } from '../scene.ts'
import { until } from '../until.ts'

const DEVICES = 50
const ALL_WITHIN_MS = 60_000

const { world, receiver } = await startStage()

const readResidentKiB = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])

test('fifty instances linked at once receive their own messages only', {
  timeout: 180_000,
}, async () => {
  const host = world.findPid('session host')
  const before = readResidentKiB(host)
  const devices = await Promise.all(
    Array.from({ length: DEVICES }, async (_, index) => {
      const device = await createDevice(world, `Device ${index}`)
      await subscribeReceiver(device, receiver, ['messages'])
      return linkDevice(world, device, ALL_WITHIN_MS)
    }),
  )
  const after = readResidentKiB(host)
  console.log(`session host: ${before} KiB idle, ${((after - before) / DEVICES).toFixed(0)} KiB a session`)

  const friend = await createPhone(world)
  await Promise.all(
    devices.map((device) =>
      world.sim('POST', '/messages', { from: friend, to: device.number, text: device.id }),
    ),
  )
  await until(() => receiver.deliveries.length >= DEVICES, { within: 60_000 })
  const delivered = receiver.deliveries.map(({ envelope }) => [
    envelope.instanceId,
    (envelope.message as { text: string }).text,
  ])
  expect(delivered.sort()).toEqual(devices.map(({ id }) => [id, id]).sort())
})
