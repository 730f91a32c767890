// kill -9 of everything at once: sessions come back without pairing, and no event is lost.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { connected, link, makeDevice, makePhone, SECRET, subscribe } from '../device.ts'
import { verify } from '../receiver.ts'
import { setStage } from '../scene.ts'
import { until } from '../until.ts'

const { world, receiver } = await setStage()

const texts = () =>
  receiver.deliveries
    .filter(({ envelope }) => envelope.EventType === 'messages')
    .map(({ envelope }) => (envelope.message as { text: string }).text)

test('after a kill -9 of the whole tree the instance is connected again, and what was not confirmed is delivered', async () => {
  const fresh = await makeDevice(world)
  await subscribe(fresh, receiver, ['messages'])
  const device = await link(world, fresh)
  const friend = await makePhone(world)

  receiver.answer = 503
  await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'before the kill' })
  await until(() => texts().includes('before the kill'))
  const [refusedOnce] = receiver.deliveries
  receiver.answer = 204
  await world.killAndRestart()

  await connected(device)
  const delivered = await until(
    () => receiver.deliveries.filter(({ envelope }) => envelope.EventType === 'messages')[1],
  )
  expect(delivered.headers['webhook-id']).toBe(refusedOnce?.headers['webhook-id'])
  expect(delivered.body).toBe(refusedOnce?.body)
  verify(delivered, SECRET)

  await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'after the kill' })
  await until(() => texts().includes('after the kill'))
  const sent = await device.caller.post('/send/text', { number: friend, text: 'still here' })
  expect(sent.status).toBe(200)
})

test.each(['session host', 'edge', 'simulator'])(
  'a %s that is killed is started again, said so, and the path works',
  async (name) => {
    const device = await link(world, await makeDevice(world))
    const friend = await makePhone(world)
    await subscribe(device, receiver, ['messages'])
    const victim = world.pid(name)
    process.kill(victim, 'SIGKILL')
    await until(() => world.run.parts[name] !== victim)
    expect(world.printed()).toContain(`The ${name} was killed (SIGKILL); starting it again.`)

    const text = `after the ${name}`
    await until(async () => (await device.caller.get('/instance/status')).body?.loggedIn)
    await world.sim('POST', '/messages', { from: friend, to: device.number, text })
    await until(() => texts().includes(text), { within: 40_000 })
  },
)

test('an alarm that died unwritten is made up for: what was due soon is delivered when it is due', async () => {
  const fresh = await makeDevice(world)
  await subscribe(fresh, receiver, ['messages'])
  const device = await link(world, fresh)
  receiver.answer = 503
  await world.sim('POST', '/messages', { from: await makePhone(world), to: device.number, text: 'due soon' })
  await until(async () => (await device.caller.get('/webhook/errors')).body.errors.length > 0)
  receiver.answer = 204
  await world.killAndRestart(() => rmSync(join(world.dataDir, 'edge'), { recursive: true, force: true }))
  await until(() => texts().filter((text) => text === 'due soon').length === 2)
})
