// kill -9 of everything at once: sessions come back without pairing, and no event is lost.
// @module-tag slow

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  createDevice,
  createPhone,
  linkDevice,
  SECRET,
  subscribeReceiver,
  waitUntilConnected,
} from '../device.ts'
import { verifyDelivery } from '../receiver.ts'
import { startStage } from '../scene.ts'
import { until } from '../until.ts'

const { world, receiver } = await startStage()

const listTexts = () =>
  receiver.deliveries
    .filter(({ envelope }) => envelope.EventType === 'messages')
    .map(({ envelope }) => (envelope.message as { text: string }).text)

test('after a kill -9 of all processes the instance connects again, and unconfirmed events are delivered', async () => {
  const fresh = await createDevice(world)
  await subscribeReceiver(fresh, receiver, ['messages'])
  const device = await linkDevice(world, fresh)
  const friend = await createPhone(world)

  receiver.status = 503
  await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'before the kill' })
  await until(() => listTexts().includes('before the kill'))
  const [refusedOnce] = receiver.deliveries
  receiver.status = 204
  await world.killAndRestart()

  await waitUntilConnected(device)
  const delivered = await until(
    () => receiver.deliveries.filter(({ envelope }) => envelope.EventType === 'messages')[1],
  )
  expect(delivered.headers['webhook-id']).toBe(refusedOnce?.headers['webhook-id'])
  expect(delivered.body).toBe(refusedOnce?.body)
  verifyDelivery(delivered, SECRET)

  await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'after the kill' })
  await until(() => listTexts().includes('after the kill'))
  const sent = await device.caller.post('/send/text', { number: friend, text: 'still here' })
  expect(sent.status).toBe(200)
})

test.each(['session host', 'edge', 'simulator'])(
  'a killed %s is restarted and logged, and requests work',
  async (name) => {
    const device = await linkDevice(world, await createDevice(world))
    const friend = await createPhone(world)
    await subscribeReceiver(device, receiver, ['messages'])
    const victim = world.findPid(name)
    process.kill(victim, 'SIGKILL')
    await until(() => world.run.parts[name] !== victim)
    expect(world.readOutput()).toContain(`The ${name} was killed (SIGKILL); starting it again.`)

    const text = `after the ${name}`
    await until(async () => (await device.caller.get('/instance/status')).body?.loggedIn)
    await world.sim('POST', '/messages', { from: friend, to: device.number, text })
    await until(() => listTexts().includes(text), { within: 40_000 })
  },
)

test('an alarm lost in a kill is replaced: events are delivered when they are due', async () => {
  const fresh = await createDevice(world)
  await subscribeReceiver(fresh, receiver, ['messages'])
  const device = await linkDevice(world, fresh)
  receiver.status = 503
  await world.sim('POST', '/messages', {
    from: await createPhone(world),
    to: device.number,
    text: 'due soon',
  })
  await until(async () => (await device.caller.get('/webhook/errors')).body.errors.length > 0)
  receiver.status = 204
  await world.killAndRestart(() => rmSync(join(world.dataDir, 'edge'), { recursive: true, force: true }))
  await until(() => listTexts().filter((text) => text === 'due soon').length === 2)
})
