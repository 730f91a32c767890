// One effect a key, whatever happens to the caller or to the edge meanwhile (contract, "Limits"; open points, "Idempotency").

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LinkedDevice, link, makeDevice, makePhone, makeQuietPhone } from '../device.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'

let world: World
let device: LinkedDevice

beforeAll(async () => {
  world = await startWorld({ ACTION_TIMEOUT_MS: '8000' })
  device = await link(world, await makeDevice(world))
})

afterAll(() => world.close())

const inbox = async (number: string) =>
  (await world.sim('GET', `/phones/${number}/inbox`)).messages as unknown[]
const send = (number: string, text: string, key: string) =>
  device.caller.post('/send/text', { number, text }, { 'idempotency-key': key })

test('twenty-four parallel sends with one key are one message, and each gets its answer or 409', async () => {
  const friend = await makePhone(world)
  const answers = await Promise.all(Array.from({ length: 24 }, () => send(friend, 'once', 'crowd')))
  for (const { status, body } of answers)
    expect(status === 200 || body.error === 'idempotency_in_progress').toBe(true)
  expect(new Set(answers.filter(({ status }) => status === 200).map(({ text }) => text)).size).toBe(1)
  expect(await inbox(friend)).toHaveLength(1)
})

test('another body under the same key is 422 even while the first is running', async () => {
  const friend = await makeQuietPhone(world)
  await world.sim('POST', '/faults', { kind: 'slow', number: device.number, ms: 800 })
  const first = send(friend, 'first', 'busy')
  await until(async () => (await send(friend, 'first', 'busy')).body.error === 'idempotency_in_progress')
  expect((await send(friend, 'second', 'busy')).body.error).toBe('idempotency_mismatch')
  expect((await first).status).toBe(200)
  await world.sim('DELETE', '/faults')
})

test('a key is for one method and one path: the same bytes by another method or to another path are 422', async () => {
  const number = await makePhone(world)
  const { id } = (await send(number, 'before', 'to-be-edited')).body
  const key = { 'idempotency-key': 'one-way' }
  const body = JSON.stringify({ id, number, text: 'after' })
  const edited = await device.caller.post('/message/edit', body, key)
  expect(edited.status).toBe(200)
  for (const way of ['PUT /message/edit', 'POST /message/react']) {
    const [method = '', path = ''] = way.split(' ')
    const answer = await device.caller.ask(method, path, body, key)
    expect([answer.status, answer.body.error]).toEqual([422, 'idempotency_mismatch'])
  }
  const again = await device.caller.post('/message/edit', body, key)
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(again.text).toBe(edited.text)
})

test('the scope of a key is the credential: another instance may use the same one', async () => {
  const other = await link(world, await makeDevice(world))
  const friend = await makePhone(world)
  expect((await send(friend, 'mine', 'shared')).status).toBe(200)
  const theirs = await other.caller.post(
    '/send/text',
    { number: friend, text: 'mine' },
    { 'idempotency-key': 'shared' },
  )
  expect(theirs.status).toBe(200)
  expect(theirs.headers.get('idempotency-replayed')).toBeNull()
  expect(await inbox(friend)).toHaveLength(2)
})

/** The first request has the key: whoever asks from here on is the second. */
const taken = (key: string) =>
  until(async () => (await world.database(`select 1 from replays where key = '${key}'`)).length > 0)

test('a caller who hangs up leaves nothing stuck: the key tells what became of the send', async () => {
  // Whose receipt would answer the send at once.
  const friend = await makeQuietPhone(world)
  await world.sim('POST', '/faults', { kind: 'lost_ack', number: device.number })
  const caller = new AbortController()
  const given = fetch(`${world.run.baseUrl}/send/text`, {
    method: 'POST',
    headers: { token: device.token, 'content-type': 'application/json', 'idempotency-key': 'hung-up' },
    body: JSON.stringify({ number: friend, text: 'gone' }),
    signal: caller.signal,
  })
  await taken('hung-up')
  await until(async () => (await send(friend, 'gone', 'hung-up')).body.error === 'idempotency_in_progress')
  caller.abort()
  await expect(given).rejects.toThrow()
  await world.sim('DELETE', '/faults')
  const [{ id }] = (await until(async () => {
    const messages = await inbox(friend)
    return messages.length > 0 && messages
  })) as [{ id: string }]
  // Only now is it known on this side that it was sent.
  await world.sim('POST', `/messages/${id}/receipt`, { by: friend, type: 'delivered' })
  await until(async () => (await send(friend, 'gone', 'hung-up')).status === 200)
  expect(await inbox(friend)).toHaveLength(1)
})

test('an edge that dies after handing over leaves a key that answers the truth, and never a second effect', async () => {
  const friend = await makeQuietPhone(world)
  await send(friend, 'warm up', 'warm')
  await world.sim('POST', '/faults', { kind: 'slow', number: device.number, ms: 1500 })
  const lost = send(friend, 'across the death', 'survivor').catch(() => undefined)
  await taken('survivor')
  await until(
    async () => (await send(friend, 'across the death', 'survivor')).body.error === 'idempotency_in_progress',
  )
  process.kill(world.pid('edge'), 'SIGKILL')
  await lost
  const answer = await until(async () => {
    const again = await send(friend, 'across the death', 'survivor').catch(() => undefined)
    return again && (again.status === 200 || again.status === 504) && again
  })
  await world.sim('DELETE', '/faults')
  if (answer.status === 504)
    expect(answer.body).toMatchObject({ error: 'outcome_unknown', messageid: expect.any(String) })
  const final = await until(async () => {
    const again = await send(friend, 'across the death', 'survivor')
    return again.status === 200 && again
  })
  expect(final.headers.get('idempotency-replayed')).toBe('true')
  const texts = ((await inbox(friend)) as { text: string }[]).filter(
    ({ text }) => text === 'across the death',
  )
  expect(texts).toHaveLength(1)
})

test('when its time of retention is over a key is free', async () => {
  const key = { 'idempotency-key': 'aged' }
  const first = await world.admin.post('/instance/init', { name: 'Aged' }, key)
  const [row] = await world.database(`select expires_at - created_at as kept from replays where key = 'aged'`)
  expect(row?.kept).toBe(900_000)
  await world.database(`update replays set expires_at = 1 where key = 'aged'`)
  const second = await world.admin.post('/instance/init', { name: 'Aged' }, key)
  expect(second.headers.get('idempotency-replayed')).toBeNull()
  expect(second.body.instance.id).not.toBe(first.body.instance.id)
  const [send] = await world.database(
    `select expires_at - created_at as kept from replays where key = 'crowd'`,
  )
  expect(send?.kept).toBe(24 * 3600 * 1000)
})

test('a key of init repeats its stored answer after the instance was deleted: no second instance, and a dead token', async () => {
  const key = { 'idempotency-key': 'made-and-deleted' }
  const init = (name: string) => world.admin.post('/instance/init', { name }, key)
  const made = await init('Short-lived')
  const { id, token } = made.body.instance
  expect((await world.admin.delete(`/v1/instances/${id}`)).status).toBe(200)

  const again = await init('Short-lived')
  expect([again.status, again.text]).toEqual([200, made.text])
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect((await world.admin.get('/instance/status', { token })).status).toBe(401)
  expect((await world.admin.get(`/v1/instances/${id}`)).body.error).toBe('instance_not_found')
  const changed = await init('Another')
  expect([changed.status, changed.body.error]).toEqual([422, 'idempotency_mismatch'])
  const names = (await world.admin.get('/instance/all')).body.map(({ name }: { name: string }) => name)
  expect(names).not.toContain('Short-lived')
})

/** Nothing of a file that is gone since it was listed: an object that is evicted takes its own away. */
function read(path: string): Buffer[] {
  try {
    return [readFileSync(path)]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

test('no token lies in the clear anywhere under the data folder, stored answers of init included', async () => {
  const kept = await world.admin.post('/instance/init', { name: 'Sealed' }, { 'idempotency-key': 'sealed' })
  const { token, id } = kept.body.instance
  const files = readdirSync(world.dataDir, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  const contents = files.flatMap(({ parentPath, name }) => read(join(parentPath, name)))
  expect(contents.some((bytes) => bytes.includes(id))).toBe(true)
  expect(contents.some((bytes) => bytes.includes(token) || bytes.includes(device.token))).toBe(false)
})
