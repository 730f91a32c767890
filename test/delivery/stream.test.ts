// The event stream: the envelopes of a webhook, read by programs without a public address.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { expectDocumentedEnvelope } from '../contract/documented.ts'
import { createDevice, linkWithPast, subscribeReceiver } from '../device.ts'
import { startReceiver } from '../receiver.ts'
import { until } from '../until.ts'
import { type Correspondent, createCorrespondent } from './gateway.ts'

const receiver = await startReceiver()
let world: BorrowedWorld
let device: Correspondent

beforeAll(async () => {
  world = await borrowWorld()
  device = await createCorrespondent(world)
})

afterAll(async () => {
  await world.close()
  await receiver.close()
})

interface Streamed {
  id: number
  // biome-ignore lint/suspicious/noExplicitAny: envelopes are looked into by name.
  envelope: any
}

async function openStream(token: string, lastEventId?: number) {
  const leave = new AbortController()
  const headers = { token, ...(lastEventId !== undefined && { 'last-event-id': String(lastEventId) }) }
  const response = await fetch(`${world.run.baseUrl}/v1/events/stream`, { headers, signal: leave.signal })
  const stream = { response, got: [] as Streamed[], over: false, leave: () => leave.abort() }
  void readEvents(response, stream.got)
    .catch(() => undefined)
    .finally(() => {
      stream.over = true
    })
  return stream
}

async function readEvents(response: Response, got: Streamed[]): Promise<void> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const [, id, data] = /^id: (\d+)\ndata: (.*)$/.exec(block) ?? []
      if (data) got.push({ id: Number(id), envelope: JSON.parse(data) })
    }
  }
}

const listTexts = (got: Streamed[]) => got.map(({ envelope }) => envelope.message?.text).filter(Boolean)

test('every later event comes as its envelope, without a webhook too', async () => {
  await device.receiveText('before')
  await until(async () => (await device.caller.get('/v1/events')).text.includes('before'))
  const stream = await openStream(device.token)
  expect(stream.response.headers.get('content-type')).toBe('text/event-stream')
  expect(stream.response.headers.get('x-request-id')).toMatch(/./)
  await device.receiveText('now', 3)
  await until(() => listTexts(stream.got).length === 3)
  expect(listTexts(stream.got)).toEqual(['now', 'now', 'now'])
  for (const { id, envelope } of stream.got) {
    expect(id).toBe(envelope.seq)
    expect(envelope.instanceId).toBe(device.id)
    expectDocumentedEnvelope(envelope)
  }
  stream.leave()
})

test('with Last-Event-ID a stream continues after the last event that was read, without a gap or a repeat', async () => {
  const first = await openStream(device.token, 0)
  const { lastSeq } = await until(async () => {
    const [newest] = (await device.caller.get('/v1/events?limit=1')).body.events
    return first.got.at(-1)?.id === newest.seq && { lastSeq: newest.seq as number }
  })
  expect(first.got.map(({ id }) => id)).toEqual(Array.from({ length: lastSeq }, (_, index) => index + 1))
  first.leave()
  await device.receiveText('while away', 30)
  const second = await openStream(device.token, lastSeq)
  await until(() => listTexts(second.got).length === 30)
  expect(second.got[0]?.id).toBe(lastSeq + 1)
  second.leave()
})

test('a reader that has seen more than the log has, as after a restored backup, gets every event from now on', async () => {
  const stream = await openStream(device.token, 1_000_000)
  await device.receiveText('after the restored backup', 2)
  await until(() => listTexts(stream.got).length === 2)
  expect(listTexts(stream.got)).toEqual(['after the restored backup', 'after the restored backup'])
  stream.leave()
})

test.each([
  ['without a webhook', undefined, 0],
  ['with a webhook for other events', ['messages'], 0],
  ['with a webhook that names history', ['messages', 'history'], 30],
])(
  '%s the past of a linked account is in the log and the stream as often as at the webhook',
  async (_, events, count) => {
    const fresh = await createDevice(world)
    if (events) await subscribeReceiver(fresh, receiver, events)
    const stream = await openStream(fresh.token)
    const { caller, number } = await linkWithPast(world, fresh, { chats: 3, messages: 30 })
    await until(async () => (await caller.get('/instance/status')).body.history.state === 'complete')
    await world.sim('POST', '/messages', { from: device.number, to: number, text: 'after it' })
    await until(() => listTexts(stream.got).includes('after it'))
    stream.leave()
    expect(listPastIds(stream.got.map(({ envelope }) => envelope))).toHaveLength(count)
    const own = () =>
      receiver.deliveries.map(({ envelope }) => envelope).filter(({ instanceId }) => instanceId === fresh.id)
    if (events) await until(() => own().some(({ EventType }) => EventType === 'messages'))
    expect(new Set(listPastIds(own())).size).toBe(count)
    const logged = (await caller.get('/v1/events?limit=100')).body.events as { seq: number; type: string }[]
    expect(logged.some(({ type }) => type === 'history')).toBe(count > 0)
    // What was left out took no place in the sequence.
    expect(logged[0]?.seq).toBe(logged.length)
    expect((await caller.post('/message/find', { limit: 100 })).body.returnedMessages).toBe(31)
  },
)

test('a webhook that is saved after a history gets what the phone sends of it next', async () => {
  const fresh = await createDevice(world)
  const past = { chats: 1, messages: 200, days: 900 }
  const { caller } = await linkWithPast(world, fresh, past, undefined, 'recent')
  await until(async () => (await caller.get('/instance/status')).body.history.state === 'complete')
  await subscribeReceiver(fresh, receiver, ['history'])
  const [{ chatid }] = (await caller.post('/message/find', { limit: 1 })).body.messages
  await caller.post('/message/history', { number: chatid, count: 5 })
  const isOwn = ({ instanceId }: { instanceId: string }) => instanceId === fresh.id
  const { envelope } = await receiver.waitForDelivery(isOwn)
  expect(listPastIds([envelope])).toHaveLength(5)
})

// biome-ignore lint/suspicious/noExplicitAny: envelopes are looked into by name.
const listPastIds = (envelopes: any[]): string[] =>
  envelopes
    .filter(({ EventType }) => EventType === 'history')
    .flatMap(({ event }) => event.messages.map(({ messageid }: { messageid: string }) => messageid))

test('a stream ends when its reader disconnects', async () => {
  const readLog = () => readFileSync(join(world.dataDir, 'logs', 'edge.log'), 'utf8')
  const countLines = (msg: string) => readLog().split(`"msg":"${msg}"`).length - 1
  const stream = await openStream(device.token)
  stream.leave()
  await until(() => countLines('stream ended') === countLines('stream opened'), { within: 40_000 })
})

test('a stream ends when the token is replaced, and when the instance is deleted', async () => {
  const fresh = await createDevice(world)
  const stream = await openStream(fresh.token)
  const { token } = (await world.admin.post(`/v1/instances/${fresh.id}/token`)).body
  await until(() => stream.over)
  const again = await openStream(token)
  await world.callAs(token).delete('/instance')
  await until(() => again.over)
})

test('a stream with a wrong token, or from an invalid position, is refused', async () => {
  expect((await openStream('mgi_wrong')).response.status).toBe(401)
  const headers = { token: device.token, 'last-event-id': 'yesterday' }
  const response = await fetch(`${world.run.baseUrl}/v1/events/stream`, { headers })
  expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([
    400,
    'invalid_query',
  ])
})
