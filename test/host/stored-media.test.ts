// Files of received messages, kept by a host: in a bucket that fails in every way, with reports that wait for them in order.
// @module-tag slow

import { randomBytes } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { createClient, type InStatement, type InValue } from '@libsql/client'
import { checkMediaStore } from '@msgnet/session-host/doctor/check-media-store.ts'
import { deleteOldMessages } from '@msgnet/session-host/store/retention.ts'
import { DAY, HOUR, MINUTE, SECOND } from '@msgnet/shared/date-time.ts'
import { parseMediaStoreUrl } from '@msgnet/shared/media-settings.ts'
import type { EventReport } from '@msgnet/shared/wire/host-reports.ts'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startBucket } from '../bucket.ts'
import { startHttpProxy } from '../proxy.ts'
import { until } from '../until.ts'
import { KIND, startWorld, type World } from './world.ts'

const ANNA = '5511340000021'
const BEN = '5511340000022'
const EVA = '5511340000023'
const MIB = 1024 * 1024

const bucket = await startBucket()
const media = {
  isOn: true,
  bucket: bucket.address,
  retentionDays: 7,
  maxFileBytes: 4 * MIB,
  totalBytes: 64 * MIB,
  strangersBytesPerHour: 0,
  minFreeBytes: 0,
}
let world: World
let instance: string

beforeAll(async () => {
  world = await startWorld({ media })
  await world.createPhone(BEN)
  await world.createPhone(EVA)
  instance = await world.linkPhone(ANNA)
})
afterEach(async () => {
  bucket.fault = undefined
  await world.sim('DELETE', '/faults')
})
afterAll(async () => {
  await world.close()
  await bucket.close()
})

async function sendFile(from: string, bytes: Buffer = randomBytes(5000)): Promise<string> {
  const body = { from, to: ANNA, document: bytes.toString('base64'), mimetype: 'text/plain' }
  return (await world.sim<{ id: string }>('POST', '/messages', body)).id
}
const sendText = async (from: string, text: string): Promise<string> =>
  (await world.sim<{ id: string }>('POST', '/messages', { from, to: ANNA, text })).id

const findMessageEvents = (id: string): EventReport[] =>
  world.edge
    .listEvents(instance, 'messages')
    .filter(({ payload }) => (payload.message as { messageid: string }).messageid === id)
const findFileEvents = (id: string): EventReport[] =>
  world.edge.listEvents(instance, 'messages_update').filter(({ payload }) => {
    const { type, MessageIDs } = payload.event as { type?: string; MessageIDs: string[] }
    return type === 'media' && MessageIDs[0] === id
  })
const waitForMessage = (id: string) => until(() => findMessageEvents(id)[0])
const readLink = (report: EventReport) => (report.payload.message as { fileURL: string }).fileURL
const listAllIds = () =>
  world.edge
    .listEvents(instance, 'messages')
    .map(({ payload }) => (payload.message as { messageid: string }).messageid)

async function queryStore(sql: string) {
  const client = createClient({ url: `file:${world.dataDir}/host/host.db` })
  const { rows } = await client.execute(sql)
  client.close()
  return rows
}

/** What retention does when so many days have passed, and then the keeper at its next sweep. */
async function passDays(days: number): Promise<void> {
  const client = createClient({ url: `file:${world.dataDir}/host/host.db` })
  const store = {
    shared: false,
    rows: async (sql: string, ...args: InValue[]) => (await client.execute({ sql, args })).rows,
    commit: async (statements: InStatement[]) => void (await client.batch(statements, 'write')),
  }
  const { retentionDays, messageRetentionDays } = { ...media, ...world.config }
  await deleteOldMessages(store, Date.now() + days * DAY, {
    days: messageRetentionDays,
    mediaDays: retentionDays,
  })
  client.close()
  await passTime(HOUR, HOUR)
}

/** Time passes in steps, with turns for what runs outside the clock. */
async function passTime(ms: number, step = MINUTE): Promise<void> {
  for (let passed = 0; passed < ms; passed += step) {
    await world.clock.moveTime(step)
    for (let n = 0; n < 20; n++) await turn()
  }
}

test('the doctor tries the bucket, which checks signatures, and its finding has no secret', async () => {
  expect(await checkMediaStore({ ...media, isOn: false }, world.dataDir)).toMatchObject({ state: 'ok' })
  expect(await checkMediaStore(media, world.dataDir)).toMatchObject({ state: 'ok' })
  const secretAccessKey = 'another/secret+value'
  const wrong = { ...media, bucket: { ...bucket.address, secretAccessKey } }
  const found = await checkMediaStore(wrong, world.dataDir)
  expect(found).toMatchObject({ state: 'fail', says: expect.stringContaining('403 SignatureDoesNotMatch') })
  expect(JSON.stringify(found)).not.toContain(secretAccessKey)
  bucket.fault = 'damage'
  expect(await checkMediaStore(media, world.dataDir)).toMatchObject({ state: 'fail' })
  bucket.fault = 'silent'
  expect(await checkMediaStore(media, world.dataDir, 100)).toMatchObject({
    state: 'fail',
    says: expect.stringContaining('no response in time'),
  })
})

test.each<[text: string, url?: string, region?: string, secretAccessKey?: string]>([
  ['s3://KEY:a%2Fb@bucket.example/files', 'https://bucket.example/files', 'us-east-1', 'a/b'],
  ['s3+http://K:S@127.0.0.1:9000/f?region=sa-east-1', 'http://127.0.0.1:9000/f', 'sa-east-1', 'S'],
  ['s3://bucket.example/files'],
  ['s3://KEY:SECRET@bucket.example/'],
  ['s3://KEY:SECRET@bucket.example/files/folder'],
  ['https://KEY:SECRET@bucket.example/files'],
])('the address of a bucket is read: %s', (text, url, region, secretAccessKey) => {
  const address = parseMediaStoreUrl(text)
  if (url === undefined) expect(address).toBeUndefined()
  else expect(address).toMatchObject({ url, region, secretAccessKey })
})

test('the report of a message waits for its file and has its link; the stored file is sealed', async () => {
  const bytes = Buffer.concat([Buffer.from('plain words'), randomBytes(200_000)])
  const id = await sendFile(BEN, bytes)
  const report = await waitForMessage(id)
  expect(readLink(report)).toBe(`/media?id=${id}`)
  expect(findFileEvents(id)).toEqual([])
  const [row] = await queryStore(`SELECT name, state, bytes FROM stored_media WHERE messageid = '${id}'`)
  expect(row).toMatchObject({ state: 'stored', bytes: bytes.length + 16 * 4 })
  const signed = bucket.requests.filter((request) => request.startsWith('PUT'))
  expect(signed).toContain('PUT 200')
  const found = await world.edge.performAction(instance, 'message.find', { id, limit: 1, offset: 0 })
  expect(found).toMatchObject({ result: { messages: [{ messageid: id, fileURL: `/media?id=${id}` }] } })
})

test('messages of a chat wait behind a file in their order, and other chats do not', async () => {
  bucket.fault = 503
  const file = await sendFile(BEN)
  const behind = await sendText(BEN, 'behind the file')
  const other = await sendText(EVA, 'of another chat')
  await waitForMessage(other)
  await until(async () => (await queryStore('SELECT 1 FROM held_reports')).length === 2)
  expect(findMessageEvents(file)).toEqual([])
  expect(findMessageEvents(behind)).toEqual([])
  bucket.fault = undefined
  await passTime(10 * SECOND, SECOND)
  await waitForMessage(behind)
  const order = listAllIds()
  expect(order.indexOf(file)).toBeLessThan(order.indexOf(behind))
  expect(readLink(await waitForMessage(file))).toBe(`/media?id=${file}`)
})

test('a report waits 20 seconds for its file; once the bucket is back after an hour another event has the link', async () => {
  bucket.fault = 'silent'
  const ids = [await sendFile(BEN), await sendFile(EVA)]
  await until(async () => (await queryStore('SELECT 1 FROM held_reports')).length === 2)
  await passTime(20 * SECOND, SECOND)
  for (const id of ids) expect(readLink(await waitForMessage(id))).toBe('')
  bucket.fault = 507
  await passTime(HOUR, 5 * MINUTE)
  expect(ids.flatMap(findFileEvents)).toEqual([])
  // The network's copy may be gone by then: it was fetched once, and waits on this disk.
  for (const id of ids) await world.sim('DELETE', `/messages/${id}/media`, { phone: 'lost' })
  bucket.fault = undefined
  await until(async () => {
    await passTime(MINUTE)
    return ids.every((id) => findFileEvents(id).length === 1)
  })
  const [first] = findFileEvents(ids[0] ?? '')
  expect(first?.payload).toMatchObject({ type: 'MediaStored', event: { fileURL: `/media?id=${ids[0]}` } })
})

test.each([403, 'cut', 'silent'] as const)('a bucket that does this loses no file: %s', async (fault) => {
  bucket.fault = fault
  const id = await sendFile(BEN, randomBytes(2 * MIB))
  await until(async () => (await queryStore('SELECT 1 FROM held_reports')).length === 1)
  await passTime(30 * SECOND, SECOND)
  expect(readLink(await waitForMessage(id))).toBe('')
  bucket.fault = undefined
  await until(async () => {
    await passTime(MINUTE)
    return findFileEvents(id).length === 1
  })
})

test('a restart of the host loses neither a waiting report nor its file', async () => {
  bucket.fault = 503
  const id = await sendFile(BEN)
  const behind = await sendText(BEN, 'after the file')
  await until(async () => (await queryStore('SELECT 1 FROM held_reports')).length === 2)
  await world.restartHost()
  await world.waitUntilLoggedIn(instance)
  expect(findMessageEvents(behind)).toEqual([])
  bucket.fault = undefined
  await until(async () => {
    await passTime(SECOND, SECOND)
    return findMessageEvents(behind).length === 1
  })
  expect(readLink(await waitForMessage(id))).toBe(`/media?id=${id}`)
})

test('a file goes after its days, before its message, which has no link any more', async () => {
  const id = await sendFile(BEN)
  await waitForMessage(id)
  await passDays(media.retentionDays - 1)
  expect(bucket.listFiles().length).toBeGreaterThan(0)
  await passDays(media.retentionDays + 1)
  await until(() => bucket.listFiles().length === 0)
  const found = await world.edge.performAction(instance, 'message.find', { id, limit: 1, offset: 0 })
  expect(found).toMatchObject({ result: { messages: [{ messageid: id, fileURL: '' }] } })
})

test('nothing is fetched while the disk is full, and it is fetched when there is room again', async () => {
  await world.restartHost({ media: { ...media, minFreeBytes: Number.MAX_SAFE_INTEGER } })
  await world.waitUntilLoggedIn(instance)
  const id = await sendFile(BEN)
  await until(async () => (await queryStore('SELECT 1 FROM held_reports')).length === 1)
  await passTime(20 * SECOND, SECOND)
  expect(readLink(await waitForMessage(id))).toBe('')
  const [row] = await queryStore(`SELECT state, attempts FROM stored_media WHERE messageid = '${id}'`)
  expect(row).toMatchObject({ state: 'waiting', attempts: 0 })
  await world.restartHost()
  await world.waitUntilLoggedIn(instance)
  await until(async () => {
    await passTime(SECOND, SECOND)
    return findFileEvents(id).length === 1
  })
})

test('a file to keep is fetched by the proxy of its instance', async () => {
  const proxy = await startHttpProxy()
  const connectBy = async (url: string) => {
    const before = world.edge.listStates(instance).length
    await world.edge.performAction(instance, 'session.restart', { ...KIND, proxy: url })
    await until(() =>
      world.edge
        .listStates(instance)
        .slice(before)
        .some(({ loggedIn }) => loggedIn),
    )
  }
  await connectBy(proxy.url)
  const id = await sendFile(BEN)
  expect(readLink(await waitForMessage(id))).toBe(`/media?id=${id}`)
  const mediaHosts = world.simulator.mediaUrls.map((url) => new URL(url).host)
  expect(proxy.served.some((place) => mediaHosts.includes(place))).toBe(true)
  await connectBy('')
  await proxy.close()
})

test('a host that keeps no files any more reports what waited, and deletes old files all the same', async () => {
  const stored = await sendFile(EVA)
  expect(readLink(await waitForMessage(stored))).not.toBe('')
  bucket.fault = 503
  const id = await sendFile(BEN)
  await until(async () => (await queryStore('SELECT 1 FROM held_reports')).length === 1)
  await world.restartHost({ media: { ...media, isOn: false } })
  expect(readLink(await waitForMessage(id))).toBe('')
  await world.waitUntilLoggedIn(instance)
  bucket.fault = undefined
  const fresh = await sendFile(BEN)
  expect(readLink(await waitForMessage(fresh))).toBe('')
  expect(await queryStore("SELECT messageid FROM stored_media WHERE state <> 'ended'")).toContainEqual({
    messageid: stored,
  })
  expect(await queryStore(`SELECT 1 FROM stored_media WHERE state = 'waiting'`)).toEqual([])
  await passDays(media.retentionDays + 1)
  await until(() => bucket.listFiles().length === 0)
  expect(await queryStore('SELECT 1 FROM stored_media')).toEqual([])
  await world.restartHost()
  await world.waitUntilLoggedIn(instance)
})

test('a file that is too large, or that network and phone have lost, is not waited for', async () => {
  const large = await sendFile(BEN, randomBytes(5 * MIB))
  expect(readLink(await waitForMessage(large))).toBe('')
  expect(await queryStore(`SELECT 1 FROM stored_media WHERE messageid = '${large}'`)).toEqual([])
  await world.sim('POST', '/faults', { kind: 'media', code: 500 })
  const lost = await sendFile(BEN)
  const [row] = await until(async () => {
    const rows = await queryStore(
      `SELECT attempts FROM stored_media WHERE messageid = '${lost}' AND attempts > 0`,
    )
    return rows.length > 0 && rows
  })
  expect(row?.attempts).toBe(1)
  await world.sim('DELETE', `/messages/${lost}/media`, { phone: 'lost' })
  await world.sim('DELETE', '/faults')
  await until(async () => {
    await passTime(SECOND, SECOND)
    return findMessageEvents(lost).length === 1
  })
  expect(readLink(await waitForMessage(lost))).toBe('')
  expect(await queryStore(`SELECT state FROM stored_media WHERE messageid = '${lost}'`)).toEqual([
    { state: 'ended' },
  ])
})

test('the oldest files go when there are more than the total', async () => {
  await world.restartHost({ media: { ...media, totalBytes: 9 * MIB } })
  await world.waitUntilLoggedIn(instance)
  const ids: string[] = []
  for (let n = 0; n < 4; n++) {
    ids.push(await sendFile(BEN, randomBytes(3 * MIB)))
    await waitForMessage(ids[n] ?? '')
  }
  const countStored = async () =>
    (await queryStore("SELECT sum(bytes) AS bytes FROM stored_media WHERE state = 'stored'"))[0]?.bytes
  await until(async () => Number(await countStored()) < 9 * MIB)
  const rows = await queryStore("SELECT messageid FROM stored_media WHERE state = 'stored' ORDER BY at")
  expect(rows.map(({ messageid }) => messageid)).toEqual(ids.slice(-2))
  await until(() => bucket.listFiles().length === 2)
  await world.restartHost()
  await world.waitUntilLoggedIn(instance)
})

test('the deleted messages of a chat leave no file, and those of another chat keep theirs', async () => {
  const [gone, other] = [await sendFile(BEN), await sendFile(EVA)]
  for (const id of [gone, other]) await waitForMessage(id)
  const before = bucket.listFiles().length
  await world.edge.performAction(instance, 'chat.delete', { number: BEN, deleteMessagesDB: true } as never)
  const readState = async (id: string) =>
    (await queryStore(`SELECT state, key FROM stored_media WHERE messageid = '${id}'`))[0]
  expect((await readState(gone)) ?? { state: 'ended', key: null }).toEqual({ state: 'ended', key: null })
  expect((await readState(other))?.state).toBe('stored')
  await until(() => bucket.listFiles().length < before)
})

test('a deleted message, and a deleted instance, leave no file', async () => {
  const id = await sendFile(BEN)
  await waitForMessage(id)
  const before = bucket.listFiles().length
  await world.sim('POST', `/messages/${id}/revoke`, { by: BEN })
  const [ended] = await until(async () => {
    const rows = await queryStore(
      `SELECT key FROM stored_media WHERE messageid = '${id}' AND state = 'ended'`,
    )
    return rows.length > 0 && rows
  })
  expect(ended?.key).toBeNull()
  await until(async () => {
    await passTime(HOUR, HOUR)
    return bucket.listFiles().length < before
  })
  await world.edge.performAction(instance, 'session.delete', {} as never)
  await until(() => bucket.listFiles().length === 0)
})
