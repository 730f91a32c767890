// Placement of sessions, and the responses when there is no slot, no host or no database.
// @module-tag slow

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPlainCaller } from '../caller.ts'
import { type DatabaseServer, startDatabaseServer } from '../database-server.ts'
import { createDevice, linkDevice, waitUntilConnected } from '../device.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'

let database: DatabaseServer
let world: World

beforeAll(async () => {
  database = await startDatabaseServer()
  world = await startWorld({ ...database.env, HOST_SLOTS: '1', DIALECTS: 'evolution,cloud' })
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

test('a database that does not answer while a form looks for the instance that an admin names is a refusal of that form', async () => {
  const token = readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim()
  const below = (path: string, credential: Record<string, string>) =>
    createPlainCaller(`${world.run.baseUrl}${path}`, credential)
  process.kill(database.pid, 'SIGSTOP')
  try {
    const [evolution, cloud] = await Promise.all([
      below('/evolution', { apikey: token }).get('/instance/connectionState/shop'),
      below('/graph', { authorization: `Bearer ${token}` }).get('/shop'),
    ])
    expect(evolution).toMatchObject({ status: 502, body: { status: 502, error: 'Bad Gateway' } })
    expect(cloud).toMatchObject({ status: 503, body: { error: { type: 'OAuthException', code: 131016 } } })
    for (const { headers } of [evolution, cloud]) expect(headers.get('retry-after')).toBe('5')
  } finally {
    process.kill(database.pid, 'SIGCONT')
  }
  await until(async () => (await world.admin.get('/health/ready')).status === 200)
})
