// Ask 15: the history of a newly linked account arrives whole, though the session host is killed again and again while it does.
// @module-tag slow

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { createDevice, linkWithPast } from '../device.ts'
import { until } from '../until.ts'
import { startWorld } from '../world.ts'

const MESSAGES = 100_000
const KILLS = 10

/** How often each message was delivered, by events that were not delivered before. */
const deliveries = new Map<string, number>()
const events = new Set<string>()
const server = createServer((request, response) => {
  let body = ''
  request.setEncoding('utf8')
  request.on('data', (part: string) => {
    body += part
  })
  request.on('end', () => {
    const { EventType, eventId, event } = JSON.parse(body)
    if (EventType === 'history' && !events.has(eventId)) {
      events.add(eventId)
      for (const { messageid } of event.messages)
        deliveries.set(messageid, (deliveries.get(messageid) ?? 0) + 1)
    }
    response.end()
  })
}).listen(0, '127.0.0.1')
await new Promise((resolve) => server.once('listening', resolve))
const place = `127.0.0.1:${(server.address() as AddressInfo).port}`
const world = await startWorld({ WEBHOOK_ALLOWLIST: place })
afterAll(async () => {
  await world.close()
  server.closeAllConnections()
  server.close()
})

test('a history of 100,000 messages whose host is killed ten times is stored and delivered, each message once', {
  timeout: 900_000,
  // What may have been lost is not tried again.
  retry: 0,
}, async () => {
  const device = await createDevice(world)
  await device.caller.post('/webhook', { url: `http://${place}/`, events: ['history'] })
  await linkWithPast(world, device, { chats: 200, messages: MESSAGES, groups: 10 })
  const readStatus = async () => (await device.caller.get('/instance/status')).body
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const reached = (kill * MESSAGES) / (KILLS + 1)
    await until(() => deliveries.size >= reached, { within: 200_000 })
    const victim = world.findPid('session host')
    process.kill(victim, 'SIGKILL')
    await until(() => world.run.parts['session host'] !== victim)
  }
  await until(async () => (await readStatus()).history.state === 'complete', { within: 300_000 })
  await until(() => deliveries.size >= MESSAGES, { within: 60_000 })
  const counts = [...deliveries.values()]
  expect({ delivered: counts.length, twice: counts.filter((count) => count > 1).length }).toEqual({
    delivered: MESSAGES,
    twice: 0,
  })
  const { pagination } = (await device.caller.post('/chat/find', { limit: 1 })).body
  expect(pagination).toMatchObject({ totalRecords: 200 })
  const oldest = await device.caller.post('/message/find', { limit: 100, offset: MESSAGES - 100 })
  expect(oldest.body).toMatchObject({ returnedMessages: 100, hasMore: false })
})
