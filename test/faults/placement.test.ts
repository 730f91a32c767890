// Placement of sessions, and the responses when there is no slot, no host or no database.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DatabaseServer, startDatabaseServer } from '../database-server.ts'
import { createDevice, linkDevice, waitUntilConnected } from '../device.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'

let database: DatabaseServer
let world: World

beforeAll(async () => {
  database = await startDatabaseServer()
  world = await startWorld({ ...database.env, HOST_SLOTS: '1' })
})

afterAll(async () => {
  await world.close()
  await database.close()
})

test('connect without a free slot is 429 worker_full with Retry-After 5 until a slot is free', async () => {
  const first = await linkDevice(world, await createDevice(world))
  const second = await createDevice(world)
  const full = await second.caller.post('/instance/connect')
  expect([full.status, full.body.error, full.headers.get('retry-after')]).toEqual([429, 'worker_full', '5'])

  await first.caller.delete('/instance')
  expect((await second.caller.post('/instance/connect')).body.pairing?.method).toBe('qr')
  await second.caller.delete('/instance')
})

test('a session whose host is away is session_owned_elsewhere until the host is back', async () => {
  const device = await linkDevice(world, await createDevice(world))
  process.kill(world.findPid('session host'), 'SIGKILL')
  const away = await until(async () => {
    const response = await device.caller.post('/instance/connect')
    return response.status !== 200 && response
  })
  expect([away.status, away.body.error]).toEqual([409, 'session_owned_elsewhere'])
  await waitUntilConnected(device)
  await until(async () => (await device.caller.post('/instance/connect')).status === 200)
  await device.caller.delete('/instance')
})

test('a database that does not answer is 502 storage_unavailable with Retry-After 5, and not_ready', async () => {
  const device = await createDevice(world)
  process.kill(database.pid, 'SIGSTOP')
  try {
    const responses = await Promise.all([
      device.caller.get('/instance/status'),
      world.admin.post('/instance/init', { name: 'X' }),
      world.admin.get('/health/ready'),
      world.admin.get('/health/live'),
    ])
    expect(responses.map(({ status, body }) => [status, body.error ?? body.status])).toEqual([
      [502, 'storage_unavailable'],
      [502, 'storage_unavailable'],
      [503, 'not_ready'],
      [200, 'live'],
    ])
    expect(responses[0]?.headers.get('retry-after')).toBe('5')
    expect(responses[2]?.body).toEqual({ status: 'not_ready', reason: 'database_unreachable' })
  } finally {
    process.kill(database.pid, 'SIGCONT')
  }
  await until(async () => (await device.caller.get('/instance/status')).status === 200)
})
