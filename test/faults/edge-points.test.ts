// The edge ended between a commit and the word of it, or in the middle of a delivery: one effect a key, one id an event.
// @module-tag slow

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DatabaseProxy, startDatabaseProxy } from '../chaos/database-proxy.ts'
import {
  createDevice,
  createPhone,
  type LinkedDevice,
  linkDevice,
  SECRET,
  subscribeReceiver,
} from '../device.ts'
import { type Receiver, startReceiver, verifyDelivery } from '../receiver.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'

let database: DatabaseProxy
let receiver: Receiver
let second: Receiver
let world: World
let device: LinkedDevice
let friend: string

beforeAll(async () => {
  receiver = await startReceiver()
  second = await startReceiver()
  database = await startDatabaseProxy()
  const reached = { DATABASE_URL: database.url, DATABASE_TOKEN: database.token }
  const allowed = [receiver.place, second.place].join()
  world = await startWorld({ ...reached, WEBHOOK_ALLOWLIST: allowed, ACTION_TIMEOUT_MS: '10000' })
  const made = await createDevice(world)
  await subscribeReceiver(made, receiver, ['messages'])
  const webhook = { url: second.url, events: ['messages'], secret: SECRET }
  expect((await made.caller.post('/v1/webhooks', webhook)).status).toBe(200)
  device = await linkDevice(world, made)
  friend = await createPhone(world)
})
afterAll(async () => {
  await world.close()
  await database.close()
  await receiver.close()
  await second.close()
})

const killEdge = () => void process.kill(world.findPid('edge'), 'SIGKILL')
const listDelivered = (text: string, { deliveries } = receiver) =>
  deliveries.filter(
    ({ envelope }) =>
      envelope.EventType === 'messages' && (envelope.message as { text: string }).text === text,
  )
const matchStatement =
  (...parts: RegExp[]) =>
  (request: string) =>
    parts.every((part) => part.test(request))

test.each<[string, () => void]>([
  [
    'after an event is in, before its ack',
    () => database.killAtNext(matchStatement(/insert into events/i), killEdge),
  ],
  [
    'after the act is called handed over, before it is',
    () => database.killAtNext(matchStatement(/insert into .{0,2}"idempotency_keys/i), killEdge),
  ],
  [
    'after the answer is kept, before it is given',
    () => database.killAtNext(matchStatement(/update .{0,2}"idempotency_keys/i, /"answered"/), killEdge),
  ],
  ['after a POST, before it is settled', () => receiver.runAtNext(killEdge)],
  ['after a POST to the second webhook, before its result is stored', () => second.runAtNext(killEdge)],
  [
    'after the result of the second webhook is stored, before it is confirmed',
    () => database.killAtNext(matchStatement(/insert into deliveries/, new RegExp(second.place)), killEdge),
  ],
])('an edge killed %s', { timeout: 180_000 }, async (name, arm) => {
  const before = world.run.parts.edge
  arm()
  const words = { in: `in ${name}`, out: `out ${name}` }
  await world.sim('POST', '/messages', { from: friend, to: device.number, text: words.in })
  const letter = { number: friend, text: words.out }
  // The caller repeats the request with the same key until the response is final.
  const response = await until(
    async () => {
      const retried = await device.caller.post('/send/text', letter, {
        'idempotency-key': `key-${name.length}`,
      })
      return [200, 504].includes(retried.status) && retried
    },
    { within: 60_000 },
  )
  await until(() => world.run.parts.edge !== before)
  for (const one of [receiver, second])
    await until(() => listDelivered(words.in, one).length > 0, { within: 60_000 })

  const { messages } = await world.sim('GET', `/phones/${friend}/inbox`)
  const effects = (messages as { text: string }[]).filter(({ text }) => text === words.out).length
  expect(effects).toBeLessThanOrEqual(1)
  if (response.status === 200) expect(effects).toBe(1)
  const deliveries = [receiver, second].flatMap((one) => listDelivered(words.in, one))
  expect(new Set(deliveries.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  expect(new Set(deliveries.map(({ body }) => body)).size).toBe(1)
  for (const delivery of deliveries) verifyDelivery(delivery, SECRET)
  if (name === 'after the result of the second webhook is stored, before it is confirmed')
    expect(listDelivered(words.in, second)).toHaveLength(1)
})

test('a request that is rejected before the dispatch writes no key, so a kill cannot leave it claimed', async () => {
  const unlinked = await createDevice(world)
  const friend = await createPhone(world)
  let taken = 0
  const sendText = () =>
    unlinked.caller.post('/send/text', { number: friend, text: 'later' }, { 'idempotency-key': 'refused' })
  database.killAtNext(matchStatement(/insert into .{0,2}"idempotency_keys/i), () => taken++)
  expect((await sendText()).body.error).toBe('not_connected')
  expect(taken).toBe(0)
  // The edge was ended just before: until the host is back no session can connect.
  await until(async () => (await unlinked.caller.post('/instance/connect')).status === 200)
  await linkDevice(world, unlinked)

  // Committed without a response: nothing was dispatched, so the key is free again for the next request.
  expect((await sendText()).body.error).toBe('storage_unavailable')
  expect(taken).toBe(1)
  await until(async () => (await sendText()).status === 200)
  const { messages } = await world.sim('GET', `/phones/${friend}/inbox`)
  expect(messages).toHaveLength(1)
})

test('a response whose storing is not confirmed is sent, and its key repeats it', async () => {
  const letter = { number: await createPhone(world), text: 'unconfirmed' }
  const sendLetter = () => device.caller.post('/send/text', letter, { 'idempotency-key': 'unconfirmed' })
  let dropped = 0
  database.killAtNext(matchStatement(/update .{0,2}"idempotency_keys/i, /"answered"/), () => dropped++)
  const first = await sendLetter()
  expect(first.status).toBe(200)
  expect(dropped).toBe(1)
  const again = await until(async () => {
    const repeated = await sendLetter()
    return repeated.headers.get('idempotency-replayed') === 'true' && repeated
  })
  expect(again.text).toBe(first.text)
  const { messages } = await world.sim('GET', `/phones/${letter.number}/inbox`)
  expect(messages).toHaveLength(1)
})
