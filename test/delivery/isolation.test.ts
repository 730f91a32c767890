// Two instances side by side: whatever happens to one, the answers that the other gets stay as they were.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DatabaseProxy, startDatabaseProxy } from '../chaos/database-proxy.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import { type Correspondent, createCorrespondent, listTexts } from './gateway.ts'

let world: World
/** Of the edge, and of the host. */
let databases: DatabaseProxy[] = []
let receivers: Receiver[] = []
let busy: Correspondent
let quiet: Correspondent

beforeAll(async () => {
  receivers = await Promise.all([startReceiver(), startReceiver()])
  databases = await Promise.all([startDatabaseProxy(), startDatabaseProxy()])
  const [edge, host] = databases as [DatabaseProxy, DatabaseProxy]
  world = await startWorld({
    DATABASE_URL: edge.url,
    DATABASE_TOKEN: edge.token,
    SESSION_STORE_URL: host.url,
    SESSION_STORE_TOKEN: host.token,
    WEBHOOK_ALLOWLIST: receivers.map(({ place }) => place).join(),
  })
  busy = await createCorrespondent(world, 'Busy')
  quiet = await createCorrespondent(world, 'Quiet')
})

afterAll(async () => {
  await world.close()
  await Promise.all([...databases, ...receivers].map((each) => each.close()))
})

/** The first so many events of an instance's stream. */
async function streamEvents({ token }: Correspondent, count: number): Promise<string> {
  const headers = { token, 'last-event-id': '0' }
  const stream = await fetch(`${world.run.baseUrl}/v1/events/stream`, { headers })
  let read = ''
  for await (const chunk of stream.body as unknown as AsyncIterable<Uint8Array>) {
    read += new TextDecoder().decode(chunk)
    if ((read.match(/\n\n(?=id:|$)/g) ?? []).length > count) break
  }
  return read
}

/** Everything that is answered about one instance. */
async function readEverything(device: Correspondent) {
  const { caller } = device
  const chat = (await caller.post('/chat/find')).body.chats[0]?.id
  const requests: [string, string, object?][] = [
    ['GET', '/instance/status'],
    ['GET', '/instance/proxy'],
    ['GET', '/webhook'],
    ['GET', '/webhook/errors'],
    ['GET', '/v1/events?limit=200'],
    ['GET', '/v1/events?limit=200&status=dead'],
    ['GET', '/v1/events?afterSeq=1'],
    ['POST', '/v1/events/replay', { status: 'dead', dryRun: true }],
    ['POST', '/v1/events/replay', { fromSeq: 0, dryRun: true }],
    ['POST', '/chat/find', {}],
    ['POST', '/chat/find', { unread: true }],
    ['POST', '/message/find', { chatid: chat }],
    ['POST', '/message/find', { track_id: 'ours' }],
    ['GET', '/group/list'],
  ]
  const seen: Record<string, unknown> = {}
  for (const [method, path, body] of requests)
    seen[`${method} ${path} ${JSON.stringify(body)}`] = (await caller.request(method, path, body)).body
  // It moves with the clock.
  delete (seen['GET /instance/status undefined'] as { coverage: { until?: number } }).coverage.until
  const events = (seen['GET /v1/events?limit=200 undefined'] as { events: unknown[] }).events
  return { ...seen, stream: await streamEvents(device, events.length) }
}

/** Texts in and out, a chat that is read and one that is not, a group. */
async function useDevice(device: Correspondent, texts: number): Promise<void> {
  await device.receiveText('hello', texts)
  const chat = await until(async () => {
    const [found] = (await device.caller.post('/chat/find')).body.chats
    return found?.unreadCount === texts && found.id
  })
  await device.caller.post('/send/text', { number: chat, text: 'hello yourself', track_id: 'ours' })
  await device.caller.post('/group/create', { name: 'Friends', participants: [chat] })
  // The last of what comes of it by itself.
  await until(async () => {
    const { events } = (await device.caller.get('/v1/events?limit=200')).body
    const types = events.map(({ type }: { type: string }) => type)
    return types.includes('messages_update') && types.includes('groups')
  })
}

const readDeliveryStatus = async ({ caller }: Correspondent) =>
  (await caller.get('/webhook')).body.deliveryStatus

test('one instance sees no failures, events, messages, chats, groups or proxy of another', async () => {
  const [good, bad] = receivers as [Receiver, Receiver]
  await quiet.caller.post('/webhook', { url: good.url, events: 'all' })
  await useDevice(quiet, 2)
  await until(async () => listTexts(good).length >= 3 && (await readDeliveryStatus(quiet)).pending === 0)
  await until(async () => (await quiet.caller.get('/v1/events?status=pending')).body.events.length === 0)
  const before = await readEverything(quiet)

  bad.status = 410
  await busy.caller.post('/webhook', { url: bad.url, events: 'all' })
  await useDevice(busy, 5)
  await busy.caller.post('/instance/proxy', { enable: false, proxy_url: 'http://me:secret@127.0.0.1:9' })
  const health = await until(async () => {
    const status = await readDeliveryStatus(busy)
    return status.dead === 1 && status.pending > 0 && status
  })
  expect(health.lastFailure).toMatchObject({ status: 410 })

  expect(await readEverything(quiet)).toEqual(before)
  expect((await readDeliveryStatus(quiet)).dead).toBe(0)
  const ours = await readEverything(busy)
  expect(JSON.stringify(ours)).not.toContain(quiet.id)
  expect(JSON.stringify(before)).not.toContain(busy.id)
})

test('no statement of either side compares a column with itself', () => {
  for (const { statements } of databases) {
    expect(statements.size).toBeGreaterThan(20)
    const alike = /(?<![\w".])((?:"?\w+"?\.)?"?[a-z_]\w*"?)\s*(?:=|is|<>)\s*\1(?![\w".])/i
    expect([...statements].filter((sql) => alike.test(sql))).toEqual([])
  }
})
