// Faults that a test starts in the simulated network.
// @module-tag slow
import { expect, test } from 'vitest'
import { until } from '../until.ts'
import { World } from './simulator-world.ts'

const NUMBER = '491700000031'
const PROPS = { tag: 'iq', attrs: { to: '@s.whatsapp.net', xmlns: 'abt', type: 'get' } }
const requestPrivacy = () => ({
  ...PROPS,
  attrs: { ...PROPS.attrs },
  content: [{ tag: 'props', attrs: { protocol: '1' } }],
})

async function openWorldWithClient() {
  const world = await World.openWorld()
  return { world, client: await world.linkClient(NUMBER) }
}

test('a silent network does not respond to matching requests, as often as requested', async () => {
  const { world, client } = await openWorldWithClient()
  await world.post('/faults', { kind: 'silent', xmlns: 'abt', number: NUMBER, count: 1 })
  const response = await client.socket.query(requestPrivacy(), 150).catch(() => undefined)
  expect(response).toBeUndefined()
  expect((await client.socket.query(requestPrivacy(), 5_000)).attrs.type).toBe('result')
})

test('a refusal has its code, for the tag that it names, until faults are cleared', async () => {
  const { world, client } = await openWorldWithClient()
  await world.post('/faults', { kind: 'refuse', tag: 'props', code: 429 })
  await expect(client.socket.query(requestPrivacy())).rejects.toMatchObject({ data: 429 })
  expect(await client.socket.fetchBlocklist()).toEqual([])
  await world.callControl('DELETE', '/faults')
  expect((await client.socket.query(requestPrivacy())).attrs.type).toBe('result')
})

test('a slow network responds late', async () => {
  const { world, client } = await openWorldWithClient()
  await world.post('/faults', { kind: 'slow', ms: 300, count: 1 })
  const began = performance.now()
  await client.socket.query(requestPrivacy())
  expect(performance.now() - began).toBeGreaterThan(290)
})

test.each([
  [515, 515],
  [503, 503],
  [440, 440],
  [401, 401],
  [undefined, 428],
])('a close with code %s is seen as %s, and the companion may come back', async (code, seen) => {
  const { world, client } = await openWorldWithClient()
  await world.post('/faults', { kind: 'close', number: NUMBER, ...(code && { code }) })
  expect(await client.waitForClose()).toBe(seen)
  await client.goOnline()
})

test('an unreachable network refuses connections', async () => {
  const { world, client } = await openWorldWithClient()
  await world.post('/faults', { kind: 'unreachable' })
  await world.post('/faults', { kind: 'close' })
  await client.waitForClose()
  client.connect()
  await client.waitForClose()
  await world.callControl('DELETE', '/faults')
  await client.goOnline()
})

test.each([401, 403, 405, 503])('logins fail with %s', async (code) => {
  const { world, client } = await openWorldWithClient()
  await world.post('/faults', { kind: 'login', code, number: NUMBER, count: 1 })
  client.end()
  await client.waitForClose()
  client.connect()
  expect(await client.waitForClose()).toBe(code)
  await client.goOnline()
})

test('faults of one number do not affect others', async () => {
  const { world, client } = await openWorldWithClient()
  await world.post('/phones', { number: '491700000032' })
  await world.post('/faults', { kind: 'refuse', code: 500, number: '491700000032' })
  expect((await client.socket.query(requestPrivacy())).attrs.type).toBe('result')
})

test('an unknown fault is a 400 that names its kind', async () => {
  const { world } = await openWorldWithClient()
  expect(await world.post('/faults', { kind: 'earthquake' })).toMatchObject({
    status: 400,
    body: { field: 'kind' },
  })
  expect(await world.post('/faults', { kind: 'login' })).toMatchObject({
    status: 400,
    body: { field: 'code' },
  })
  await until(async () => (await world.readList('/unknown', 'requests')).length === 0)
})
