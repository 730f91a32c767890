// Files by the driver alone: which media host it uses, and what it does when a host, the authorization or the file is missing.

import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Connection, NetworkMessage, OwnKey } from '@msgnet/session-host/driver/driver.ts'
import { uploadFile as encryptAndUpload } from '@msgnet/session-host/driver/media-network.ts'
import { proto } from '@msgnet/simulator/codec/protobuf.ts'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { MovableClock } from '../movable-clock.ts'
import { until } from '../until.ts'
import { type DriverWorld, startDriver } from './driver.ts'

const ANNA = '5511340000011'
const BEN = '5511340000012'

const clock = new MovableClock()
const file = randomBytes(5000)
const received: NetworkMessage[] = []
let world: DriverWorld
let connection: Connection

beforeAll(async () => {
  world = await startDriver(undefined, { clock })
  await world.sim('POST', '/phones', { number: BEN, name: 'Ben' })
  const instance = await world.linkPhone(ANNA)
  const line = await world.connectInstance(instance, {
    onMessages: async (some) => void received.push(...some),
  })
  await until(() => line.account)
  connection = line.connection
})
afterEach(() => world.sim('DELETE', '/faults'))
afterAll(() => world.close())

const createDeadline = () => AbortSignal.timeout(20_000)
const causeMediaFault = (media: object) => world.sim('POST', '/faults', { kind: 'media', ...media })
const uploadFile = () =>
  encryptAndUpload(connection.media, 'document', Readable.from([file]), createDeadline())

async function receiveDocument(): Promise<NetworkMessage> {
  const body = { from: BEN, to: ANNA, document: file.toString('base64'), mimetype: 'text/plain' }
  const { id } = await world.sim<{ id: string }>('POST', '/messages', body)
  return until(() => received.find(({ messageid }) => messageid === id))
}

const createKey = ({ messageid, chat, sender, isGroup, fromMe }: NetworkMessage): OwnKey => ({
  messageid,
  chatid: chat.id,
  sender: sender.id,
  isGroup,
  fromMe,
})

async function downloadFile(message: NetworkMessage, encoded = message.encoded) {
  const outcome = await connection.media.download(encoded, createKey(message), createDeadline())
  if (outcome.kind !== 'done') return outcome
  return { bytes: await buffer(outcome.value.file), moved: outcome.value.reuploaded }
}

async function runWhileTimePasses<Result>(work: Promise<Result>): Promise<Result> {
  let ended = false
  clock.holdTime()
  const end = work.finally(() => {
    ended = true
  })
  await until(async () => {
    await clock.moveTime(1000)
    return ended
  })
  clock.releaseTime()
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
])('a file is sent and received by the next host when the first %s', async (_, failing) => {
  const message = await receiveDocument()
  await causeMediaFault({ host: 1, ...failing })
  expect(await uploadFile()).toMatchObject({ kind: 'done' })
  expect(await downloadFile(message)).toMatchObject({ bytes: file })
})

test('an unresponsive host is given up for the next one', async () => {
  const message = await receiveDocument()
  await causeMediaFault({ host: 1, silent: true, count: 1 })
  expect(await runWhileTimePasses(downloadFile(message))).toMatchObject({ bytes: file })
})

test('a definite refusal of one host is final', async () => {
  await causeMediaFault({ code: 400, count: 1 })
  expect(await uploadFile()).toMatchObject({ kind: 'refused', code: 400 })
  // With a request to the second host, this would be the first that it takes.
  expect(await uploadFile()).toMatchObject({ kind: 'done' })
})

test('an expired authorization is renewed once, for uploads and downloads', async () => {
  const message = await receiveDocument()
  const before = await countMediaConns()
  await causeMediaFault({ code: 401, count: 1, direction: 'upload' })
  expect(await uploadFile()).toMatchObject({ kind: 'done' })
  await causeMediaFault({ code: 403, count: 1, direction: 'download' })
  expect(await downloadFile(message)).toMatchObject({ bytes: file })
  expect(await countMediaConns()).toBe(before + 2)
})

test('a file named only by a URL is downloaded with its whole query', async () => {
  const message = await receiveDocument()
  const decoded = proto.Message.decode(message.encoded)
  const url = decoded.documentMessage?.url ?? ''
  expect(url).toMatch(/\?ccb=.*&oh=.*&oe=/)
  Object.assign(decoded.documentMessage ?? {}, {
    directPath: '',
    url: url.replace('127.0.0.1', 'elsewhere.example'),
  })
  expect(await downloadFile(message, new Uint8Array(proto.Message.encode(decoded).finish()))).toMatchObject({
    bytes: file,
  })
})

test('a file that the hosts have deleted is uploaded again by the phone, and found at once the next time', async () => {
  const message = await receiveDocument()
  await world.sim('DELETE', `/messages/${message.messageid}/media`)
  // Two at the same time send one request to the phone.
  const [first, second] = await Promise.all([downloadFile(message), downloadFile(message)])
  expect(first).toMatchObject({ bytes: file, moved: expect.any(Uint8Array) })
  expect(second).toMatchObject({ bytes: file })
  const moved = 'moved' in first ? first.moved : undefined
  expect(await downloadFile(message, moved)).toEqual({ bytes: file, moved: undefined })
})

test('a file missing on the phone too is refused, and so is one whose phone is unresponsive', async () => {
  const missing = await receiveDocument()
  await world.sim('DELETE', `/messages/${missing.messageid}/media`, { phone: 'lost' })
  expect(await downloadFile(missing)).toMatchObject({ kind: 'refused', code: 410 })
  const waiting = await receiveDocument()
  await world.sim('DELETE', `/messages/${waiting.messageid}/media`, { phone: 'offline' })
  expect(await runWhileTimePasses(downloadFile(waiting))).toMatchObject({ kind: 'refused', code: 408 })
})
