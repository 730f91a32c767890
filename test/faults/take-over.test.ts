// A data folder of a version with a database server is taken over at the first start: nothing is lost, and no device is linked anew.

import { generateKeyPairSync } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { databasePart, databaseToken } from '../../local/parts/database.ts'
import { type Crew, makeCrew } from '../../local/processes/crew.ts'
import { freePort } from '../../local/settings/ports.ts'
import { connected, type LinkedDevice, link, makeDevice, makePhone, SECRET, subscribe } from '../device.ts'
import { type Delivery, type Receiver, startReceiver, verify } from '../receiver.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'

const serverDir = mkdtempSync(join(tmpdir(), 'server-'))
const env: Record<string, string> = { EDGE_ENGINE: 'node' }
let crew: Crew
let world: World
let receiver: Receiver
let device: LinkedDevice
let friend: string

beforeAll(async () => {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const port = await freePort()
  crew = makeCrew(console.log, () => undefined, { keepMb: 1 })
  await crew.start(databasePart(serverDir, port, pem))
  receiver = await startReceiver()
  Object.assign(env, {
    ...{ DATABASE_URL: `http://127.0.0.1:${port}`, DATABASE_TOKEN: databaseToken(pem) },
    WEBHOOK_ALLOWLIST: receiver.place,
  })
  world = await startWorld(env)
  const made = await makeDevice(world)
  await subscribe(made, receiver, ['messages'])
  device = await link(world, made)
  friend = await makePhone(world)
})
afterAll(async () => {
  await world.close()
  await crew.stop()
  await receiver.close()
  rmSync(serverDir, { recursive: true, force: true })
})

const withText = (words: string) => (envelope: { message?: unknown }) =>
  (envelope.message as { text?: string } | undefined)?.text === words
const isDeviceOnline = async (): Promise<boolean> => {
  const { companions } = await world.sim('GET', `/phones/${device.number}`)
  return (companions as { online: boolean }[]).some(({ online }) => online)
}

test('a start without DATABASE_URL has the devices, waiting events, keys, audit and tokens of the server’s folder', async () => {
  const key = { 'idempotency-key': 'before' }
  const message = { number: friend, text: 'sent before' }
  const sent = await device.caller.post('/send/text', message, key)
  expect(sent.status, sent.text).toBe(200)
  await receiver.next(withText('sent before'))
  receiver.answer = 503
  await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'waiting' })
  const refused = await receiver.next(withText('waiting'))
  const { entries } = (await world.admin.get('/v1/audit')).body
  expect(entries).not.toEqual([])

  const [folder, file] = [join(world.dataDir, 'database'), join(world.dataDir, 'database', 'edge.db')]
  await world.killAndRestart(async () => {
    await crew.stop()
    rmSync(folder, { recursive: true, force: true })
    renameSync(join(serverDir, 'database-server'), folder)
    delete env.DATABASE_URL
    delete env.DATABASE_TOKEN
    receiver.deliveries.length = 0
    receiver.answer = 204
  })
  expect(world.run.databaseUrl).toBe(`file://${file}`)
  expect(world.printed()).toContain(`The database is now the file ${file}`)
  expect(readdirSync(folder).filter((name) => !name.startsWith('edge.db'))).toEqual(['dbs'])
  expect(existsSync(join(world.dataDir, 'database-key.pem'))).toBe(false)

  await until(isDeviceOnline)
  await connected(device)
  const { companions } = await world.sim('GET', `/phones/${device.number}`)
  expect(companions).toMatchObject([{ device: 1 }])
  const delivered: Delivery = await receiver.next(withText('waiting'), 40_000)
  verify(delivered, SECRET)
  expect(delivered.headers['webhook-id']).toBe(refused.headers['webhook-id'])
  expect(delivered.body).toBe(refused.body)
  const again = await device.caller.post('/send/text', message, key)
  expect([again.status, again.text]).toEqual([200, sent.text])
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  const audit = (await world.admin.get('/v1/audit?limit=200')).body.entries
  expect(audit).toEqual(expect.arrayContaining(entries))
  await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'afterwards' })
  verify(await receiver.next(withText('afterwards')), SECRET)
}, 120_000)
