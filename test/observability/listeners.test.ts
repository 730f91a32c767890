// The addresses of the metrics: the host shows whether it is ready, and the edge's metrics listen on the operator's address.

import { request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'

/** An address of this machine that the check for loopback does not know by its name. */
const BY_ANOTHER_NAME = '::ffff:127.0.0.1'

let world: World
let elsewhere: World

beforeAll(async () => {
  ;[world, elsewhere] = await Promise.all([
    startWorld({ EDGE_METRICS_HOST: 'localhost' }),
    startWorld({ EDGE_METRICS_HOST: BY_ANOTHER_NAME }),
  ])
})

afterAll(() => Promise.all([world.close(), elsewhere.close()]))

/** The status of an answer. */
const requestStatus = (url: string, method = 'GET', headers: Record<string, string> = {}) =>
  new Promise<number>((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    sent.once('error', reject).end()
  })

test("the edge's metrics on a loopback address are served under names of this machine only", async () => {
  const { edgeMetricsUrl } = world.run
  expect(edgeMetricsUrl).toMatch(/^http:\/\/localhost:\d+$/)
  const text = await (await fetch(`${edgeMetricsUrl}/metrics`)).text()
  expect(text).toContain('edge_host_live')
  expect(await requestStatus(`${edgeMetricsUrl}/metrics`, 'GET', { host: 'metrics.example' })).toBe(403)
  expect(await requestStatus(`${edgeMetricsUrl}/metrics`, 'GET', { origin: 'https://evil.example' })).toBe(
    403,
  )
})

test("the edge's metrics on another address are served under any name, and the tick is not", async () => {
  const { edgeMetricsUrl } = elsewhere.run
  expect(await requestStatus(`${edgeMetricsUrl}/metrics`, 'GET', { host: 'metrics.example' })).toBe(200)
  for (const [method, path, status] of [
    ['POST', '/tick', 404],
    ['GET', '/probe', 404],
    ['POST', '/metrics', 405],
  ] as const)
    expect([path, await requestStatus(`${edgeMetricsUrl}${path}`, method)]).toEqual([path, status])
})

test('a host is ready while it is linked, and alive without a link', async () => {
  const { metricsUrl } = world.run
  const readReadiness = async () => {
    const response = await fetch(`${metricsUrl}/health/ready`)
    return [response.status, await response.json()]
  }
  expect(await readReadiness()).toEqual([200, { status: 'ready' }])
  expect(await requestStatus(`${metricsUrl}/health/ready`, 'GET', { host: 'evil.example' })).toBe(403)

  // Its token ends with this.
  const [host] = (await world.admin.get('/v1/hosts')).body.hosts
  await world.admin.post(`/v1/hosts/${host.id}/token`)
  await until(async () => (await readReadiness())[0] === 503)
  expect(await readReadiness()).toEqual([503, { status: 'not_ready', reason: 'not_linked' }])
  expect(await requestStatus(`${metricsUrl}/health`)).toBe(200)
})
