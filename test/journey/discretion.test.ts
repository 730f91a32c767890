// What leaves the gateway, and what does not: on webhooks, in lists, in logs at their most talkative.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createDevice, createPhone, linkDevice, SECRET, subscribeReceiver } from '../device.ts'
import { startScene } from '../scene.ts'
import { until } from '../until.ts'

const { world, receiver, device, waitForEvent, waitForMessage } = await startScene({ LOG_LEVEL: 'trace' })

/** A little of everything, both ways, refused and done. */
async function exchangeMessages(words: string): Promise<void> {
  const friend = await createPhone(world)
  const { caller, number } = device
  const sent = await caller.post('/send/text', { number: friend, text: words })
  await waitForMessage(friend, ({ text }) => text === words)
  await caller.post('/message/edit', { id: sent.body.messageid, text: `${words}, edited` })
  const file = Buffer.from('a file').toString('base64')
  await caller.post('/send/media', { number: friend, type: 'document', file, text: words })
  await caller.post('/send/text', { number: '5511900000001', text: words })
  await caller.post('/send/text', { number: friend, text: words, replyid: 'NOTHING' })
  const group = await caller.post('/group/create', { name: 'Some people', participants: [friend] })
  for (const to of [number, group.body.JID]) {
    for (const addressing of to === number ? ['pn', 'lid'] : [undefined]) {
      const { id } = await world.sim('POST', '/messages', { from: friend, to, text: words, addressing })
      await waitForEvent('messages', ({ message }) => message.messageid === id)
    }
  }
}

test('no log contains a text, a token or a secret at any log level', async () => {
  const words = 'between the two of us'
  await exchangeMessages(words)
  const logs = readdirSync(join(world.dataDir, 'logs')).map((name) => ({
    name,
    text: readFileSync(join(world.dataDir, 'logs', name), 'utf8'),
  }))
  expect(logs.some(({ text }) => text.includes('"action":"message.sendText"'))).toBe(true)
  const admin = readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim()
  for (const hidden of [words, device.token, admin, SECRET, SECRET.slice('whsec_'.length)])
    expect(logs.filter(({ text }) => text.includes(hidden)).map(({ name }) => name)).toEqual([])
})

test('no delivery and no list contains a token, or an id in the form of the network', async () => {
  const lists = await Promise.all([
    world.admin.get('/instance/all'),
    device.caller.get('/instance/status'),
    device.caller.get('/v1/events?limit=200'),
    device.caller.get('/group/list'),
    device.caller.get('/webhook'),
    device.caller.post('/chat/find'),
  ])
  const bodies = [...receiver.deliveries.map(({ body }) => body), ...lists.map(({ text }) => text)]
  expect(bodies.length).toBeGreaterThan(10)
  for (const hidden of [device.token, SECRET, 'whatsapp.net'])
    expect(bodies.filter((body) => body.includes(hidden))).toEqual([])
})

test('events before the first webhook are never sent to it', async () => {
  const fresh = await linkDevice(world, await createDevice(world))
  const friend = await createPhone(world)
  await world.sim('POST', '/messages', { from: friend, to: fresh.number, text: 'too early' })
  const early = await until(async () => {
    const { events } = (await fresh.caller.get('/v1/events')).body
    return JSON.stringify(events).includes('too early') && events
  })
  for (const event of early) {
    expect(event).toMatchObject({ status: 'delivered', attempts: 0 })
    expect(event.deliveredAt ?? '').toBe('')
  }
  await subscribeReceiver(fresh, receiver)
  const { id } = await world.sim('POST', '/messages', { from: friend, to: fresh.number, text: 'in time' })
  await waitForEvent('messages', ({ message }) => message.messageid === id)
  const own = receiver.deliveries.filter(({ envelope }) => envelope.instanceId === fresh.id)
  expect(own.map(({ envelope }) => envelope.seq).sort((a, b) => a - b)[0]).toBeGreaterThan(early.length)
})
