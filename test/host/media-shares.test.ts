// Stored files of several instances of one host: who fills the space that all share, or the places at fetching, pays for it alone.

import { randomBytes } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { createClient } from '@libsql/client'
import { identifyFile } from '@msgnet/session-host/driver/baileys/messages/media-transfers.ts'
import { encodeMessage } from '@msgnet/session-host/driver/baileys/messages/message-content.ts'
import { computeExcess, mayAdd } from '@msgnet/session-host/media/media-shares.ts'
import { MINUTE } from '@msgnet/shared/date-time.ts'
import type { EventReport } from '@msgnet/shared/wire/host-reports.ts'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startBucket } from '../bucket.ts'
import { startHttpProxy } from '../proxy.ts'
import { until } from '../until.ts'
import { createTextInput, KIND, startWorld, type World } from './world.ts'

const [ANNA, BEN, CARA] = ['5511340000031', '5511340000032', '5511340000033']
const STRANGER = '5511340000034'
const CUSTOMER = '5511340000035'
const MIB = 1024 * 1024

const bucket = await startBucket()
const media = {
  isOn: true,
  bucket: bucket.address,
  retentionDays: 7,
  maxFileBytes: 4 * MIB,
  totalBytes: 10 * MIB,
  strangersBytesPerHour: 0,
  minFreeBytes: 0,
}
let world: World
let [anna, ben, cara] = ['', '', '']

beforeAll(async () => {
  world = await startWorld({ media })
  await world.createPhone(STRANGER)
  await world.createPhone(CUSTOMER)
  anna = await world.linkPhone(ANNA)
  ben = await world.linkPhone(BEN)
  cara = await world.linkPhone(CARA)
})
afterEach(async () => {
  bucket.fault = undefined
  await world.sim('DELETE', '/faults')
})
afterAll(async () => {
  await world.close()
  await bucket.close()
})

interface NewFile {
  from?: string
  to: string
  bytes?: number
  count?: number
}

async function sendFile({ from = STRANGER, to, bytes = MIB, count = 1 }: NewFile): Promise<string[]> {
  const document = randomBytes(bytes).toString('base64')
  const body = { from, to, document, mimetype: 'text/plain', count }
  return (await world.sim<{ ids: string[] }>('POST', '/messages', body)).ids
}

function findLink(instance: string, id: string): string | undefined {
  const found = world.edge
    .listEvents(instance, 'messages')
    .map(({ payload }: EventReport) => payload.message as { messageid: string; fileURL: string })
    .find(({ messageid }) => messageid === id)
  return found?.fileURL
}
const waitForLink = (instance: string, id: string) =>
  until(() => {
    const link = findLink(instance, id)
    return link !== undefined && { link }
  })

async function queryStore(sql: string) {
  const client = createClient({ url: `file:${world.dataDir}/host/host.db` })
  const { rows } = await client.execute(sql)
  client.close()
  return rows
}
const countRows = async (condition: string): Promise<number> =>
  Number((await queryStore(`SELECT count(*) AS n FROM stored_media WHERE ${condition}`))[0]?.n)
const countUploads = () => bucket.requests.filter((request) => request === 'PUT 200').length

async function readCounter(outcome: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${world.host.metricsPort}/metrics`)).text()
  return Number(new RegExp(`host_media_files_total\\{outcome="${outcome}"\\} (\\d+)`).exec(text)?.[1] ?? 0)
}

async function restartHost(change: Partial<typeof media> = {}): Promise<void> {
  const states = [anna, ben, cara].map((instance) => ({
    instance,
    before: world.edge.listStates(instance).length,
  }))
  await world.restartHost({ media: { ...media, ...change } })
  await Promise.all(states.map(({ instance, before }) => waitUntilLoggedIn(instance, before)))
}

const waitUntilLoggedIn = (instance: string, before: number) =>
  until(() =>
    world.edge
      .listStates(instance)
      .slice(before)
      .some(({ loggedIn }) => loggedIn),
  )

/** What has ended is deleted a minute after a start. */
async function sweep(): Promise<void> {
  await restartHost()
  await passTime(MINUTE)
  await until(async () => (await countRows("state = 'ended'")) === 0)
}

/** Time passes in steps, with turns for what runs outside the clock. */
async function passTime(ms: number, step = MINUTE): Promise<void> {
  for (let passed = 0; passed < ms; passed += step) {
    await world.clock.moveTime(step)
    for (let n = 0; n < 20; n++) await turn()
  }
}

test('a file that 20 messages name is fetched and stored once, and each of them has its link', async () => {
  const before = countUploads()
  const ids = await sendFile({ to: ANNA, count: 20 })
  for (const id of ids) expect(await waitForLink(anna, id)).toEqual({ link: `/media?id=${id}` })
  expect(countUploads() - before).toBe(1)
  expect(bucket.listFiles().length).toBe(1)
  expect(await queryStore('SELECT DISTINCT name, state FROM stored_media')).toMatchObject([
    { state: 'stored' },
  ])
  expect(await readCounter('stored')).toBe(1)
  expect(await readCounter('shared')).toBe(19)
})

test('the same bytes that are uploaded anew, or that came to another instance, are another file', async () => {
  const document = randomBytes(5000).toString('base64')
  const before = bucket.listFiles().length
  for (const [instance, to] of [
    [anna, ANNA],
    [anna, ANNA],
    [ben, BEN],
  ] as const) {
    const body = { from: STRANGER, to, document, mimetype: 'text/plain' }
    const { id } = await world.sim<{ id: string }>('POST', '/messages', body)
    await waitForLink(instance, id)
  }
  expect(bucket.listFiles().length - before).toBe(3)
})

test('a file goes with the last message that names it', async () => {
  const before = bucket.listFiles().length
  const ids = await sendFile({ to: ANNA, count: 3, bytes: 5000 })
  for (const id of ids) await waitForLink(anna, id)
  expect(bucket.listFiles().length - before).toBe(1)
  const [last = '', ...others] = ids
  for (const id of others) await world.sim('POST', `/messages/${id}/revoke`, { by: STRANGER })
  const isEnded = async (id: string) => (await countRows(`messageid = '${id}' AND state <> 'ended'`)) === 0
  for (const id of others) await until(() => isEnded(id))
  await sweep()
  expect(await countRows(`messageid IN ('${others.join("', '")}')`)).toBe(0)
  expect(bucket.listFiles().length - before).toBe(1)
  await world.sim('POST', `/messages/${last}/revoke`, { by: STRANGER })
  await until(() => isEnded(last))
  await sweep()
  expect(bucket.listFiles().length).toBe(before)
})

test('an instance that fills the space loses its own oldest files, and the others keep theirs', async () => {
  const [own = ''] = await sendFile({ to: BEN })
  await waitForLink(ben, own)
  let last = ''
  for (let n = 0; n < 14; n++) {
    ;[last = ''] = await sendFile({ to: ANNA })
    await waitForLink(anna, last)
  }
  await until(
    async () =>
      Number((await queryStore("SELECT sum(bytes) AS n FROM stored_media WHERE state = 'stored'"))[0]?.n) <
      media.totalBytes,
  )
  expect(await countRows(`messageid = '${own}' AND state = 'stored'`)).toBe(1)
  expect(await countRows(`messageid = '${last}' AND state = 'stored'`)).toBe(1)
  expect(await countRows(`instance = '${anna}' AND state = 'stored'`)).toBeGreaterThan(5)
})

test('beyond their megabytes of an hour the files of unknown senders are not kept, and those of a customer are', async () => {
  await restartHost({ strangersBytesPerHour: 2.9 * MIB })
  const greeting = createTextInput(`${CUSTOMER}@s.msgnet.net`, 'hello')
  await world.edge.performAction(cara, 'message.sendText', greeting)
  const links: string[] = []
  for (let n = 0; n < 5; n++) {
    const [id = ''] = await sendFile({ to: CARA })
    links.push((await waitForLink(cara, id)).link)
  }
  expect(links.map((link) => link !== '')).toEqual([true, true, true, false, false])
  expect(await readCounter('unknown_sender')).toBe(2)
  const [known = ''] = await sendFile({ from: CUSTOMER, to: CARA })
  expect((await waitForLink(cara, known)).link).not.toBe('')
  const [elsewhere = ''] = await sendFile({ to: BEN })
  expect((await waitForLink(ben, elsewhere)).link).not.toBe('')
  await passTime(5 * MINUTE)
  const [later = ''] = await sendFile({ to: CARA })
  expect((await waitForLink(cara, later)).link).not.toBe('')
  await restartHost()
})

test('files of strangers that do not end, of two instances, do not hold up the file of a third', async () => {
  const proxy = await startHttpProxy()
  for (const instance of [anna, cara]) {
    const before = world.edge.listStates(instance).length
    await world.edge.performAction(instance, 'session.restart', { ...KIND, proxy: proxy.url })
    await waitUntilLoggedIn(instance, before)
  }
  const sockets = proxy.open
  proxy.unresponsive = true
  for (const to of [ANNA, CARA]) for (let n = 0; n < 20; n++) await sendFile({ to, bytes: 100 })
  await until(() => proxy.open >= sockets + 2)
  const began = performance.now()
  const [id = ''] = await sendFile({ to: BEN, bytes: 5000 })
  expect((await waitForLink(ben, id)).link).not.toBe('')
  // A report waits 20 seconds for its file.
  expect(performance.now() - began).toBeLessThan(5000)
  await proxy.close()
})

test('a message that names the digest of a stored file without its key does not get that file', () => {
  const file = {
    directPath: '/v/file',
    mediaKey: randomBytes(32),
    fileSha256: randomBytes(32),
    fileEncSha256: randomBytes(32),
  }
  const identify = (change: object, kind = 'documentMessage') =>
    identifyFile(encodeMessage({ [kind]: { ...file, ...change } }))
  const own = identify({})
  expect(own).toMatch(/^[\w-]{43}$/)
  expect(identify({ caption: 'again', directPath: '/v/elsewhere' })).toBe(own)
  for (const field of ['mediaKey', 'fileSha256', 'fileEncSha256'])
    expect(identify({ [field]: randomBytes(32) })).not.toBe(own)
  expect(identify({}, 'imageMessage')).not.toBe(own)
  // Bytes without a digest are not checked against their message.
  expect(identify({ fileSha256: new Uint8Array() })).toBe('')
})

test('those that have more than their share of the space go down to one level', () => {
  const usage = new Map([
    ['small', 10],
    ['middle', 40],
    ['large', 90],
  ])
  expect(computeExcess(usage, 200)).toEqual(new Map())
  expect(computeExcess(usage, 100)).toEqual(new Map([['large', 40]]))
  expect(computeExcess(usage, 70)).toEqual(
    new Map([
      ['middle', 10],
      ['large', 60],
    ]),
  )
})

test('an instance alone takes half of what waits for the bucket, and the next always finds room', () => {
  expect(mayAdd(49, 49, 100)).toBe(true)
  expect(mayAdd(50, 50, 100)).toBe(false)
  expect(mayAdd(0, 50, 100)).toBe(true)
  expect(mayAdd(25, 75, 100)).toBe(false)
})
