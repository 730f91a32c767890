// What a stranger sends to one instance costs the host no more than its size deserves, and the other instances nothing.
// @module-tag slow

import { randomBytes } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../until.ts'
import {
  digestText,
  encodeContactsMessage,
  encodeEmptyOptionsMessage,
  encodeMentionsMessage,
  encodeNestedMessage,
  encodeNewestPollMessage,
  encodePollMessage,
  encodeSenderKeyMessage,
  encodeVoteMessage,
} from './hostile.ts'
import { type HostProcess, type ProcessWorld, startProcessWorld } from './process.ts'
import { createTextInput } from './world.ts'

const [ANNA, BEN, CLEO, DAN] = ['5511700000001', '5511700000002', '5511700000003', '5511700000004']
const LONG = { within: 60_000 }

let world: ProcessWorld
let host: HostProcess
/** The instance that strangers write to, and its neighbour on the same host. */
let target: string
let neighbour: string

beforeAll(async () => {
  world = await startProcessWorld()
  for (const number of [BEN, DAN]) await world.sim('POST', '/phones', { number })
  host = world.runHost()
  target = await world.linkPhone(ANNA)
  neighbour = await world.linkPhone(CLEO)
  await receiveText('hello')
}, 60_000)

afterAll(() => world.close())

const createId = () => `3EB0${randomBytes(9).toString('hex').toUpperCase()}`
const findMessage = (id: string) =>
  world.edge
    .listEvents(target, 'messages')
    .find(({ payload }) => (payload.message as { id: string }).id.endsWith(id))

async function sendRaw(bytes: Uint8Array, more: { id?: string; count?: number } = {}): Promise<void> {
  const raw = Buffer.from(bytes).toString('base64')
  await world.sim('POST', '/messages', { from: BEN, to: ANNA, raw, ...more })
}

/** A text of another person to the same instance, until it is reported. */
async function receiveText(text: string): Promise<void> {
  await world.sim('POST', '/messages', { from: DAN, to: ANNA, text })
  await until(() => world.listTexts(target).includes(text), LONG)
}

/** The longest time, in milliseconds, that the host's event loop stood still since the last call. */
async function measureLongestBlock(): Promise<number> {
  const { metricsPort } = await until(() => host.readLines().find((line) => line.metricsPort))
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  const [, seconds] = /^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(metrics) ?? []
  return Number(seconds) * 1000
}

/** Runs `work` while the neighbour sends without a pause; answers how long the host stood still at most. */
async function measureNeighbour(work: () => Promise<void>): Promise<number> {
  await measureLongestBlock()
  let running = true
  const sends = (async () => {
    let sent = 0
    for (; running || sent === 0; sent++) {
      const text = createTextInput(`${DAN}@s.msgnet.net`, `beside it ${sent}`)
      const outcome = await world.edge.performAction(neighbour, 'message.sendText', text)
      expect(outcome.kind).toBe('done')
    }
  })()
  await work()
  running = false
  await sends
  return measureLongestBlock()
}

async function listReceiptIds(): Promise<string[]> {
  const { receipts } = await world.sim<{ receipts: { ids: string[] }[] }>('GET', `/receipts?number=${ANNA}`)
  return receipts.flatMap(({ ids }) => ids)
}

/** Of both instances: that neither was closed. */
const listStates = () => [target, neighbour].flatMap((instance) => world.edge.listStates(instance))

/** What an honest message of that size takes: the bytes are decrypted, whatever is in them. */
async function measureHonestBlock(bytes: number): Promise<number> {
  return measureNeighbour(async () => {
    const file = { image: 'aGVsbG8=', caption: 'x', captionRepeat: bytes }
    const { id } = await world.sim<{ id: string }>('POST', '/messages', { from: BEN, to: ANNA, ...file })
    await until(() => findMessage(id), LONG)
  })
}

test.each([
  ['contacts', 5_000_000, encodeContactsMessage],
  ['contacts', 500_000, encodeContactsMessage],
  ['contacts', 100_000, encodeContactsMessage],
  ['options of a poll', 5_000_000, encodeEmptyOptionsMessage],
  ['options of a poll', 500_000, encodeEmptyOptionsMessage],
  ['mentions', 5_000_000, encodeMentionsMessage],
  ['mentions', 500_000, encodeMentionsMessage],
])(
  'a list of %s with %i empty items is reported as too large, and blocks the host no longer than an ordinary message of its size',
  { timeout: 120_000 },
  async (_, items, make) => {
    const before = listStates().length
    const honest = await measureHonestBlock(items * 2)
    const id = createId()
    const block = await measureNeighbour(async () => {
      await sendRaw(make(items), { id })
      await until(() => findMessage(id), LONG)
    })

    expect(findMessage(id)?.payload).toMatchObject({
      truncated: true,
      message: { type: 'other', text: '', truncated: true, chatid: `${BEN}@s.msgnet.net` },
    })
    await until(async () => (await listReceiptIds()).includes(id))
    expect(listStates()).toHaveLength(before)
    // Under load any pause may be the machine's.
    expect(block).toBeLessThan(4 * Math.max(honest, 100))
  },
)

test.each([100, 2000, 100_000])('a message in %i wrappers is reported as too large', async (depth) => {
  const id = createId()
  await sendRaw(encodeNestedMessage(depth), { id })
  await until(() => findMessage(id), LONG)
  expect(findMessage(id)?.payload).toMatchObject({ truncated: true, message: { type: 'other' } })
  await until(async () => (await listReceiptIds()).includes(id))
})

test('a poll with thousands of options is cut to twelve: votes are reported, and the chat can be read and exported', async () => {
  const ben = `${BEN}@s.whatsapp.net`
  const [secret, id] = [randomBytes(32), createId()]
  await sendRaw(encodePollMessage(3000, secret), { id })
  const { payload } = await until(() => findMessage(id))
  const message = payload.message as { content: { choices: string[] } }
  expect(message).toMatchObject({ type: 'poll', truncated: true, text: 'Which one?' })
  expect(message.content.choices).toEqual(Array.from({ length: 12 }, (_, n) => String(n)))

  const key = { secret, id, creator: ben }
  for (let vote = 0; vote < 20; vote++)
    await sendRaw(encodeVoteMessage(key, ben, [digestText(String(vote % 12)), digestText('2999')]))
  // More than there can be options: that somebody voted is reported, and not how.
  await sendRaw(encodeVoteMessage(key, ben, Array<Buffer>(3000).fill(digestText('5'))))
  await receiveText('after the votes')
  const votes = world.edge.listEvents(target, 'messages_update').map(({ payload }) => payload)
  expect(votes).toHaveLength(21)
  expect(votes.at(19)).toMatchObject({ type: 'PollVote', event: { MessageIDs: [id], vote: ['7'] } })
  expect(votes.at(20)).toMatchObject({ type: 'PollVote', event: { MessageIDs: [id], unreadable: true } })

  const chat = { chatid: `${BEN}@s.msgnet.net`, limit: 100, offset: 0 }
  const found = await world.edge.performAction(target, 'message.find', chat)
  const record =
    found.kind === 'done' ? found.result.messages.find(({ id: of }) => of.endsWith(id)) : undefined
  expect(record).toMatchObject({ vote: '7', content: { votes: [{ choices: ['7'] }] } })
  const exported = await world.edge.performAction(target, 'session.export', { what: 'message', after: '' })
  expect(exported.kind).toBe('done')
})

test('a poll of the newest form with hundreds of options is cut to twelve, and what comes behind it is reported', async () => {
  const id = createId()
  await sendRaw(encodeNewestPollMessage(600), { id })
  await receiveText('after the newest poll')
  const { payload } = await until(() => findMessage(id))
  expect(payload).toMatchObject({
    truncated: true,
    message: { type: 'poll', messageType: 'pollCreationMessageV6', text: 'Which one?', truncated: true },
  })
})

test('a hundred undecryptable messages delay no others, are reported, and are requested again only up to the quota', async () => {
  const garbage = 120
  const block = await measureNeighbour(async () => {
    await sendRaw(Buffer.from([0xff, 0xff, 0xff]), { count: garbage })
    const began = performance.now()
    await receiveText('after the garbage')
    // Each held up the next ones for a quarter of a second: half a minute.
    expect(performance.now() - began).toBeLessThan(15_000)
  })
  expect(block).toBeLessThan(2000)
  await until(() => world.edge.listEvents(target, 'undecryptable').length === garbage, LONG)
  const { entries } = await world.sim<{ entries: { what: string }[] }>('GET', `/log?number=${ANNA}`)
  const retries = entries.filter(({ what }) => what === 'retry')
  expect(retries.length).toBeGreaterThan(50)
  expect(retries.length).toBeLessThan(garbage)
})

test('long keys of a group, which anybody may send, block the host no longer than an ordinary message of their size', async () => {
  const honest = await measureHonestBlock(480_000)
  const block = await measureNeighbour(async () => {
    for (let n = 0; n < 6; n++) {
      const id = createId()
      await sendRaw(encodeSenderKeyMessage(240_000), { id })
      await until(() => findMessage(id), LONG)
    }
  })
  expect(block).toBeLessThan(4 * Math.max(honest, 100))
})

const createNodes = (count: number) => Buffer.alloc(count * 3, Buffer.from([248, 1, 8]))
const createList = (count: number) => Buffer.from([248, 2, 8, 249, count >> 8, count & 255])

const crowded = Buffer.concat([createList(65_535), createNodes(65_535)])

test.each([
  [
    'five million nodes',
    [Buffer.from([0, 248, 2, 8, 248, 80]), ...Array(80).fill(crowded)],
    'too many nodes',
  ],
  [
    'a gigabyte when it is inflated',
    [Buffer.from([2]), deflateSync(Buffer.alloc(2 ** 30))],
    'inflated to more',
  ],
])('a frame of %s is dropped, and the session goes on', { timeout: 120_000 }, async (what, parts, why) => {
  const frame = Buffer.concat(parts)
  const before = listStates().length
  await measureNeighbour(async () => {
    await world.sim('POST', `/phones/${ANNA}/frames`, { raw: frame.toString('base64') })
    await receiveText(`after ${what}`)
  })
  await until(() => host.readOutput().includes(why))
  expect(listStates()).toHaveLength(before)
})
