// The history that a phone sends after linking: what the driver learns from it, and what a bad chunk of it does not do.

import { randomBytes } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import type { KnownName, NetworkMessage } from '@msgnet/session-host/driver/driver.ts'
import { proto } from '@msgnet/simulator/codec/protobuf.ts'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startHttpProxy } from '../proxy.ts'
import { until } from '../until.ts'
import { type DriverWorld, startDriver } from './driver.ts'

const BEN = '5511340000022'
const CARL = '5511340000023'
const TOKEN = Buffer.from('a token of Ben').toString('base64')
const NOW = Math.floor(Date.now() / 1000)

interface LogLine {
  level: number
  msg: string
  type?: string
  chunkOrder?: number
}

const lines: LogLine[] = []
const log = pino(
  { level: 'info', base: null },
  { write: (line: string) => void lines.push(JSON.parse(line)) },
)
const WARN = 40
const listWarnings = () => lines.filter(({ level, msg }) => level >= WARN && msg.includes('history'))
const readChunks = () => lines.filter(({ msg }) => msg === 'history chunk read')

let world: DriverWorld
let count = 0
const lids = new Map<string, string>()
const findLid = (number: string) => lids.get(number)?.split('@')[0] ?? ''

beforeAll(async () => {
  world = await startDriver(undefined, { log, localProxies: true })
  for (const number of [BEN, CARL])
    lids.set(number, (await world.sim<{ lid: string }>('POST', '/phones', { number })).lid)
})
afterEach(async () => {
  lines.splice(0)
  await world.sim('DELETE', '/faults')
})
afterAll(() => world.close())

/** A device of a new account whose phone sends these chunks once it has logged in. */
async function linkWith(history: object[] | undefined) {
  count += 1
  const number = `55113400001${String(count).padStart(2, '0')}`
  await world.sim('POST', '/phones', { number, ...(history && { history }) })
  return { number, instance: await world.linkPhone(number) }
}

async function openInstance(instance: string, proxy?: string) {
  const messages: NetworkMessage[] = []
  const names: KnownName[] = []
  const line = await world.connectInstance(
    instance,
    {
      onMessages: async (some) => void messages.push(...some),
      onPeopleNamed: (some) => void names.push(...some),
    },
    undefined,
    proxy,
  )
  await until(() => line.account)
  return { ...line, messages, names }
}

async function readPair(instance: string, number: string): Promise<string> {
  const bytes = (await world.credentials.read(instance, 'lid-mapping', [number])).get(number)
  return bytes ? JSON.parse(Buffer.from(bytes).toString()) : ''
}

async function readToken(instance: string, jid: string): Promise<string> {
  const bytes = (await world.credentials.read(instance, 'tctoken', [jid])).get(jid)
  return bytes ? JSON.parse(Buffer.from(bytes).toString()).token.data : ''
}

test('all chunks of a history are read for pairs, tokens and names, without messages', async () => {
  const { number, instance } = await linkWith([
    { type: 'bootstrap', inline: true, chats: [{ with: CARL, name: 'Carl of the chat', messages: 3 }] },
    {
      type: 'recent',
      order: 2,
      progress: 60,
      chats: [{ with: BEN, addressing: 'lid', name: 'Ben', messages: 500, messageBytes: 1000, token: TOKEN }],
    },
    { type: 'push_name', pushNames: [{ number: CARL, name: 'Carl himself' }] },
    { type: 'full', pairs: [BEN] },
  ])
  const { messages, names, connection } = await openInstance(instance)
  // What another device of the account writes meanwhile is not held back.
  const { id } = await world.sim<{ id: string }>('POST', '/messages', {
    from: number,
    to: BEN,
    text: 'first',
  })
  await until(() => messages.find(({ messageid }) => messageid === id), { within: 5000 })
  await until(() => readChunks().length === 4)
  expect(await readPair(instance, CARL)).toBe(findLid(CARL))
  expect(await readPair(instance, BEN)).toBe(findLid(BEN))
  expect(await readToken(instance, `${findLid(BEN)}@lid`)).toBe(TOKEN)
  expect(Object.fromEntries(names.map(({ person, name }) => [person.pn, name]))).toEqual({
    [`${BEN}@s.msgnet.net`]: 'Ben',
    [`${CARL}@s.msgnet.net`]: 'Carl himself',
  })
  expect(messages.map(({ messageid }) => messageid)).toEqual([id])
  expect(listWarnings()).toEqual([])
  await connection.close()
})

test('an older token does not replace a newer one', async () => {
  const { number, instance } = await linkWith([
    { type: 'recent', chats: [{ with: BEN, token: TOKEN, tokenAt: NOW }] },
  ])
  const { connection } = await openInstance(instance)
  await until(() => readToken(instance, `${findLid(BEN)}@lid`))
  const older = Buffer.from('an older one').toString('base64')
  const chats = [{ with: BEN, token: older, tokenAt: NOW - 100 }]
  await world.sim('POST', `/phones/${number}/history`, { type: 'recent', chats })
  await until(() => readChunks().length === 2)
  expect(await readToken(instance, `${findLid(BEN)}@lid`)).toBe(TOKEN)
  await connection.close()
})

test("a chunk is downloaded through the instance's proxy", async () => {
  const proxy = await startHttpProxy()
  const { instance } = await linkWith([{ type: 'recent', pairs: [BEN] }])
  const { connection } = await openInstance(instance, proxy.url)
  await until(() => readPair(instance, BEN))
  expect(proxy.served).toContain(world.mediaHosts[0])
  await connection.close()
  await proxy.close()
})

test('a chunk that is unavailable is read by the next connection, and a deleted one never', async () => {
  const { instance } = await linkWith([
    { type: 'recent', pairs: [BEN] },
    { type: 'recent', order: 2, pairs: [CARL], lost: true },
  ])
  await world.sim('POST', '/faults', { kind: 'media', code: 503, direction: 'download' })
  const first = await openInstance(instance)
  // The second waits behind the first.
  await until(() => listWarnings().length === 1)
  await first.connection.close()
  await world.sim('DELETE', '/faults')
  const second = await openInstance(instance)
  await until(() => readPair(instance, BEN))
  await until(() => listWarnings().length === 2)
  await second.connection.close()
  const third = await openInstance(instance)
  // The third has nothing left to read: both were settled by the second.
  await third.connection.confirmRead(AbortSignal.timeout(5000))
  expect(await world.credentials.readAll(instance, 'received')).toEqual(new Map())
  expect(listWarnings()).toHaveLength(2)
  expect(await readPair(instance, CARL)).toBe('')
  await third.connection.close()
})

test('a chunk whose download breaks off is read again on the same connection, before those after it', async () => {
  const { instance } = await linkWith([
    { type: 'recent', progress: 50, pairs: [BEN] },
    { type: 'recent', order: 2, progress: 100, pairs: [CARL] },
  ])
  await world.sim('POST', '/faults', { kind: 'media', direction: 'download', partial: true, count: 1 })
  const { connection } = await openInstance(instance)
  await until(() => readPair(instance, CARL))
  expect(await readPair(instance, BEN)).toBe(findLid(BEN))
  expect(listWarnings()).toHaveLength(1)
  expect(readChunks()).toMatchObject([{ chunkOrder: 1 }, { chunkOrder: 2 }])
  await connection.close()
})

test('a chunk whose messages could not be stored is read again', async () => {
  const { number, instance } = await linkWith([])
  let tries = 0
  const texts: string[] = []
  const line = await world.connectInstance(instance, {
    onHistoryPage: async (page) => {
      tries += 1
      if (tries === 1) throw new Error('the disk is full')
      texts.push(...page.messages.map(({ text }) => text))
    },
  })
  await until(() => line.account)
  const chats = [{ with: BEN, messages: 3 }]
  await world.sim('POST', `/phones/${number}/history`, { type: 'on_demand', chats })
  await until(() => readChunks().length === 1)
  expect([tries, texts.length]).toEqual([2, 3])
  expect(listWarnings()).toHaveLength(1)
  expect(await world.credentials.readAll(instance, 'received')).toEqual(new Map())
  await line.connection.close()
})

test('a chunk whose messages are not taken holds up no chunk of another instance', async () => {
  const release = Promise.withResolvers<void>()
  const opened = []
  for (const isStuck of [true, false, false]) {
    const { number, instance } = await linkWith([])
    const line = await world.connectInstance(instance, {
      onHistoryPage: () => (isStuck ? release.promise : Promise.resolve()),
    })
    await until(() => line.account)
    await world.sim('POST', `/phones/${number}/history`, {
      type: 'on_demand',
      chats: [{ with: BEN, messages: 3 }],
    })
    opened.push(line)
  }
  await until(() => readChunks().length === 2)
  release.resolve()
  await until(() => readChunks().length === 3)
  for (const { connection } of opened) await connection.close()
})

test('a chunk that a host has no time for is read again', async () => {
  const { instance } = await linkWith([{ type: 'recent', pairs: [BEN] }])
  await world.sim('POST', '/faults', { kind: 'media', code: 429, direction: 'download', count: 2 })
  const { connection } = await openInstance(instance)
  await until(() => readPair(instance, BEN))
  expect(listWarnings()).toHaveLength(1)
  await connection.close()
})

/** A field that the reader passes over. */
function encodeLongField(length: number): Buffer {
  const bytes = Buffer.alloc(length)
  bytes[0] = (9 << 3) | 2
  for (let at = 1, left = length; left > 0; at += 1, left = Math.floor(left / 128))
    bytes[at] = (left % 128) | (left >= 128 ? 128 : 0)
  return bytes
}

const compressBytes = (bytes: Uint8Array) => deflateSync(bytes).toString('base64')

test.each([
  ['is no compressed data', () => randomBytes(1000).toString('base64')],
  ['ends too early', () => compressBytes(Buffer.from([0x12, 0x7f, 1]))],
  ['has too many fields', () => compressBytes(Buffer.alloc(4_000_000, Buffer.from([0x08, 0])))],
  ['inflates to more than a history has', () => compressBytes(encodeLongField(70_000_000))],
])('a chunk that %s is logged once and affects nothing else', async (_, raw) => {
  const bytes = raw()
  const { number, instance } = await linkWith([{ type: 'recent', raw: bytes }])
  const { connection, messages } = await openInstance(instance)
  await until(() => listWarnings().length === 1)
  const { id } = await world.sim<{ id: string }>('POST', '/messages', {
    from: BEN,
    to: number,
    text: 'still here',
  })
  await until(() => messages.find(({ messageid }) => messageid === id))
  await world.sim('POST', `/phones/${number}/history`, { type: 'recent', pairs: [CARL] })
  await until(() => readPair(instance, CARL))
  expect(listWarnings()).toHaveLength(1)
  await connection.close()
})

test('a chunk from another account is not read', async () => {
  const { number, instance } = await linkWith([])
  const { connection, messages } = await openInstance(instance)
  const history = proto.HistorySync.encode({
    syncType: proto.HistorySync.HistorySyncType.RECENT,
    phoneNumberToLidMappings: [{ pnJid: `${CARL}@s.whatsapp.net`, lidJid: '1@lid' }],
  }).finish()
  const raw = proto.Message.encode({
    protocolMessage: {
      type: proto.Message.ProtocolMessage.Type.HISTORY_SYNC_NOTIFICATION,
      historySyncNotification: {
        syncType: proto.Message.HistorySyncType.RECENT as number,
        initialHistBootstrapInlinePayload: deflateSync(history),
      },
    },
  }).finish()
  await world.sim('POST', '/messages', { from: BEN, to: number, raw: Buffer.from(raw).toString('base64') })
  const { id } = await world.sim<{ id: string }>('POST', '/messages', {
    from: BEN,
    to: number,
    text: 'after it',
  })
  await until(() => messages.find(({ messageid }) => messageid === id))
  expect(await readPair(instance, CARL)).toBe('')
  expect([...readChunks(), ...listWarnings()]).toEqual([])
  await connection.close()
})
