// The stored data of an instance is exported completely on request, and in no file after its deletion.
// @module-tag slow

import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { DAY } from '@msgnet/shared/date-time.ts'
import { expect, test } from 'vitest'
import { createCaller } from '../caller.ts'
import { createDevice, createPhone, linkDevice, subscribeReceiver } from '../device.ts'
import { type Seen, startScene } from '../scene.ts'
import { until } from '../until.ts'

const MARKER = 'wolkenkuckucksheim'
/** Of a message, in base64. */
const FILE = 'Zm9yIHRoZSBleGFtcGxl'
const scene = await startScene()
const { world, receiver, device } = scene

/** All files of the gateway, without those of the simulated network. */
function findFilesWith(text: string): string[] {
  const found = readdirSync(world.dataDir, { recursive: true, withFileTypes: true })
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(world.dataDir.length + 1))
    .filter((path) => !path.startsWith('simulator'))
    .filter((path) => readFileSync(join(world.dataDir, path)).includes(text))
}

const exportInstance = async (id: string, headers = {}): Promise<Seen[]> => {
  const { status, text } = await world.admin.get(`/v1/instances/${id}/export`, headers)
  expect(status, text).toBe(200)
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

test('an export contains everything stored of an instance, and no secret', async () => {
  const friend = await createPhone(world, `Friend ${MARKER}`)
  await device.caller.post('/instance/proxy', {
    enable: false,
    proxy_url: 'socks5://somebody:marker-of-a-password@127.0.0.1:9999',
  })
  const sent = await device.caller.post(
    '/send/text',
    { number: friend, text: `out ${MARKER}` },
    { 'idempotency-key': 'one' },
  )
  expect(sent.status, sent.text).toBe(200)
  const file = { number: friend, type: 'document', file: FILE, docName: `${MARKER}.txt` }
  expect((await device.caller.post('/send/media', file)).status).toBe(200)
  await world.sim('POST', '/messages', { from: friend, to: device.number, text: `in ${MARKER}` })
  await scene.waitForEvent('messages', ({ message }) => message.text === `in ${MARKER}`)
  const wish = { subject: `Group ${MARKER}`, owner: device.number, participants: [friend] }
  const { jid } = await world.sim('POST', '/groups', wish)
  await until(async () => {
    const { groups } = (await device.caller.get('/group/list')).body
    return groups.some(({ JID }: { JID: string }) => JID === jid)
  })
  // So many that the export needs more than one page.
  await world.sim('POST', '/messages', {
    from: friend,
    to: device.number,
    text: `many ${MARKER}`,
    count: 230,
  })
  await until(async () => (await countMessages(friend)) > 232, { within: 40_000 })

  const unwanted = await createPhone(world)
  expect((await device.caller.post('/chat/block', { number: unwanted, block: true })).status).toBe(200)

  // Whom one blocks is written down when the network's word of it comes.
  const lines = await until(async () => {
    const lines = await exportInstance(device.id)
    return lines.some(({ type }) => type === 'blocked') && lines
  })
  const findLines = (type: string) => lines.filter((line) => line.type === type).map((line) => line[type])
  const texts = findLines('message').map(({ text }) => text)
  expect(texts).toEqual(expect.arrayContaining([`out ${MARKER}`, `in ${MARKER}`]))
  expect(texts.filter((text) => text === `many ${MARKER}`)).toHaveLength(230)
  expect(findLines('file')).toMatchObject([{ fileName: `${MARKER}.txt`, mediaType: 'document' }])
  expect(findLines('chat').map(({ name }) => name)).toContain(`Friend ${MARKER}`)
  expect(findLines('group')).toMatchObject([{ JID: jid, Name: `Group ${MARKER}` }])
  expect(findLines('blocked')).toContainEqual({ id: `${unwanted}@s.msgnet.net` })
  expect(findLines('instance')).toMatchObject([{ id: device.id, owner: device.number }])
  expect(findLines('webhook')).toMatchObject([{ url: receiver.url, hasSecret: true }])
  expect(findLines('proxy')).toMatchObject([{ proxy_url: 'socks5://somebody:***@127.0.0.1:9999' }])
  const seqs = findLines('event').map(({ seq }) => seq)
  expect(seqs).toEqual(seqs.map((_, at) => at + 1))
  expect(
    findLines('event').find(({ payload }) => JSON.stringify(payload).includes(`in ${MARKER}`)),
  ).toBeDefined()
  const { counts } = lines.at(-1)
  expect(counts).toMatchObject({ message: texts.length, event: seqs.length, instance: 1, file: 1 })
  expect(JSON.stringify(lines)).not.toMatch(/marker-of-a-password|whsec_|mgi_/)
})

test('an export has the messages that wait for their time, with the facts about their files', async () => {
  const sendAt = new Date(Date.now() + DAY).toISOString()
  const file = { type: 'document', file: FILE, docName: `later ${MARKER}.txt`, text: `later ${MARKER}` }
  const number = await createPhone(world)
  const { status, body } = await device.caller.post('/send/media', { number, ...file, sendAt })
  expect(status).toBe(200)
  const lines = await exportInstance(device.id)
  const { messageid } = body
  expect(lines.filter(({ type }) => type === 'scheduled')).toMatchObject([
    { scheduled: { messageid, text: `later ${MARKER}`, status: 'Scheduled', scheduledFor: sendAt } },
  ])
  expect(lines.filter(({ type }) => type === 'file').map(({ file }) => file)).toContainEqual(
    expect.objectContaining({ messageid, fileName: `later ${MARKER}.txt`, mediaType: 'document' }),
  )
  expect(lines.at(-1).counts.scheduled).toBe(1)
})

const countMessages = async (friend: string): Promise<number> => {
  const { body } = await device.caller.post('/message/find', {
    chatid: `${friend}@s.msgnet.net`,
    limit: 100,
    offset: 200,
  })
  return 200 + body.messages.length
}

test('an export is complete even if its caller prefers a short wait', async () => {
  const host = world.findPid('session host')
  process.kill(host, 'SIGSTOP')
  const began = Date.now()
  const exporting = exportInstance(device.id, { prefer: 'wait=1' })
  // Past the second that was preferred.
  await until(() => Date.now() - began > 1500).finally(() => process.kill(host, 'SIGCONT'))
  const lines = await exporting
  expect(lines.filter(({ type }) => type === 'message').length).toBeGreaterThan(200)
  expect(lines.at(-1).type).toBe('end')
})

test('an export needs more than scope read or the token of the instance', async () => {
  const reader = await world.admin.post('/v1/tokens', { name: 'Reader', scope: 'read' })
  const path = `/v1/instances/${device.id}/export`
  const asReader = createCaller(world.run.baseUrl, { admintoken: reader.body.token })
  expect((await asReader.get(path)).status).toBe(403)
  expect((await device.caller.get(path)).status).toBe(401)
})

test('an export contains nothing of another instance, and its caller is in the audit log', async () => {
  const other = await createDevice(world, 'Quite another')
  const requestId = crypto.randomUUID()
  const response = await world.admin.get(`/v1/instances/${other.id}/export`, { 'x-request-id': requestId })
  expect(response.text).not.toContain(MARKER)
  const types = response.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).type)
  expect(types).toEqual(['instance', 'proxy', 'webhook', 'end'])
  const { entries } = (await world.admin.get(`/v1/audit?requestId=${requestId}`)).body
  expect(entries).toMatchObject([{ action: 'instance.export', target: other.id, outcome: 'done' }])
})

test('after a deletion and a compaction no file contains data of the instance', async () => {
  const staying = await linkDevice(world, await createDevice(world, 'Stays'))
  await subscribeReceiver(staying, receiver)
  expect(findFilesWith(MARKER).length).toBeGreaterThan(1)
  expect((await device.caller.delete('/instance')).status).toBe(200)
  await world.killAndRestart(() => {
    const output = execFileSync(process.execPath, [join(projectRoot, 'cli', 'compact.ts')], {
      env: { PATH: process.env.PATH, DATA_DIR: world.dataDir },
      encoding: 'utf8',
    })
    expect(output).toMatch(/Compacted: .*edge\.db, .*host\.db/)
    expect(findFilesWith(MARKER)).toEqual([])
    for (const part of [FILE, Buffer.from(FILE, 'base64').toString()]) expect(findFilesWith(part)).toEqual([])
    expect(findFilesWith(device.number).filter((path) => !path.startsWith('logs'))).toEqual([])
  })
  // Who stays is there as before.
  await until(async () => (await staying.caller.get('/instance/status')).body.loggedIn)
  const friend = await createPhone(world)
  await world.sim('POST', '/messages', { from: friend, to: staying.number, text: 'still here' })
  await scene.waitForEvent('messages', ({ message }) => message.text === 'still here')
  expect(findFilesWith(MARKER)).toEqual([])
})
