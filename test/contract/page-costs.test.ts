// What large pages cost: those with a token go in turns by token, and those without have a bound of bytes for each address.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDevice } from '../device.ts'
import { startWorld, type World } from '../world.ts'

let world: World

beforeAll(async () => {
  world = await startWorld({ OPEN_PAGE_MB: '1' })
})

afterAll(() => world.close())

const openPage = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${world.run.baseUrl}${path}`, { headers: { 'accept-encoding': 'identity', ...headers } })

test('a token that asks for many pages at once has some refused, and a neighbour is served', async () => {
  const [busy, neighbour] = [await createDevice(world), await createDevice(world)]
  const asked = Array.from({ length: 64 }, () => busy.caller.get('/v1/events?limit=200'))
  const one = await neighbour.caller.get('/v1/events?limit=200')
  const responses = await Promise.all(asked)
  const refused = responses.filter(({ status }) => status === 429)
  expect(one.status).toBe(200)
  expect(refused.length).toBeGreaterThan(0)
  for (const { body, headers } of refused)
    expect([body.error, Number(headers.get('retry-after')) >= 1]).toEqual(['rate_limited', true])
  expect(responses.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(2)
  expect((await busy.caller.get('/v1/events?limit=200')).status).toBe(200)
})

test('an address that has had its bytes of open pages in a minute is refused with the seconds to wait, and 304 and health stay free', async () => {
  const first = await openPage('/openapi.json')
  await first.arrayBuffer()
  const tag = first.headers.get('etag') ?? ''
  expect([first.status, tag]).toEqual([200, expect.stringMatching(/^W\/"/)])
  let last = first
  for (let n = 0; n < 10 && last.status === 200; n++) {
    last = await openPage('/openapi.json')
    if (last.status === 200) await last.arrayBuffer()
  }
  const refusal = (await last.json()) as { error: string; details?: { limit: string } }
  expect([last.status, refusal.error, refusal.details?.limit]).toEqual([429, 'rate_limited', 'OPEN_PAGE_MB'])
  expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await openPage('/openapi.json', { 'if-none-match': tag })).status).toBe(304)
  expect((await openPage('/health/live')).status).toBe(200)
  const device = await createDevice(world)
  expect((await device.caller.get('/instance/status')).status).toBe(200)
})
