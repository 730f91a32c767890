// Limits of one token: more is 429 rate_limited that names the limit and says how long to wait, and a neighbour notices nothing.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { type ApiResponse, type Caller, createCaller } from '../caller.ts'
import { createDevice, createPhone, type LinkedDevice, linkDevice } from '../device.ts'
import { until } from '../until.ts'
import { withoutEviction } from '../world.ts'

const REQUESTS = 60

let world: BorrowedWorld
let device: LinkedDevice
let friend: string

beforeAll(async () => {
  world = await borrowWorld({
    ...withoutEviction,
    REQUEST_RATE: `${REQUESTS}`,
    STREAM_RATE: '3',
    WEBHOOK_CHANGE_RATE: '4',
  })
  friend = await createPhone(world)
  device = await linkDevice(world, await createDevice(world))
})

afterAll(() => world.close())

/** Code, the limit that is named, and whether the wait is one within a minute. */
const pickLimit = ({ status, body, headers }: ApiResponse) => {
  const wait = Number(headers.get('retry-after'))
  return [status, body.error, body.details?.limit, wait >= 1 && wait <= 60]
}
const createRefusal = (limit: string) => [429, 'rate_limited', limit, true]

/** Asks until it is refused; the answers before. */
async function exhaustLimit(sendRequest: () => Promise<ApiResponse>, max: number): Promise<ApiResponse[]> {
  const responses: ApiResponse[] = []
  for (let n = 0; n <= max; n++) {
    const response = await sendRequest()
    if (response.status === 429) {
      expect(pickLimit(response)).toEqual(createRefusal('REQUEST_RATE'))
      return responses
    }
    responses.push(response)
  }
  throw new Error(`${max} requests were not refused`)
}

async function createAdmin(name: string): Promise<Caller> {
  const { token } = (await world.admin.post('/v1/tokens', { name, scope: 'read' })).body
  return createCaller(world.run.baseUrl, { admintoken: token })
}

test('requests over the rate of a token are refused with the seconds to wait, and those of a neighbour are not', async () => {
  const busy = await createDevice(world)
  const responses = await exhaustLimit(() => busy.caller.get('/instance/status'), REQUESTS + 1)
  expect(responses).toHaveLength(REQUESTS)
  for (const path of ['/instance/status', '/v1/events', '/webhook'])
    expect(pickLimit(await busy.caller.get(path))).toEqual(createRefusal('REQUEST_RATE'))
  expect((await device.caller.get('/instance/status')).status).toBe(200)
  const line = /"msg":"requests over the rate of their token"/
  expect(readFileSync(join(world.dataDir, 'logs', 'edge.log'), 'utf8')).toMatch(line)
})

test('a keyed send over the rate leaves its key free, and one instance has one rate with both of its tokens', async () => {
  const own = await linkDevice(world, await createDevice(world))
  const renewed = await world.admin.post(`/v1/instances/${own.id}/token`, { overlap: 600 })
  const again = world.callAs(renewed.body.token)
  let n = 0
  const sendText = () =>
    (n++ % 2 ? own.caller : again).post(
      '/send/text',
      { number: friend, text: `text ${n}` },
      { 'idempotency-key': `key-${n}` },
    )
  await exhaustLimit(sendText, REQUESTS)
  const taken = await world.queryDatabase(`select key from idempotency_keys where key = 'key-${n}'`)
  expect(taken).toEqual([])
})

test('an admin token has a rate of its own', async () => {
  const [one, other] = [await createAdmin('one'), await createAdmin('other')]
  const responses = await exhaustLimit(() => one.get('/v1/capabilities'), REQUESTS + 1)
  expect(responses).toHaveLength(REQUESTS)
  expect((await other.get('/v1/capabilities')).status).toBe(200)
})

test('invalid and expired tokens use no quota', async () => {
  const own = await createDevice(world)
  await own.caller.get('/instance/status')
  const { token } = (await world.admin.post(`/v1/instances/${own.id}/token`)).body
  for (let n = 0; n < REQUESTS; n++)
    expect((await own.caller.post('/send/text', {}, { 'idempotency-key': `k${n}` })).status).toBe(401)
  expect((await world.callAs(token).get('/instance/status')).status).toBe(200)
})

test('openings of streams are limited per minute', async () => {
  const own = await createDevice(world)
  const openStream = async ({ token }: { token: string }) => {
    const leave = new AbortController()
    const response = await fetch(`${world.run.baseUrl}/v1/events/stream`, {
      headers: { token },
      signal: leave.signal,
    })
    if (response.status === 200) {
      leave.abort()
      return [200]
    }
    const body = await response.json()
    return pickLimit({ status: response.status, headers: response.headers, text: '', body })
  }
  for (let n = 0; n < 3; n++) expect(await openStream(own)).toEqual([200])
  expect(await openStream(own)).toEqual(createRefusal('STREAM_RATE'))
  expect(await openStream(device)).toEqual([200])
  expect((await own.caller.get('/v1/events')).status).toBe(200)
})

test('webhook changes are limited per minute, and a request without a change is not counted', async () => {
  const own = await createDevice(world)
  const saveWebhook = (fields: object = {}) =>
    own.caller.post('/webhook', { url: 'https://example.com/hook', events: 'all', ...fields })
  const deleteWebhook = () => own.caller.post('/webhook', { action: 'delete' })
  expect((await own.caller.post('/webhook', { action: 'inherit' })).status).toBe(200)
  for (let n = 0; n < 6; n++) expect((await saveWebhook({ secret: 'the-same' })).status).toBe(200)
  for (let n = 0; n < 6; n++) expect((await deleteWebhook()).status).toBe(200)
  expect((await saveWebhook({ url: 'ftp://wrong' })).status).toBe(400)
  for (let n = 0; n < 6; n++) expect((await saveWebhook()).status).toBe(200)
  expect((await saveWebhook({ enabled: false })).status).toBe(200)
  for (const refused of [
    await saveWebhook({ events: 'messages' }),
    await deleteWebhook(),
    await saveWebhook({ enabled: false }),
  ])
    expect(pickLimit(refused)).toEqual(createRefusal('WEBHOOK_CHANGE_RATE'))
  expect((await own.caller.get('/webhook')).body).toMatchObject({ registered: true, enabled: false })
  expect((await device.caller.post('/webhook', { action: 'delete' })).status).toBe(200)
  // A caller that is refused again and again does not fill the log.
  for (let n = 0; n < 5; n++) expect((await deleteWebhook()).status).toBe(429)
  const listEntries = () => world.queryDatabase(`select outcome from audit where target = '${own.id}'`)
  await until(async () => (await listEntries()).some(({ outcome }) => outcome === 'rate_limited'))
  expect((await listEntries()).filter(({ outcome }) => outcome === 'rate_limited')).toHaveLength(1)
})

test('changes of webhooks beside the first count too, and what changes nothing does not', async () => {
  const own = await createDevice(world)
  const webhook = { url: 'https://example.com/hook', events: 'all' }
  const { id } = (await own.caller.post('/v1/webhooks', webhook)).body.webhook
  const change = (body: object) => own.caller.request('PATCH', `/v1/webhooks/${id}`, body)
  for (let n = 0; n < 6; n++) expect((await change({ ...webhook, enabled: true })).status).toBe(200)
  for (const enabled of [false, true]) expect((await change({ enabled })).status).toBe(200)
  expect((await own.caller.request('DELETE', `/v1/webhooks/${id}`)).status).toBe(200)
  for (const refused of [
    await own.caller.post('/v1/webhooks', webhook),
    await own.caller.post('/webhook', webhook),
  ])
    expect(pickLimit(refused)).toEqual(createRefusal('WEBHOOK_CHANGE_RATE'))
})

test('the capabilities show the limits of a token', async () => {
  expect((await world.admin.get('/v1/capabilities')).body.limits).toMatchObject({
    requestsPerMinute: REQUESTS,
    streamsPerMinute: 3,
    webhookChangesPerMinute: 4,
    streamsAtOnce: 16,
    pageBytesPerMinute: 120 * 1024 * 1024,
    openPageBytesPerMinute: 60 * 1024 * 1024,
    instanceBodyBytes: 33_554_432,
    allBodyBytes: 268_435_456,
  })
})
