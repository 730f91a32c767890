// Files by the driver alone: which media host it asks, and what it does when a host, the authorization or the file is gone.

import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Connection, NetworkMessage, OwnKey } from '../../session-host/driver/driver.ts'
import { proto } from '../../simulator/codec/protobuf.ts'
import { movableClock } from '../movable-clock.ts'
import { until } from '../until.ts'
import { type DriverWorld, startDriver } from './driver.ts'

const ANNA = '5511340000011'
const BEN = '5511340000012'

const clock = movableClock()
const file = randomBytes(5000)
const received: NetworkMessage[] = []
let world: DriverWorld
let connection: Connection

beforeAll(async () => {
  world = await startDriver(undefined, { clock })
  await world.sim('POST', '/phones', { number: BEN, name: 'Ben' })
  const instance = await world.linked(ANNA)
  const line = await world.connect(instance, { messages: async (some) => void received.push(...some) })
  await until(() => line.account)
  connection = line.connection
})
afterEach(() => world.sim('DELETE', '/faults'))
afterAll(() => world.close())

const deadline = () => AbortSignal.timeout(20_000)
const fault = (media: object) => world.sim('POST', '/faults', { kind: 'media', ...media })
const upload = () => connection.media.upload('document', Readable.from([file]), deadline())

async function receive(): Promise<NetworkMessage> {
  const body = { from: BEN, to: ANNA, document: file.toString('base64'), mimetype: 'text/plain' }
  const { id } = await world.sim<{ id: string }>('POST', '/messages', body)
  return until(() => received.find(({ messageid }) => messageid === id))
}

const keyOf = ({ messageid, chat, sender, isGroup, fromMe }: NetworkMessage): OwnKey => ({
  ...{ messageid, chatid: chat.id, sender: sender.id, isGroup, fromMe },
})

async function download(message: NetworkMessage, encoded = message.encoded) {
  const answer = await connection.media.download(encoded, keyOf(message), deadline())
  if (answer.kind !== 'done') return answer
  return { bytes: await buffer(answer.value.file), moved: answer.value.moved }
}

async function whileTimePasses<Result>(work: Promise<Result>): Promise<Result> {
  let ended = false
  clock.hold()
  const end = work.finally(() => {
    ended = true
  })
  await until(async () => {
    await clock.move(1000)
    return ended
  })
  clock.run()
  return end
}

async function countMediaConns(): Promise<number> {
  const { entries } = await world.sim<{ entries: { child?: string }[] }>('GET', `/log?number=${ANNA}`)
  return entries.filter(({ child }) => child === 'media_conn').length
}

test.each([
  ['is cut', {}],
  ['fails', { code: 503 }],
  ['is too busy', { code: 429 }],
])('a file goes by the next host when the first %s, both ways', async (_, failing) => {
  const message = await receive()
  await fault({ host: 1, ...failing })
  expect(await upload()).toMatchObject({ kind: 'done' })
  expect(await download(message)).toMatchObject({ bytes: file })
})

test('a host that does not begin to answer is given up for the next one', async () => {
  const message = await receive()
  await fault({ host: 1, silent: true, count: 1 })
  expect(await whileTimePasses(download(message))).toMatchObject({ bytes: file })
})

test('a host that refuses for a reason of the request is believed, and the next one is not asked', async () => {
  await fault({ code: 400, count: 1 })
  expect(await upload()).toMatchObject({ kind: 'refused', code: 400 })
  // Had the second host been asked, this would be the first request that it takes.
  expect(await upload()).toMatchObject({ kind: 'done' })
})

test('an authorization that has expired is renewed once, both ways', async () => {
  const message = await receive()
  const before = await countMediaConns()
  await fault({ code: 401, count: 1, direction: 'upload' })
  expect(await upload()).toMatchObject({ kind: 'done' })
  await fault({ code: 403, count: 1, direction: 'download' })
  expect(await download(message)).toMatchObject({ bytes: file })
  expect(await countMediaConns()).toBe(before + 2)
})

test('a message that names its file by a URL only is downloaded with the whole query of it', async () => {
  const message = await receive()
  const decoded = proto.Message.decode(message.encoded)
  const url = decoded.documentMessage?.url ?? ''
  expect(url).toMatch(/\?ccb=.*&oh=.*&oe=/)
  Object.assign(decoded.documentMessage ?? {}, {
    directPath: '',
    url: url.replace('127.0.0.1', 'elsewhere.example'),
  })
  expect(await download(message, new Uint8Array(proto.Message.encode(decoded).finish()))).toMatchObject({
    bytes: file,
  })
})

test('a file that the hosts have no more is uploaded again by the phone, and found at once the next time', async () => {
  const message = await receive()
  await world.sim('DELETE', `/messages/${message.messageid}/media`)
  // Two at the same time ask the phone once.
  const [first, second] = await Promise.all([download(message), download(message)])
  expect(first).toMatchObject({ bytes: file, moved: expect.any(Uint8Array) })
  expect(second).toMatchObject({ bytes: file })
  const moved = 'moved' in first ? first.moved : undefined
  expect(await download(message, moved)).toEqual({ bytes: file, moved: undefined })
})

test('a file that the phone has lost too is refused, and so is one whose phone does not answer', async () => {
  const lost = await receive()
  await world.sim('DELETE', `/messages/${lost.messageid}/media`, { phone: 'lost' })
  expect(await download(lost)).toMatchObject({ kind: 'refused', code: 410 })
  const waiting = await receive()
  await world.sim('DELETE', `/messages/${waiting.messageid}/media`, { phone: 'offline' })
  expect(await whileTimePasses(download(waiting))).toMatchObject({ kind: 'refused', code: 408 })
})
