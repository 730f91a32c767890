// Callers with too many requests at once: streams that are not read, and an instance that is deleted meanwhile.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { createDevice, subscribeReceiver } from '../device.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { until } from '../until.ts'
import { unlimited } from '../world.ts'
import { createCorrespondent, listTexts } from './gateway.ts'

let world: BorrowedWorld
let receiver: Receiver

beforeAll(async () => {
  receiver = await startReceiver()
  world = await borrowWorld(unlimited)
})

afterAll(async () => {
  await world.close()
  await receiver.close()
})

test('a hundred unread streams of one instance delay neither its webhook nor a stream that is read', async () => {
  const device = await createCorrespondent(world)
  await subscribeReceiver(device, receiver, ['messages'])
  const leave = new AbortController()
  const openStream = (headers: Record<string, string> = {}) =>
    fetch(`${world.run.baseUrl}/v1/events/stream`, {
      headers: { token: device.token, ...headers },
      signal: leave.signal,
    })
  const unread = await Promise.all(Array.from({ length: 100 }, () => openStream({ 'last-event-id': '0' })))
  expect(new Set(unread.map(({ status }) => status))).toEqual(new Set([200]))

  await device.receiveText('for all', 100)
  await until(() => listTexts(receiver).length === 100)
  const read = await openStream({ 'last-event-id': '0' })
  let received = ''
  for await (const chunk of read.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    received += chunk
    if (received.split('for all').length - 1 >= 100) break
  }
  leave.abort()
})

test('saves, replays and reads during the deletion of their instance get responses of the contract, and leave no rows', async () => {
  const device = await createDevice(world)
  await subscribeReceiver(device, receiver)
  const { caller, id } = device
  const requests = Array.from({ length: 40 }, (_, n) => [
    () => caller.post('/webhook', { url: `${receiver.url}${n % 2}`, events: 'all' }),
    () => caller.post('/v1/events/replay', { fromSeq: 0 }),
    () => caller.get('/webhook'),
    () => caller.post('/webhook', { action: n % 2 ? 'inherit' : 'delete' }),
  ]).flat()
  const responses = requests.map((sendRequest) => sendRequest())
  responses.splice(20, 0, caller.delete('/instance'))
  const statuses = (await Promise.all(responses)).map(({ status }) => status)
  expect(statuses.filter((status) => ![200, 401, 404, 429].includes(status))).toEqual([])
  expect((await caller.get('/webhook')).status).toBe(401)
  for (const table of ['events', 'webhooks'])
    expect(await world.queryDatabase(`select * from ${table} where instance_id = '${id}'`)).toEqual([])
})
