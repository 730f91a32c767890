// A data folder of a version with a database server is taken over at the first start: nothing is lost, and no device is linked anew.

import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DatabaseServer, startDatabaseServer } from '../database-server.ts'
import {
  createDevice,
  createPhone,
  type LinkedDevice,
  linkDevice,
  SECRET,
  subscribeReceiver,
  waitUntilConnected,
} from '../device.ts'
import { type Delivery, type Envelope, type Receiver, startReceiver, verifyDelivery } from '../receiver.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'

const env: Record<string, string> = { EDGE_ENGINE: 'node' }
let server: DatabaseServer
let world: World
let receiver: Receiver
let device: LinkedDevice
let friend: string

beforeAll(async () => {
  server = await startDatabaseServer()
  receiver = await startReceiver()
  Object.assign(env, { ...server.env, WEBHOOK_ALLOWLIST: receiver.place })
  world = await startWorld(env)
  const made = await createDevice(world)
  await subscribeReceiver(made, receiver, ['messages'])
  device = await linkDevice(world, made)
  friend = await createPhone(world)
})
afterAll(async () => {
  await world.close()
  await server.close()
  await receiver.close()
})

const hasText = (words: string) => (envelope: Envelope) =>
  (envelope.message as { text?: string } | undefined)?.text === words
const isDeviceOnline = async (): Promise<boolean> => {
  const { companions } = await world.sim('GET', `/phones/${device.number}`)
  return (companions as { online: boolean }[]).some(({ online }) => online)
}

test('a start without DATABASE_URL takes over devices, pending events, keys, audit log and tokens of the server’s folder', async () => {
  const key = { 'idempotency-key': 'before' }
  const message = { number: friend, text: 'sent before' }
  const sent = await device.caller.post('/send/text', message, key)
  expect(sent.status, sent.text).toBe(200)
  await receiver.waitForDelivery(hasText('sent before'))
  receiver.status = 503
  await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'waiting' })
  const refused = await receiver.waitForDelivery(hasText('waiting'))
  const { entries } = (await world.admin.get('/v1/audit')).body
  expect(entries).not.toEqual([])

  const [folder, file] = [join(world.dataDir, 'database'), join(world.dataDir, 'database', 'edge.db')]
  await world.killAndRestart(async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
    renameSync(server.folder, folder)
    delete env.DATABASE_URL
    delete env.DATABASE_TOKEN
    receiver.deliveries.length = 0
    receiver.status = 204
  })
  expect(world.run.databaseUrl).toBe(`file://${file}`)
  expect(world.readOutput()).toContain(`The database is now the file ${file}`)
  expect(readdirSync(folder).filter((name) => !name.startsWith('edge.db'))).toEqual(['dbs'])
  expect(existsSync(join(world.dataDir, 'database-key.pem'))).toBe(false)

  await until(isDeviceOnline)
  await waitUntilConnected(device)
  const { companions } = await world.sim('GET', `/phones/${device.number}`)
  expect(companions).toMatchObject([{ device: 1 }])
  const delivered: Delivery = await receiver.waitForDelivery(hasText('waiting'), 40_000)
  verifyDelivery(delivered, SECRET)
  expect(delivered.headers['webhook-id']).toBe(refused.headers['webhook-id'])
  expect(delivered.body).toBe(refused.body)
  const again = await device.caller.post('/send/text', message, key)
  expect([again.status, again.text]).toEqual([200, sent.text])
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  const audit = (await world.admin.get('/v1/audit?limit=200')).body.entries
  expect(audit).toEqual(expect.arrayContaining(entries))
  await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'afterwards' })
  verifyDelivery(await receiver.waitForDelivery(hasText('afterwards')), SECRET)
}, 120_000)
