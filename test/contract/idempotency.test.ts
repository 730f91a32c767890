// One effect a key, whatever happens to the caller or to the edge meanwhile (contract, "Limits"; open points, "Idempotency").

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDevice, createPhone, createQuietPhone, type LinkedDevice, linkDevice } from '../device.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'

let world: World
let device: LinkedDevice

beforeAll(async () => {
  world = await startWorld({ ACTION_TIMEOUT_MS: '8000' })
  device = await linkDevice(world, await createDevice(world))
})

afterAll(() => world.close())

const readInbox = async (number: string) =>
  (await world.sim('GET', `/phones/${number}/inbox`)).messages as unknown[]
const sendText = (number: string, text: string, key: string) =>
  device.caller.post('/send/text', { number, text }, { 'idempotency-key': key })

test('twenty-four parallel sends with one key send one message, and each gets its response or 409', async () => {
  const friend = await createPhone(world)
  const responses = await Promise.all(Array.from({ length: 24 }, () => sendText(friend, 'once', 'crowd')))
  for (const { status, body } of responses)
    expect(status === 200 || body.error === 'idempotency_in_progress').toBe(true)
  expect(new Set(responses.filter(({ status }) => status === 200).map(({ text }) => text)).size).toBe(1)
  expect(await readInbox(friend)).toHaveLength(1)
})

test('another body under the same key is 422 even while the first is running', async () => {
  const friend = await createQuietPhone(world)
  await world.sim('POST', '/faults', { kind: 'slow', number: device.number, ms: 800 })
  const first = sendText(friend, 'first', 'busy')
  await until(async () => (await sendText(friend, 'first', 'busy')).body.error === 'idempotency_in_progress')
  expect((await sendText(friend, 'second', 'busy')).body.error).toBe('idempotency_mismatch')
  expect((await first).status).toBe(200)
  await world.sim('DELETE', '/faults')
})

test('the same key and bytes with another method or path are 422', async () => {
  const number = await createPhone(world)
  const { id } = (await sendText(number, 'before', 'to-be-edited')).body
  const key = { 'idempotency-key': 'one-way' }
  const body = JSON.stringify({ id, number, text: 'after' })
  const edited = await device.caller.post('/message/edit', body, key)
  expect(edited.status).toBe(200)
  for (const way of ['PUT /message/edit', 'POST /message/react']) {
    const [method = '', path = ''] = way.split(' ')
    const response = await device.caller.request(method, path, body, key)
    expect([response.status, response.body.error]).toEqual([422, 'idempotency_mismatch'])
  }
  const again = await device.caller.post('/message/edit', body, key)
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(again.text).toBe(edited.text)
})

test('another instance can use the same key', async () => {
  const other = await linkDevice(world, await createDevice(world))
  const friend = await createPhone(world)
  expect((await sendText(friend, 'mine', 'shared')).status).toBe(200)
  const otherSend = await other.caller.post(
    '/send/text',
    { number: friend, text: 'mine' },
    { 'idempotency-key': 'shared' },
  )
  expect(otherSend.status).toBe(200)
  expect(otherSend.headers.get('idempotency-replayed')).toBeNull()
  expect(await readInbox(friend)).toHaveLength(2)
})

/** Waits until the first request has claimed the key, so that any later one is the second. */
const waitForClaim = (key: string) =>
  until(
    async () => (await world.queryDatabase(`select 1 from idempotency_keys where key = '${key}'`)).length > 0,
  )

test('after a caller disconnects its key returns the outcome of the send', async () => {
  // Whose receipt would answer the send at once.
  const friend = await createQuietPhone(world)
  await world.sim('POST', '/faults', { kind: 'lost_ack', number: device.number })
  const caller = new AbortController()
  const sending = fetch(`${world.run.baseUrl}/send/text`, {
    method: 'POST',
    headers: { token: device.token, 'content-type': 'application/json', 'idempotency-key': 'hung-up' },
    body: JSON.stringify({ number: friend, text: 'gone' }),
    signal: caller.signal,
  })
  await waitForClaim('hung-up')
  await until(
    async () => (await sendText(friend, 'gone', 'hung-up')).body.error === 'idempotency_in_progress',
  )
  caller.abort()
  await expect(sending).rejects.toThrow()
  await world.sim('DELETE', '/faults')
  const [{ id }] = (await until(async () => {
    const messages = await readInbox(friend)
    return messages.length > 0 && messages
  })) as [{ id: string }]
  // Only now is it known on this side that it was sent.
  await world.sim('POST', `/messages/${id}/receipt`, { by: friend, type: 'delivered' })
  await until(async () => (await sendText(friend, 'gone', 'hung-up')).status === 200)
  expect(await readInbox(friend)).toHaveLength(1)
})

test('after an edge dies its key returns the true outcome and has no second effect', async () => {
  const friend = await createQuietPhone(world)
  await sendText(friend, 'warm up', 'warm')
  await world.sim('POST', '/faults', { kind: 'slow', number: device.number, ms: 1500 })
  const interrupted = sendText(friend, 'across the death', 'survivor').catch(() => undefined)
  await waitForClaim('survivor')
  await until(
    async () =>
      (await sendText(friend, 'across the death', 'survivor')).body.error === 'idempotency_in_progress',
  )
  process.kill(world.findPid('edge'), 'SIGKILL')
  await interrupted
  const response = await until(async () => {
    const again = await sendText(friend, 'across the death', 'survivor').catch(() => undefined)
    return again && (again.status === 200 || again.status === 504) && again
  })
  await world.sim('DELETE', '/faults')
  if (response.status === 504)
    expect(response.body).toMatchObject({ error: 'outcome_unknown', messageid: expect.any(String) })
  const final = await until(async () => {
    const again = await sendText(friend, 'across the death', 'survivor')
    return again.status === 200 && again
  })
  expect(final.headers.get('idempotency-replayed')).toBe('true')
  const texts = ((await readInbox(friend)) as { text: string }[]).filter(
    ({ text }) => text === 'across the death',
  )
  expect(texts).toHaveLength(1)
})

test('a key is free after its retention', async () => {
  const key = { 'idempotency-key': 'aged' }
  const first = await world.admin.post('/instance/init', { name: 'Aged' }, key)
  const [row] = await world.queryDatabase(
    `select expires_at - created_at as kept from idempotency_keys where key = 'aged'`,
  )
  expect(row?.kept).toBe(900_000)
  await world.queryDatabase(`update idempotency_keys set expires_at = 1 where key = 'aged'`)
  const second = await world.admin.post('/instance/init', { name: 'Aged' }, key)
  expect(second.headers.get('idempotency-replayed')).toBeNull()
  expect(second.body.instance.id).not.toBe(first.body.instance.id)
  const [send] = await world.queryDatabase(
    `select expires_at - created_at as kept from idempotency_keys where key = 'crowd'`,
  )
  expect(send?.kept).toBe(24 * 3600 * 1000)
})

test('a key of init repeats its stored response after the instance was deleted', async () => {
  const key = { 'idempotency-key': 'made-and-deleted' }
  const createInstance = (name: string) => world.admin.post('/instance/init', { name }, key)
  const made = await createInstance('Short-lived')
  const { id, token } = made.body.instance
  expect((await world.admin.delete(`/v1/instances/${id}`)).status).toBe(200)

  const again = await createInstance('Short-lived')
  expect([again.status, again.text]).toEqual([200, made.text])
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect((await world.admin.get('/instance/status', { token })).status).toBe(401)
  expect((await world.admin.get(`/v1/instances/${id}`)).body.error).toBe('instance_not_found')
  const changed = await createInstance('Another')
  expect([changed.status, changed.body.error]).toEqual([422, 'idempotency_mismatch'])
  const names = (await world.admin.get('/instance/all')).body.map(({ name }: { name: string }) => name)
  expect(names).not.toContain('Short-lived')
})

/** Nothing of a file that is gone since it was listed: an object that is evicted takes its own away. */
function readIfThere(path: string): Buffer[] {
  try {
    return [readFileSync(path)]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

test('no token is in plain text in the data folder, stored responses of init included', async () => {
  const stored = await world.admin.post('/instance/init', { name: 'Sealed' }, { 'idempotency-key': 'sealed' })
  const { token, id } = stored.body.instance
  const files = readdirSync(world.dataDir, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  const contents = files.flatMap(({ parentPath, name }) => readIfThere(join(parentPath, name)))
  expect(contents.some((bytes) => bytes.includes(id))).toBe(true)
  expect(contents.some((bytes) => bytes.includes(token) || bytes.includes(device.token))).toBe(false)
})
