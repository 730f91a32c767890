// Seal keys are replaced while the gateway runs: afterwards the old one is not needed, and no device has to pair again.
// @module-tag slow

import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createSealer } from '@msgnet/shared/seal.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  createDevice,
  createPhone,
  type LinkedDevice,
  linkDevice,
  SECRET,
  subscribeReceiver,
  waitUntilConnected,
} from '../device.ts'
import { startHttpProxy, type TestProxy } from '../proxy.ts'
import { type Receiver, startReceiver, verifyDelivery } from '../receiver.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'

const run = promisify(execFile)
const createKey = (name: string) => `${name}:${randomBytes(32).toString('base64')}`
const [old, fresh] = [createKey('old'), createKey('fresh')]
const key = { 'idempotency-key': 'first-instance' }

let world: World
let receiver: Receiver
let device: LinkedDevice
let friend: string
let proxy: TestProxy
let second: Receiver
const env = { SEAL_KEYS: old, WEBHOOK_ALLOWLIST: '', MEDIA: 'keep' }

const runReseal = (keys: string) =>
  run(process.execPath, [join(import.meta.dirname, '../../cli/reseal.ts')], {
    env: { PATH: process.env.PATH ?? '', DATA_DIR: world.dataDir, SEAL_KEYS: keys },
  })
const matchText = (words: string) => (envelope: { EventType: string; message?: unknown }) =>
  envelope.EventType === 'messages' && (envelope.message as { text: string }).text === words

beforeAll(async () => {
  receiver = await startReceiver()
  second = await startReceiver()
  env.WEBHOOK_ALLOWLIST = `${receiver.place},${second.place}`
  world = await startWorld(env)
  const made = await createDevice(world)
  await subscribeReceiver(made, receiver, ['messages'])
  const headers = { authorization: 'Bearer seven' }
  const beside = { url: second.url, events: ['messages'], secret: SECRET, headers }
  await made.caller.post('/v1/webhooks', beside)
  await made.caller.post('/webhook', { url: receiver.url, events: ['messages'], headers })
  // Sealed on both sides: without it the device may not connect.
  proxy = await startHttpProxy()
  await made.caller.post('/instance/proxy', { enable: true, proxy_url: proxy.url })
  device = await linkDevice(world, made)
  friend = await createPhone(world)
})
afterAll(async () => {
  await world.close()
  await receiver.close()
  await second.close()
  await proxy.close()
})

test('a key that the running gateway does not have seals nothing', async () => {
  await expect(runReseal(`${fresh},${old}`)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('does not have the key "fresh"'),
  })
})

/** The database has it connected from before its host was killed: the network knows better. */
async function waitUntilConnectedAgain(): Promise<void> {
  await until(async () => {
    const { companions } = await world.sim('GET', `/phones/${device.number}`)
    return (companions as { online: boolean }[]).some(({ online }) => online)
  })
  await waitUntilConnected(device)
}

/** The webhook's secret and header are still there. */
async function expectSealed(one: Receiver, text: string): Promise<void> {
  const delivery = await one.waitForDelivery(matchText(text))
  verifyDelivery(delivery, SECRET)
  expect(delivery.headers.authorization).toBe('Bearer seven')
}

test('after a rotation under traffic and without the old key, sessions, signatures, headers of webhooks, stored responses and files work', async () => {
  const first = await world.admin.post('/instance/init', { name: 'Kept' }, key)
  const file = { document: Buffer.from('a file').toString('base64'), mimetype: 'text/plain', caption: 'file' }
  await world.sim('POST', '/messages', { from: friend, to: device.number, ...file })
  const { envelope } = await receiver.waitForDelivery(matchText('file'))
  const { fileURL } = envelope.message as { fileURL: string }
  const late = new TextEncoder().encode('{"kind":"done"}')
  const sealed = await (await createSealer(old, 'edge/late-outcome')).seal(late, 'late:an-act')
  await world.queryDatabase(
    `insert into late_outcomes (act, outcome, instance_id, at) values ('an-act', x'${Buffer.from(sealed).toString('hex')}', '${device.id}', ${Date.now()})`,
  )
  env.SEAL_KEYS = `${fresh},${old}`
  await world.killAndRestart()
  await waitUntilConnectedAgain()

  // Without the old key its values cannot be sealed again: that is reported, and is no success.
  await expect(runReseal(fresh)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('rows are sealed with'),
  })

  let going = true
  const traffic = (async () => {
    for (let n = 0; going; n++) {
      await world.sim('POST', '/messages', { from: friend, to: device.number, text: `in ${n}` })
      const sent = await device.caller.post('/send/text', { number: friend, text: `out ${n}` })
      expect(sent.status).toBe(200)
    }
  })()
  const { stdout } = await runReseal(env.SEAL_KEYS)
  going = false
  await traffic
  expect(stdout).toMatch(/credentials\.value: \d+/)
  expect(stdout).toContain('stored_media.key: 1')
  expect(stdout).toContain('webhooks.headers: 2')
  expect(stdout).toContain('All stored data is sealed with the first key of its side.')

  env.SEAL_KEYS = fresh
  proxy.served.length = 0
  await world.killAndRestart()
  await waitUntilConnectedAgain()
  expect(proxy.served).not.toEqual([])
  expect((await device.caller.get('/instance/proxy')).body.enabled).toBe(true)
  const opened = await fetch(fileURL, { headers: { token: device.token } })
  expect([opened.status, await opened.text()]).toEqual([200, 'a file'])
  const { companions } = await world.sim('GET', `/phones/${device.number}`)
  expect(companions).toMatchObject([{ device: 1 }])
  await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'under the new key' })
  for (const one of [receiver, second]) await expectSealed(one, 'under the new key')
  expect((await device.caller.post('/send/text', { number: friend, text: 'and back' })).status).toBe(200)
  const again = await world.admin.post('/instance/init', { name: 'Kept' }, key)
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(again.body).toEqual(first.body)
  const [row] = await world.queryDatabase('select hex(outcome) as outcome from late_outcomes')
  const stored = new Uint8Array(Buffer.from(String(row?.outcome), 'hex'))
  expect(await (await createSealer(fresh, 'edge/late-outcome')).open(stored, 'late:an-act')).toEqual(late)
})
