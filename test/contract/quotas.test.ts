// Quotas of an instance: more is 429 rate_limited with the seconds to wait, and no other instance is affected.
// @module-tag slow

import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readSettings } from '@msgnet/cli/settings/gateway-settings.ts'
import { createSendRate } from '@msgnet/edge/limits/quotas.ts'
import { limits } from '@msgnet/shared/contract/limits.ts'
import { DAY } from '@msgnet/shared/date-time.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ApiResponse } from '../caller.ts'
import { createDevice, createPhone, type LinkedDevice, linkDevice } from '../device.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { insertDeliveries } from '../stored-deliveries.ts'
import { until } from '../until.ts'
import { startWorld, type World, withoutEviction } from '../world.ts'

let world: World
let receiver: Receiver
let files: Server
let device: LinkedDevice
let other: LinkedDevice
let friend: string
/** Requests for files whose responses a test sends later. */
const heldResponses: ServerResponse[] = []

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

beforeAll(async () => {
  receiver = await startReceiver()
  files = createServer(({ url }, response) => {
    if (url === '/none') response.writeHead(404).end()
    else heldResponses.push(response)
  })
  await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve))
  world = await startWorld({
    ...withoutEviction,
    WEBHOOK_ALLOWLIST: `${receiver.place},127.0.0.1:${(files.address() as AddressInfo).port}`,
    SEND_RATE: '1',
  })
  friend = await createPhone(world)
  device = await linkDevice(world, await createDevice(world))
  other = await linkDevice(world, await createDevice(world))
})

afterAll(async () => {
  await world.close()
  await receiver.close()
  files.closeAllConnections()
  files.close()
})

const pickLimit = ({ status, body, headers }: ApiResponse) => [
  status,
  body.error,
  Number(headers.get('retry-after')),
]
const releaseHeld = (respond: (response: ServerResponse) => void) => heldResponses.splice(0).forEach(respond)

test('sends of every kind share one quota; a refused one leaves its key free, and other instances keep sending', async () => {
  const { id } = (await device.caller.post('/send/text', { number: friend, text: 'first' })).body
  const kinds: [string, object][] = [
    ['/send/text', { number: friend, text: 'again' }],
    ['/send/location', { number: friend, latitude: 1, longitude: 2 }],
    ['/send/event', { number: friend, name: 'Opening', startTime: 1_789_678_800_000 }],
    ['/send/contact', { number: friend, fullName: 'Ann', phoneNumber: friend }],
    ['/send/media', { number: friend, type: 'image', file: PNG.toString('base64') }],
    ['/message/forward', { id, number: friend }],
    ['/message/react', { id, number: friend, text: '👍' }],
    ['/message/edit', { id, text: 'changed' }],
    ['/message/delete', { id: 'never-there' }],
  ]
  const requests = kinds.flatMap(([path, body]) => Array.from({ length: 5 }, () => ({ path, body })))
  const responses = await Promise.all(
    requests.map(async ({ path, body }) => ({ path, answer: await device.caller.post(path, body) })),
  )
  for (const [path] of kinds) {
    const refused = responses.find((each) => each.path === path && each.answer.status === 429)
    expect([path, refused && pickLimit(refused.answer)]).toEqual([path, [429, 'rate_limited', 1]])
  }

  const text = { number: friend, text: 'kept for later' }
  const key = { 'idempotency-key': crypto.randomUUID() }
  const sendText = () => device.caller.post('/send/text', text, key)
  // The bucket is empty; this or the next one is refused.
  const [one, two] = [await sendText(), await device.caller.post('/send/text', text)]
  expect([one.status, two.status]).toContain(429)

  // What is scheduled counts when it is due.
  const sendAt = new Date(Date.now() + DAY).toISOString()
  const scheduled = await Promise.all(
    Array.from({ length: 5 }, () =>
      device.caller.post('/send/text', { number: friend, text: 'later', sendAt }),
    ),
  )
  expect(scheduled.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])

  expect((await other.caller.post('/send/text', { number: friend, text: 'not mine' })).status).toBe(200)
  const sent = await until(async () => {
    const response = await sendText()
    return response.status === 200 && response
  })
  expect(sent.headers.get('idempotency-replayed')).toBe(one.status === 200 ? 'true' : null)
})

test('an album counts as a send for each of its files and one more', async () => {
  const sender = await linkDevice(world, await createDevice(world))
  const picture = { type: 'image', file: PNG.toString('base64') }
  const album = { number: friend, files: Array(9).fill(picture) }
  expect((await sender.caller.post('/send/album', album)).status).toBe(200)
  // Two at once and one a second: it has used those of the next seconds.
  const refused = await sender.caller.post('/send/text', { number: friend, text: 'too soon' })
  expect([refused.status, refused.body.error]).toEqual([429, 'rate_limited'])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(1)
  expect((await sender.caller.post('/send/album', album)).status).toBe(429)
})

test('a webhook can be tested thirty times a minute', async () => {
  const [own, otherDevice] = [await createDevice(world), await createDevice(world)]
  const testWebhook = ({ caller }: typeof own) => caller.post('/webhook/test')
  // There is nothing to test, so nothing is counted.
  for (let n = 0; n < 31; n++) expect((await testWebhook(own)).body.error).toBe('invalid_url')
  for (const { caller } of [own, otherDevice])
    await caller.post('/webhook', { url: receiver.url, events: 'all' })
  for (let n = 0; n < 30; n++) expect((await testWebhook(own)).body.delivered).toBe(true)
  const [status, error, wait] = pickLimit(await testWebhook(own))
  expect([status, error]).toEqual([429, 'rate_limited'])
  expect(wait).toBeGreaterThan(0)
  expect(wait).toBeLessThanOrEqual(60)
  expect((await testWebhook(otherDevice)).body.delivered).toBe(true)
})

test('a replay queues at most ten thousand events, and one runs at a time', async () => {
  const own = await createDevice(world)
  await own.caller.post('/webhook', { url: receiver.url, events: 'all', enabled: false })
  await world.queryDatabase(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 10050)
    insert into events (id, instance_id, seq, type, owner, payload, at, created_at, status, wanted)
    select lower(hex(randomblob(4)) || '-0000-4000-8000-' || hex(randomblob(6))), '${own.id}', i, 'connection', '',
      '{"status":"connected","lastDisconnectReason":""}', 1, unixepoch() * 1000, 'delivered', 1 from n`)
  await world.queryDatabase(
    insertDeliveries(`e.instance_id = '${own.id}'`, { status: "'dead'", dead_at: 'e.created_at' }),
  )
  const replayWith = (body: object) => own.caller.post('/v1/events/replay', body)
  expect((await replayWith({ status: 'dead', dryRun: true })).body).toEqual({ matched: 10_050, queued: 0 })
  expect((await replayWith({ status: 'dead' })).body).toEqual({ matched: 10_050, queued: 10_000 })
  expect((await replayWith({ status: 'dead' })).body).toEqual({ matched: 50, queued: 50 })

  const together = await Promise.all(Array.from({ length: 6 }, () => replayWith({ fromSeq: 1 })))
  const refused = together.filter(({ status }) => status !== 200)
  expect(refused.length).toBeGreaterThan(0)
  expect(refused.length).toBeLessThan(6)
  for (const response of refused) expect(pickLimit(response)).toEqual([429, 'rate_limited', 1])
  expect((await replayWith({ ids: [crypto.randomUUID()] })).body).toEqual({ matched: 0, queued: 0 })
})

test('four URLs are fetched at once; one that failed, ended or was aborted frees its place', {
  timeout: 90_000,
}, async () => {
  const url = `http://127.0.0.1:${(files.address() as AddressInfo).port}`
  const groupjid = '120363000000000000@g.us'
  const updateImage = (path = '/held') =>
    device.caller.post('/group/updateImage', { groupjid, image: url + path })
  const releaseWithNotFound = () => releaseHeld((response) => response.writeHead(404).end())

  for (let n = 0; n < 6; n++) expect((await updateImage('/none')).body.error).toBe('media_unavailable')

  const four = Array.from({ length: 4 }, () => updateImage())
  await until(() => heldResponses.length === 4)
  const asFile = { number: friend, type: 'document', file: `${url}/held` }
  for (const fifth of [await updateImage(), await device.caller.post('/send/media', asFile)])
    expect(pickLimit(fifth)).toEqual([429, 'rate_limited', 1])
  // What comes with the request is not fetched, and another instance has four of its own.
  const response = await device.caller.post('/group/updateImage', { groupjid, image: PNG.toString('base64') })
  expect(response.status).not.toBe(429)
  const otherResponse = other.caller.post('/group/updateImage', { groupjid, image: `${url}/held` })
  await until(() => heldResponses.length === 5)
  releaseWithNotFound()
  expect((await Promise.all([...four, otherResponse])).map(({ body }) => body.error)).toEqual(
    Array(5).fill('media_unavailable'),
  )

  const caller = new AbortController()
  const headers = { token: device.token, 'content-type': 'application/json' }
  const body = JSON.stringify({ groupjid, image: `${url}/held` })
  const left = Array.from({ length: 4 }, () =>
    fetch(`${world.run.baseUrl}/group/updateImage`, { method: 'POST', headers, body, signal: caller.signal }),
  )
  await until(() => heldResponses.length === 4)
  caller.abort()
  await Promise.allSettled(left)
  heldResponses.length = 0
  await until(async () => (await updateImage('/none')).body.error === 'media_unavailable', { within: 30_000 })
})

test.each([
  ['goes on', 8 * 1024 * 1024],
  ['stalls', 64],
])('a file by URL that %s is fetched no further once its send is refused', async (_, size) => {
  const sender = await linkDevice(world, await createDevice(world))
  const file = `http://127.0.0.1:${(files.address() as AddressInfo).port}/held`
  const sending = sender.caller.post('/send/media', { number: friend, type: 'document', file })
  await until(() => heldResponses.length === 1)
  const text = { number: friend, text: 'one of many' }
  await until(async () => (await sender.caller.post('/send/text', text)).status === 429)
  const [fetched] = heldResponses.splice(0)
  fetched?.writeHead(200)
  fetched?.write(Buffer.alloc(size))
  expect(pickLimit(await sending)).toEqual([429, 'rate_limited', 1])
  await until(() => fetched?.destroyed)
})

test('the capabilities have every limit of the contract', async () => {
  const documented = (await world.admin.get('/v1/capabilities')).body.limits
  expect(documented).toMatchObject({
    requestIdLength: 128,
    idempotencyKeyLength: 128,
    initReplaySeconds: 900,
    replaySeconds: 86_400,
    chatReadMessages: 100,
    requestedHistoryMessages: 50,
    numberDigitsMin: 8,
    numberDigitsMax: 15,
    eventListMin: 1,
    eventListMax: 200,
    eventListDefault: 50,
    groupNameLength: 100,
    imageBytes: 8_388_608,
    imageBodyBytes: 12_582_912,
    imageSide: 640,
    webhookUrlLength: 2048,
    webhookSecretLength: 256,
    connectWaitMs: 5000,
    busyRetrySeconds: 5,
    limitedRetrySeconds: 30,
    webhookTestsPerMinute: 30,
    replaysAtOnce: 1,
    replayEvents: 10_000,
    urlFetchesAtOnce: 4,
    sendsPerSecond: 1,
    sendsAtOnce: 2,
  })
  expect(new Fault('worker_full').retryAfter).toBe(limits.busyRetrySeconds)
  expect(new Fault('storage_unavailable').retryAfter).toBe(limits.busyRetrySeconds)
  expect(new Fault('rate_limited').retryAfter).toBe(limits.limitedRetrySeconds)
})

test('on the live network an instance sends one message a second, and five at once, unless its operator sets a rate', () => {
  const readRate = (env: Record<string, string>) => {
    const { SEND_RATE, SEND_BURST } = readSettings(env)
    return [SEND_RATE, SEND_BURST]
  }
  expect(readRate({ NETWORK: 'live' })).toEqual([1, 5])
  expect(readRate({})).toEqual([100, 200])
  expect(readRate({ SEND_RATE: '1' })).toEqual([1, 2])
  expect(readRate({ NETWORK: 'live', SEND_RATE: '20' })).toEqual([20, 40])
  expect(readRate({ NETWORK: 'live', SEND_RATE: '1', SEND_BURST: '3' })).toEqual([1, 3])
  expect(readRate({ NETWORK: 'live', SEND_RATE: '0' })[0]).toBe(0)
  expect(createSendRate(1, 5)).toEqual({ burst: 5, everyMs: 1000 })
  expect(createSendRate(100)).toEqual({ burst: 200, everyMs: 10 })
  expect(createSendRate(0)).toBeUndefined()
})
