// What large pages cost: those with a token go in turns by token, and those without have a bound of bytes for each address.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { createDevice } from '../device.ts'

let world: BorrowedWorld

beforeAll(async () => {
  world = await borrowWorld({ OPEN_PAGE_MB: '1', MCP: 'read', MCP_TOOLS: 'webhooks' })
})

afterAll(() => world.close())

/** A device with pages that take long enough to be under way at the same time: 200 events of more than a kilobyte. */
async function createBusyDevice() {
  const device = await createDevice(world)
  const text = 'x'.repeat(1000)
  await world.queryDatabase(`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 200)
    insert into events (id, instance_id, seq, type, owner, payload, at, created_at, status)
    select substr('${device.id}', 1, 24) || printf('%012d', n), '${device.id}', n, 'messages', '', '{"text":"${text}"}', n, n, 'delivered' from numbers`)
  return device
}

const openPage = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${world.run.baseUrl}${path}`, { headers: { 'accept-encoding': 'identity', ...headers } })

test('a token that asks for many pages at once has some refused, and a neighbour is served', async () => {
  const [busy, neighbour] = [await createBusyDevice(), await createDevice(world)]
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

test('pages that an agent asks for at /mcp take the turns of its token', async () => {
  const busy = await createBusyDevice()
  const client = new Client({ name: 'a test', version: '1' })
  const headers = { token: busy.token }
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${world.run.baseUrl}/mcp`), { requestInit: { headers } }),
  )
  const call = () => client.callTool({ name: 'listEvents', arguments: { limit: 200 } })
  const results = await Promise.all(Array.from({ length: 64 }, call))
  const refused = results.filter(({ isError }) => isError)
  expect(refused.length).toBeGreaterThan(0)
  for (const { structuredContent } of refused)
    expect(structuredContent).toMatchObject({ error: 'rate_limited' })
  expect(results.length - refused.length).toBeGreaterThanOrEqual(2)
  const metrics = await (await fetch(`${world.run.edgeMetricsUrl}/metrics`)).text()
  const counted = new RegExp(
    `edge_turns_refused_total\\{work="pages",owner="[^"]*${busy.id}[^"]*",reason="waiting"\\} (\\d+)`,
  )
  expect(Number(counted.exec(metrics)?.[1])).toBe(refused.length)
  await client.close()
})

/** What all owners were charged for it so far: bytes of pages, milliseconds of others. */
async function readCost(work = 'pages'): Promise<number> {
  const metrics = await (await fetch(`${world.run.edgeMetricsUrl}/metrics`)).text()
  return Number(new RegExp(`edge_turns_cost_total\\{work="${work}"\\} ([\\d.e+-]+)`).exec(metrics)?.[1] ?? 0)
}

async function measureCost(ask: () => Promise<unknown>): Promise<number> {
  const before = await readCost()
  await ask()
  return (await readCost()) - before
}

test('HEAD of a page costs its token what GET does: the page is read all the same', async () => {
  const { token } = await createBusyDevice()
  const ask = (method: string) => async () => {
    const page = await fetch(`${world.run.baseUrl}/v1/events?limit=200`, { method, headers: { token } })
    expect(page.status).toBe(200)
    await page.arrayBuffer()
  }
  const cost = await measureCost(ask('GET'))
  expect(cost).toBeGreaterThan(100_000)
  expect(await measureCost(ask('HEAD'))).toBe(cost)
})

test('an admin token that asks for many pages of the audit log at once has some refused, and an instance is served', async () => {
  const neighbour = await createDevice(world)
  const asked = Array.from({ length: 64 }, () => world.admin.get('/v1/audit?limit=200'))
  expect((await neighbour.caller.get('/v1/events')).status).toBe(200)
  const responses = await Promise.all(asked)
  expect(responses.some(({ status }) => status === 429)).toBe(true)
  expect(responses.every(({ status }) => status === 200 || status === 429)).toBe(true)
  expect(await measureCost(() => world.admin.get('/v1/audit?limit=200'))).toBeGreaterThan(0)
})

test('an admin token that searches instances many times at once has some refused, and an instance is served', async () => {
  const neighbour = await createDevice(world)
  const asked = Array.from({ length: 64 }, () => world.admin.get('/v1/instances?limit=200'))
  expect((await neighbour.caller.get('/v1/events')).status).toBe(200)
  const responses = await Promise.all(asked)
  expect(responses.some(({ status }) => status === 429)).toBe(true)
  expect(responses.every(({ status }) => status === 200 || status === 429)).toBe(true)
})

test.each([
  ['lists', () => '/instance/all'],
  ['exports', (id: string) => `/v1/instances/${id}/export`],
])('%s take turns, and cost their time', async (work, path) => {
  const { id } = await createBusyDevice()
  const before = await readCost(work)
  expect((await world.admin.get(path(id))).status).toBe(200)
  expect(await readCost(work)).toBeGreaterThan(before)
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
