// Private destinations: refused when they are saved, and refused again when they are reached.

import { type AddressInfo, createServer, type Server } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import { type Correspondent, makeCorrespondent } from './gateway.ts'

let world: World
let canary: Server
let port: number
let connections = 0
let device: Correspondent

beforeAll(async () => {
  canary = createServer((socket) => {
    connections++
    socket.destroy()
  })
  await new Promise<void>((resolve) => canary.listen(0, resolve))
  port = (canary.address() as AddressInfo).port
  world = await startWorld({ WEBHOOK_ALLOWLIST: '127.0.0.1:1' })
  device = await makeCorrespondent(world)
})

afterAll(async () => {
  await world.close()
  canary.close()
})

const here = [
  ...['127.0.0.1', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '0.0.0.0', '127.0.0.1.'],
  ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]', '[64:ff9b::7f00:1]'],
  ...['localhost', 'LOCALHOST.', 'a.localhost', '１２７.０.０.１', '①②⑦.0.0.1', '%31%32%37.0.0.1'],
]

test.each(here)('https://%s is refused when it is saved, for one and for all', async (host) => {
  const body = { url: `https://${host}:${port}/`, events: 'all' }
  expect((await device.caller.post('/webhook', body)).body.error).toBe('invalid_url')
  expect((await world.admin.post('/v1/webhook', body)).body.error).toBe('invalid_url')
})

test('what was allowed when it was saved, and is not any more, is not reached', async () => {
  // Put there past the API, as if the allowlist had once held it. A name that cannot be resolved here is as good as
  // one that resolves to this machine: both end unreachable, and the canary tells them apart.
  for (const [host, error] of [
    [`http://127.0.0.1:${port}/`, 'destination_not_allowed'],
    [`https://10.0.0.1:${port}/`, 'destination_not_allowed'],
    [`https://localtest.me:${port}/`, 'unreachable'],
  ]) {
    await device.caller.post('/webhook', { url: 'https://hooks.example.org/', events: 'messages' })
    await world.database(`update subscriptions set url = '${host}' where instance_id = '${device.id}'`)
    const tested = (await device.caller.post('/webhook/test')).body
    expect(tested).toMatchObject({ delivered: false, status: 0, error })
  }
  expect(connections).toBe(0)
})

test('the canary is one: who is let through reaches it', async () => {
  const before = connections
  await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)
  await until(() => connections > before)
})
