// Routes for this machine only: the metrics and the minute's tick, under no other name; and what is counted by the address of a caller.

import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDevice } from '../device.ts'
import { until } from '../until.ts'
import { everyLine, startWorld, type World } from '../world.ts'

let world: World

beforeAll(async () => {
  // What is asked for here two hundred times is more than an address gets in a minute.
  world = await startWorld({ ...everyLine, OPEN_PAGE_MB: '200' })
})

afterAll(() => world.close())

/** The status of the response to a request with these headers. */
const requestStatus = (url: string, method: string, headers: Record<string, string> = {}) =>
  new Promise<number>((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    sent.once('error', reject).end()
  })

const strangers: Record<string, string>[] = [
  { host: 'evil.example' },
  { host: 'localhost.evil.example' },
  { origin: 'https://evil.example' },
  { 'sec-fetch-site': 'cross-site' },
]

test('the metrics of edge and host are served to this machine only, never to a browser page or under the base URL', async () => {
  await world.admin.get('/v1/capabilities')
  const { edgeMetricsUrl, metricsUrl, baseUrl } = world.run
  const text = await (await fetch(`${edgeMetricsUrl}/metrics`)).text()
  expect(text).toMatch(/^edge_requests_total\{status="200"\} \d+$/m)
  expect(await (await fetch(`${metricsUrl}/metrics`)).text()).toContain('host_linked 1')
  for (const url of [`${edgeMetricsUrl}/metrics`, `${metricsUrl}/metrics`, `${metricsUrl}/health`]) {
    expect(await requestStatus(url, 'GET')).toBe(200)
    for (const headers of strangers)
      expect([url, headers, await requestStatus(url, 'GET', headers)]).toEqual([url, headers, 403])
  }
  expect(await requestStatus(`${baseUrl}/metrics`, 'GET')).toBe(404)
  expect(await requestStatus(`${baseUrl}/tick`, 'POST')).toBe(404)
})

test('the tick has one path and one method', async () => {
  const { edgeMetricsUrl: url } = world.run
  const device = await createDevice(world)
  await world.queryDatabase(
    `update instances set pairing = x'00', pairing_until = 1 where id = '${device.id}'`,
  )
  const hasPairingEnded = async () =>
    (await world.queryDatabase(`select pairing from instances where id = '${device.id}'`))[0]?.pairing ===
    null
  expect(await requestStatus(`${url}/tick`, 'GET')).toBe(405)
  expect(await requestStatus(`${url}/`, 'POST')).toBe(404)
  expect(await requestStatus(`${url}/metrics`, 'POST')).toBe(405)
  for (const headers of strangers) expect(await requestStatus(`${url}/tick`, 'POST', headers)).toBe(403)
  expect(await hasPairingEnded()).toBe(false)
  expect(await requestStatus(`${url}/tick`, 'POST')).toBe(204)
  // The tick also deletes expired pairings.
  expect(await hasPairingEnded()).toBe(true)
})

const findLines = (own: World, text: string) =>
  readFileSync(join(own.dataDir, 'logs', 'edge.log'), 'utf8')
    .split('\n')
    .filter((line) => line.includes(text))

test('two hundred wrong credentials are 401 each, one line in the log, and a number in the metrics', async () => {
  const { edgeMetricsUrl } = world.run
  const before = findLines(world, '').length
  for (let n = 0; n < 200; n++) {
    const headers = { 'x-forwarded-for': `198.51.100.${n}` }
    const response = await world.callAs(`mgi_${n}`).get('/instance/status', headers)
    expect([response.status, response.body.error]).toEqual([401, 'unauthorized'])
  }
  const text = await (await fetch(`${edgeMetricsUrl}/metrics`)).text()
  // The header alone does not say where a request comes from.
  expect(text).toMatch(/^edge_wrong_credentials_total\{address="127\.0\.0\.1"\} (\d{3,})$/m)
  expect(text).not.toContain('198.51.100')
  await until(() => findLines(world, 'wrong credentials').length > 0)
  expect(findLines(world, 'wrong credentials')).toHaveLength(1)
  expect(findLines(world, '').length - before).toBeLessThan(5)
})

test('two hundred requests for no route, or by no method of one, are one line in the log, and a number in the metrics', async () => {
  const { edgeMetricsUrl, baseUrl } = world.run
  const before = findLines(world, '').length
  for (let n = 0; n < 100; n++) {
    expect(await requestStatus(`${baseUrl}/no/such/${n}`, 'GET')).toBe(404)
    expect(await requestStatus(`${baseUrl}/instance/init`, 'PATCH')).toBe(405)
  }
  const text = await (await fetch(`${edgeMetricsUrl}/metrics`)).text()
  expect(text).toMatch(/^edge_unknown_routes_total\{address="127\.0\.0\.1"\} (\d{3,})$/m)
  await until(() => findLines(world, 'unknown routes requested').length > 0)
  expect(findLines(world, 'unknown routes requested')).toHaveLength(1)
  expect(findLines(world, '').length - before).toBeLessThan(5)
  // A request of a known caller for an unknown route has its line.
  const marker = crypto.randomUUID()
  const response = await world.admin.get(`/v1/instances/${crypto.randomUUID()}`, { 'x-request-id': marker })
  expect(response.status).toBe(404)
  await until(() => findLines(world, marker).length === 1)
})

test('two hundred requests for what needs no credential are one line in the log, and a number in the metrics', async () => {
  const { edgeMetricsUrl, baseUrl } = world.run
  const before = findLines(world, '').length
  for (let n = 0; n < 40; n++)
    for (const path of ['/', '/health/live', '/docs', '/openapi.json', '/console'])
      expect([path, await requestStatus(baseUrl + path, 'GET')]).toEqual([path, 200])
  const text = await (await fetch(`${edgeMetricsUrl}/metrics`)).text()
  expect(text).toMatch(/^edge_open_requests_total\{address="127\.0\.0\.1"\} (\d{3,})$/m)
  await until(() => findLines(world, 'need no credential').length > 0)
  expect(findLines(world, '').length - before).toBeLessThan(5)
  // Who shows a credential has a line for each request.
  const marker = crypto.randomUUID()
  await world.admin.get('/v1/capabilities', { 'x-request-id': marker })
  await until(() => findLines(world, marker).length === 1)
})

describe('with the header of a listed proxy', () => {
  let proxied: World

  beforeAll(async () => {
    proxied = await startWorld({ ...everyLine, CLIENT_ADDRESS_HEADER: 'X-Forwarded-For', MCP: 'read' })
  })

  afterAll(() => proxied.close())

  test('behind a listed proxy up to a hundred client addresses are counted separately', async () => {
    for (let n = 0; n < 150; n++) {
      const headers = { 'x-forwarded-for': `8.8.8.8, 198.51.100.${n}` }
      await proxied.callAs('mgi_wrong').get('/instance/status', headers)
    }
    const text = await (await fetch(`${proxied.run.edgeMetricsUrl}/metrics`)).text()
    expect(text).toContain('edge_wrong_credentials_total{address="198.51.100.7"} 1')
    expect(text).toMatch(/^edge_wrong_credentials_total\{address="others"\} 50$/m)
    await until(() => findLines(proxied, '"address":"others"').length > 0)
    expect(findLines(proxied, 'wrong credentials')).toHaveLength(101)
  })

  test.each([
    ['/oauth/register', 60, 201, '{"redirect_uris":["https://app.example/"]}', 'application/json'],
    ['/oauth/token', 120, 400, 'grant_type=authorization_code', 'application/x-www-form-urlencoded'],
  ])('one address may ask %s %i times a minute', async (path, atMost, status, body, type) => {
    const ask = async (address: string) => {
      const headers = { 'x-forwarded-for': address, 'content-type': type }
      const response = await fetch(proxied.run.baseUrl + path, { method: 'POST', headers, body })
      return {
        status: response.status,
        wait: response.headers.get('retry-after'),
        body: (await response.json()) as { error: string },
      }
    }
    for (let n = 0; n < atMost; n++) expect((await ask('198.51.100.7')).status).toBe(status)
    const refused = await ask('198.51.100.7')
    expect(refused).toMatchObject({ status: 429, wait: expect.stringMatching(/^[1-6]?\d$/) })
    expect(refused.body.error).toBe('rate_limited')
    expect((await ask('198.51.100.8')).status).toBe(status)
  })
})
