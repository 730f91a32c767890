// A backup is made while the gateway works, and restored into an empty folder: all is there but the devices' links.
// @module-tag slow

import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { DAY } from '@msgnet/shared/date-time.ts'
import { afterAll, expect, test } from 'vitest'
import { createPhone, linkDevice, SECRET } from '../device.ts'
import { startReceiver, verifyDelivery } from '../receiver.ts'
import { type Seen, startScene } from '../scene.ts'
import { until } from '../until.ts'

const second = await startReceiver()
const scene = await startScene()
const { world, device } = scene
const folder = mkdtempSync(join(tmpdir(), 'backup-'))
const to = join(folder, 'first')

afterAll(async () => {
  await second.close()
  rmSync(folder, { recursive: true, force: true })
})

const runScript = (script: string, args: string[], dataDir = world.dataDir) =>
  promisify(execFile)(process.execPath, [join(projectRoot, 'cli', `${script}.ts`), ...args], {
    env: { PATH: process.env.PATH, DATA_DIR: dataDir },
  }).then(
    ({ stdout }) => stdout,
    ({ stderr }) => `failed: ${stderr}`,
  )

async function schedule(number: string, text: string, aheadMs: number): Promise<string> {
  const sendAt = new Date(Date.now() + aheadMs).toISOString()
  return (await device.caller.post('/send/text', { number, text, sendAt })).body.messageid
}

const waitUntilFailed = (id: string, error: string) =>
  scene.waitForEvent('messages_update', ({ event }) => event.MessageIDs[0] === id && event.error === error)

const listScheduled = async (): Promise<string[]> =>
  (await device.caller.get('/v1/scheduled')).body.scheduled.map(({ messageid }: Seen) => messageid)

async function listLogins(): Promise<string[]> {
  const { entries } = await world.sim('GET', '/log')
  return (entries as Seen[]).filter(({ what }) => what === 'login').map(({ number }) => number)
}

/** Of a webhook beside the first: they are sealed, as its secret is. */
const headers = { authorization: 'Bearer seven' }
await device.caller.post('/v1/webhooks', { url: second.url, events: ['messages'], secret: SECRET, headers })

async function expectAtSecond(text: string): Promise<void> {
  const delivery = await second.waitForDelivery(({ message }) => (message as Seen)?.text === text)
  verifyDelivery(delivery, SECRET)
  expect(delivery.headers).toMatchObject(headers)
}

/** Milliseconds: later than the end of the backup, on a busy machine too. */
const AFTER_BACKUP = 12_000

const SECRETS = ['admin-token', 'seal-keys', 'host-seal-keys', 'host-token']

/** The words of messages are in no backup: the host indexes them again. */
const waitUntilIndexed = (chatid: string, search: string, times: number) =>
  until(async () => {
    const { body } = await device.caller.post('/message/find', { chatid, search })
    return body.messages.length === times
  })

test('a backup restores instances, webhooks, events and messages into an empty folder, and no ratchets', async () => {
  const friend = await createPhone(world)
  for (let n = 0; n < 5; n++) {
    await device.caller.post('/send/text', { number: friend, text: `before ${n}` })
    await world.sim('POST', '/messages', { from: friend, to: device.number, text: `in ${n}` })
  }
  await scene.waitForEvent('messages', ({ message }) => message.text === 'in 4')
  const dueMeanwhile = await schedule(friend, 'due meanwhile', AFTER_BACKUP)
  const dueLater = await schedule(friend, 'due later', DAY)
  expect(await runScript('backup', ['--to', to])).toContain('rows and the host’s store')
  await scene.waitForMessage(friend, ({ text }) => text === 'due meanwhile')
  // What is sent now moves the ratchets on: those of the backup are old.
  await device.caller.post('/send/text', { number: friend, text: 'after' })
  const events = (await device.caller.get('/v1/events?limit=50')).body.events.length

  await world.killAndRestart(async () => {
    const folderKept = join(folder, 'kept')
    for (const name of [...SECRETS, 'simulator', 'running.json'])
      cpSync(join(world.dataDir, name), join(folderKept, name), { recursive: true })
    for (const name of readdirSync(world.dataDir)) rmSync(join(world.dataDir, name), { recursive: true })
    expect(await runScript('restore', ['--from', to])).toContain('These keys are missing: k1, h1')
    expect(readdirSync(world.dataDir)).toEqual([])
    cpSync(folderKept, world.dataDir, { recursive: true })
    expect(await runScript('restore', ['--from', to])).toContain('Restored the backup')
    expect(await runScript('restore', ['--from', to])).toContain('exists already')
  })

  const { body } = await device.caller.get('/instance/status')
  expect([body.loggedIn, body.instance.status, body.instance.lastDisconnectReason]).toEqual([
    false,
    'disconnected',
    'bad_session',
  ])
  const refused = await device.caller.post('/send/text', { number: friend, text: 'by an old ratchet' })
  expect(refused.status).toBe(409)
  expect((await device.caller.post('/instance/restart')).body.error).toBe('not_connected')
  expect(
    (await device.caller.get('/webhook')).body.url ?? (await device.caller.get('/webhook')).text,
  ).toContain(scene.receiver.url)
  const found = await device.caller.post('/message/find', { chatid: friend, limit: 20 })
  expect(found.text).toContain('before 4')
  await waitUntilIndexed(friend, 'before', 5)
  const restored = (await device.caller.get('/v1/events?limit=50')).body.events.length
  expect(restored).toBeGreaterThan(5)
  expect(restored).toBeLessThanOrEqual(events)

  // What may have been sent since the backup is not sent again, and is said to have failed.
  await waitUntilFailed(dueMeanwhile, 'restored')
  expect(await listScheduled()).toEqual([dueLater])
  // Nothing has left by the old keys, not even a login: the simulated network keeps its log of this run.
  expect(await listLogins()).toEqual([])

  const again = await linkDevice(world, device)
  expect(new Set(await listLogins())).toEqual(new Set([again.number]))
  const sent = await again.caller.post('/send/text', { number: friend, text: 'linked anew' })
  expect(sent.status).toBe(200)
  await until(async () => (await scene.readInbox(friend)).some(({ text }) => text === 'linked anew'))
  await expectAtSecond('linked anew')
  expect((await scene.readInbox(friend)).some(({ text }) => text === 'by an old ratchet')).toBe(false)
}, 120_000)

test('a backup names its keys and contains none of them', async () => {
  const { parts } = JSON.parse(readFileSync(join(to, 'manifest.json'), 'utf8'))
  expect([parts.edge.keys, parts.host.keys]).toEqual([['k1'], ['h1', 'k1']])
  const secrets = SECRETS.map((name) => readFileSync(join(folder, 'kept', name), 'utf8').trim())
  for (const name of readdirSync(to)) {
    const written = readFileSync(join(to, name))
    const bytes = name.endsWith('.gz') ? gunzipSync(written) : written
    for (const secret of secrets) expect(bytes.includes(secret)).toBe(false)
  }
  expect(await runScript('backup', ['--to', to])).toContain('exists already')
  expect(existsSync(join(to, 'edge.ndjson.gz'))).toBe(true)
})
