// Limits of one token: more is 429 rate_limited that names the limit and says how long to wait, and a neighbour notices nothing.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Answer, type Caller, makeCaller } from '../caller.ts'
import { type LinkedDevice, link, makeDevice, makePhone } from '../device.ts'
import { until } from '../until.ts'
import { startWorld, type World, withoutEviction } from '../world.ts'

const REQUESTS = 60

let world: World
let device: LinkedDevice
let friend: string

beforeAll(async () => {
  world = await startWorld({
    ...withoutEviction,
    ...{ REQUEST_RATE: `${REQUESTS}`, STREAM_RATE: '3', WEBHOOK_CHANGE_RATE: '4' },
  })
  friend = await makePhone(world)
  device = await link(world, await makeDevice(world))
})

afterAll(() => world.close())

/** Code, the limit that is named, and whether the wait is one within a minute. */
const read = ({ status, body, headers }: Answer) => {
  const wait = Number(headers.get('retry-after'))
  return [status, body.error, body.details?.limit, wait >= 1 && wait <= 60]
}
const refusal = (limit: string) => [429, 'rate_limited', limit, true]

/** Asks until it is refused; the answers before. */
async function exhaust(ask: () => Promise<Answer>, atMost: number): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let n = 0; n <= atMost; n++) {
    const answer = await ask()
    if (answer.status === 429) {
      expect(read(answer)).toEqual(refusal('REQUEST_RATE'))
      return answers
    }
    answers.push(answer)
  }
  throw new Error(`${atMost} requests were not refused`)
}

async function makeAdmin(name: string): Promise<Caller> {
  const { token } = (await world.admin.post('/v1/tokens', { name, scope: 'read' })).body
  return makeCaller(world.run.baseUrl, { admintoken: token })
}

test('requests over the rate of a token are refused with the seconds to wait, and those of a neighbour are not', async () => {
  const busy = await makeDevice(world)
  const answers = await exhaust(() => busy.caller.get('/instance/status'), REQUESTS + 1)
  expect(answers).toHaveLength(REQUESTS)
  for (const path of ['/instance/status', '/v1/events', '/webhook'])
    expect(read(await busy.caller.get(path))).toEqual(refusal('REQUEST_RATE'))
  expect((await device.caller.get('/instance/status')).status).toBe(200)
  const line = /"what":"requests over the rate of their token"/
  expect(readFileSync(join(world.dataDir, 'logs', 'edge.log'), 'utf8')).toMatch(line)
})

test('a keyed send over the rate leaves its key free, and one instance has one rate with both of its tokens', async () => {
  const mine = await link(world, await makeDevice(world))
  const renewed = await world.admin.post(`/v1/instances/${mine.id}/token`, { overlap: 600 })
  const again = world.as(renewed.body.token)
  let n = 0
  const send = () =>
    (n++ % 2 ? mine.caller : again).post(
      '/send/text',
      { number: friend, text: `text ${n}` },
      { 'idempotency-key': `key-${n}` },
    )
  await exhaust(send, REQUESTS)
  const taken = await world.database(`select key from replays where key = 'key-${n}'`)
  expect(taken).toEqual([])
})

test('an admin token has a rate of its own', async () => {
  const [one, other] = [await makeAdmin('one'), await makeAdmin('other')]
  const answers = await exhaust(() => one.get('/v1/capabilities'), REQUESTS + 1)
  expect(answers).toHaveLength(REQUESTS)
  expect((await other.get('/v1/capabilities')).status).toBe(200)
})

test('a token that was never valid, and one that has ended, use up nothing', async () => {
  const mine = await makeDevice(world)
  await mine.caller.get('/instance/status')
  const { token } = (await world.admin.post(`/v1/instances/${mine.id}/token`)).body
  for (let n = 0; n < REQUESTS; n++)
    expect((await mine.caller.post('/send/text', {}, { 'idempotency-key': `k${n}` })).status).toBe(401)
  expect((await world.as(token).get('/instance/status')).status).toBe(200)
})

test('streams are opened so many times a minute', async () => {
  const mine = await makeDevice(world)
  const open = async ({ token }: { token: string }) => {
    const leave = new AbortController()
    const answer = await fetch(`${world.run.baseUrl}/v1/events/stream`, {
      ...{ headers: { token }, signal: leave.signal },
    })
    if (answer.status === 200) {
      leave.abort()
      return [200]
    }
    const body = await answer.json()
    return read({ status: answer.status, headers: answer.headers, text: '', body })
  }
  for (let n = 0; n < 3; n++) expect(await open(mine)).toEqual([200])
  expect(await open(mine)).toEqual(refusal('STREAM_RATE'))
  expect(await open(device)).toEqual([200])
  expect((await mine.caller.get('/v1/events')).status).toBe(200)
})

test('a webhook is changed so many times a minute, and what changes nothing is not counted', async () => {
  const mine = await makeDevice(world)
  const save = (fields: object = {}) =>
    mine.caller.post('/webhook', { url: 'https://example.com/hook', events: 'all', ...fields })
  const remove = () => mine.caller.post('/webhook', { action: 'delete' })
  expect((await mine.caller.post('/webhook', { action: 'inherit' })).status).toBe(200)
  for (let n = 0; n < 6; n++) expect((await save({ secret: 'the-same' })).status).toBe(200)
  for (let n = 0; n < 6; n++) expect((await remove()).status).toBe(200)
  expect((await save({ url: 'ftp://wrong' })).status).toBe(400)
  for (let n = 0; n < 6; n++) expect((await save()).status).toBe(200)
  expect((await save({ enabled: false })).status).toBe(200)
  for (const refused of [await save({ events: 'messages' }), await remove(), await save({ enabled: false })])
    expect(read(refused)).toEqual(refusal('WEBHOOK_CHANGE_RATE'))
  expect((await mine.caller.get('/webhook')).body).toMatchObject({ registered: true, enabled: false })
  expect((await device.caller.post('/webhook', { action: 'delete' })).status).toBe(200)
  // Whoever is refused again and again fills no log with it.
  for (let n = 0; n < 5; n++) expect((await remove()).status).toBe(429)
  const entries = () => world.database(`select outcome from audit where target = '${mine.id}'`)
  await until(async () => (await entries()).some(({ outcome }) => outcome === 'rate_limited'))
  expect((await entries()).filter(({ outcome }) => outcome === 'rate_limited')).toHaveLength(1)
})

test('the capabilities tell the limits of a token', async () => {
  expect((await world.admin.get('/v1/capabilities')).body.limits).toMatchObject({
    ...{ requestsPerMinute: REQUESTS, streamsPerMinute: 3, webhookChangesPerMinute: 4, streamsAtOnce: 16 },
    ...{ instanceBodyBytes: 33_554_432, allBodyBytes: 268_435_456 },
  })
})
