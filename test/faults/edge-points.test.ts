// The edge ended between a commit and the word of it, or in the middle of a delivery: one effect a key, one id an event.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DatabaseProxy, startDatabaseProxy } from '../chaos/database-proxy.ts'
import { type LinkedDevice, link, makeDevice, makePhone, SECRET, subscribe } from '../device.ts'
import { type Receiver, startReceiver, verify } from '../receiver.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'

let database: DatabaseProxy
let receiver: Receiver
let world: World
let device: LinkedDevice
let friend: string

beforeAll(async () => {
  receiver = await startReceiver()
  database = await startDatabaseProxy()
  const reached = { DATABASE_URL: database.url, DATABASE_TOKEN: database.token }
  world = await startWorld({ ...reached, WEBHOOK_ALLOWLIST: receiver.place, ACTION_TIMEOUT_MS: '10000' })
  const made = await makeDevice(world)
  await subscribe(made, receiver, ['messages'])
  device = await link(world, made)
  friend = await makePhone(world)
})
afterAll(async () => {
  await world.close()
  await database.close()
  await receiver.close()
})

const killEdge = () => void process.kill(world.pid('edge'), 'SIGKILL')
const told = (text: string) =>
  receiver.deliveries.filter(
    ({ envelope }) =>
      envelope.EventType === 'messages' && (envelope.message as { text: string }).text === text,
  )
const statement =
  (...parts: RegExp[]) =>
  (request: string) =>
    parts.every((part) => part.test(request))

test.each<[string, () => void]>([
  ['after an event is in, before its ack', () => database.atNext(statement(/insert into events/i), killEdge)],
  [
    'after the act is called handed over, before it is',
    () => database.atNext(statement(/insert into .{0,2}"replays/i), killEdge),
  ],
  [
    'after the answer is kept, before it is given',
    () => database.atNext(statement(/update .{0,2}"replays/i, /"answered"/), killEdge),
  ],
  ['after a POST, before it is settled', () => receiver.atNext(killEdge)],
])('an edge that dies %s', async (name, arm) => {
  const before = world.run.parts.edge
  arm()
  const words = { in: `in ${name}`, out: `out ${name}` }
  await world.sim('POST', '/messages', { from: friend, to: device.number, text: words.in })
  const letter = { number: friend, text: words.out }
  // The caller asks again under the same key until the answer is final.
  const answer = await until(
    async () => {
      const asked = await device.caller.post('/send/text', letter, {
        'idempotency-key': `key-${name.length}`,
      })
      return [200, 504].includes(asked.status) && asked
    },
    { within: 60_000 },
  )
  await until(() => world.run.parts.edge !== before)
  await until(() => told(words.in).length > 0, { within: 60_000 })

  const { messages } = await world.sim('GET', `/phones/${friend}/inbox`)
  const effects = (messages as { text: string }[]).filter(({ text }) => text === words.out).length
  expect(effects).toBeLessThanOrEqual(1)
  if (answer.status === 200) expect(effects).toBe(1)
  const deliveries = told(words.in)
  expect(new Set(deliveries.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  expect(new Set(deliveries.map(({ body }) => body)).size).toBe(1)
  for (const delivery of deliveries) verify(delivery, SECRET)
})

test('what is refused before anything is handed over writes nothing of its key, which no death can leave taken', async () => {
  const unlinked = await makeDevice(world)
  const friend = await makePhone(world)
  let taken = 0
  const ask = () =>
    unlinked.caller.post('/send/text', { number: friend, text: 'later' }, { 'idempotency-key': 'refused' })
  database.atNext(statement(/insert into .{0,2}"replays/i), () => taken++)
  expect((await ask()).body.error).toBe('not_connected')
  expect(taken).toBe(0)
  // The edge was ended just before: until the host is back there is nobody to connect at.
  await until(async () => (await unlinked.caller.post('/instance/connect')).status === 200)
  await link(world, unlinked)

  // Taken without a word of it: nothing was handed over, so the key is free again for whoever asks once more.
  expect((await ask()).body.error).toBe('storage_unavailable')
  expect(taken).toBe(1)
  await until(async () => (await ask()).status === 200)
  const { messages } = await world.sim('GET', `/phones/${friend}/inbox`)
  expect(messages).toHaveLength(1)
})

test('an answer that nobody confirms as kept is given all the same, and its key repeats it', async () => {
  const letter = { number: await makePhone(world), text: 'unconfirmed' }
  const ask = () => device.caller.post('/send/text', letter, { 'idempotency-key': 'unconfirmed' })
  let dropped = 0
  database.atNext(statement(/update .{0,2}"replays/i, /"answered"/), () => dropped++)
  const first = await ask()
  expect(first.status).toBe(200)
  expect(dropped).toBe(1)
  const again = await until(async () => {
    const repeated = await ask()
    return repeated.headers.get('idempotency-replayed') === 'true' && repeated
  })
  expect(again.text).toBe(first.text)
  const { messages } = await world.sim('GET', `/phones/${letter.number}/inbox`)
  expect(messages).toHaveLength(1)
})
