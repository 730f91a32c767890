// Faults: what the simulated network can be made to do wrong.
import { expect, test } from 'vitest'
import { until } from '../until.ts'
import { World } from './simulator-world.ts'

const NUMBER = '491700000031'
const PROPS = { tag: 'iq', attrs: { to: '@s.whatsapp.net', xmlns: 'abt', type: 'get' } }
const ask = () => ({
  ...PROPS,
  attrs: { ...PROPS.attrs },
  content: [{ tag: 'props', attrs: { protocol: '1' } }],
})

async function worldWithClient() {
  const world = await World.open()
  return { world, client: await world.linked(NUMBER) }
}

test('a silent network leaves what matches unanswered, as often as was said', async () => {
  const { world, client } = await worldWithClient()
  await world.post('/faults', { kind: 'silent', xmlns: 'abt', number: NUMBER, count: 1 })
  const answer = await client.socket.query(ask(), 150).catch(() => undefined)
  expect(answer).toBeUndefined()
  expect((await client.socket.query(ask(), 5_000)).attrs.type).toBe('result')
})

test('a refusal carries its code, for the tag that it names, until faults are ended', async () => {
  const { world, client } = await worldWithClient()
  await world.post('/faults', { kind: 'refuse', tag: 'props', code: 429 })
  await expect(client.socket.query(ask())).rejects.toMatchObject({ data: 429 })
  expect(await client.socket.fetchBlocklist()).toEqual([])
  await world.call('DELETE', '/faults')
  expect((await client.socket.query(ask())).attrs.type).toBe('result')
})

test('a slow network answers late', async () => {
  const { world, client } = await worldWithClient()
  await world.post('/faults', { kind: 'slow', ms: 300, count: 1 })
  const asked = performance.now()
  await client.socket.query(ask())
  expect(performance.now() - asked).toBeGreaterThan(290)
})

test.each([
  [515, 515],
  [503, 503],
  [440, 440],
  [401, 401],
  [undefined, 428],
])('a close with code %s is seen as %s, and the companion may come back', async (code, seen) => {
  const { world, client } = await worldWithClient()
  await world.post('/faults', { kind: 'close', number: NUMBER, ...(code && { code }) })
  expect(await client.closed()).toBe(seen)
  await client.online()
})

test('an unreachable network refuses connections', async () => {
  const { world, client } = await worldWithClient()
  await world.post('/faults', { kind: 'unreachable' })
  await world.post('/faults', { kind: 'close' })
  await client.closed()
  client.connect()
  await client.closed()
  await world.call('DELETE', '/faults')
  await client.online()
})

test.each([401, 403, 405, 503])('logins fail with %s', async (code) => {
  const { world, client } = await worldWithClient()
  await world.post('/faults', { kind: 'login', code, number: NUMBER, count: 1 })
  client.end()
  await client.closed()
  client.connect()
  expect(await client.closed()).toBe(code)
  await client.online()
})

test('faults of one number leave others alone', async () => {
  const { world, client } = await worldWithClient()
  await world.post('/phones', { number: '491700000032' })
  await world.post('/faults', { kind: 'refuse', code: 500, number: '491700000032' })
  expect((await client.socket.query(ask())).attrs.type).toBe('result')
})

test('a fault that is not built is a 400 that names its kind', async () => {
  const { world } = await worldWithClient()
  expect(await world.post('/faults', { kind: 'earthquake' })).toMatchObject({
    status: 400,
    body: { field: 'kind' },
  })
  expect(await world.post('/faults', { kind: 'login' })).toMatchObject({
    status: 400,
    body: { field: 'code' },
  })
  await until(async () => (await world.list('/unknown', 'requests')).length === 0)
})
