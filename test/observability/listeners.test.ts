// The addresses of the metrics: the host says whether it is ready, and the edge's metrics listen where the operator says.

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
const ask = (url: string, method = 'GET', headers: Record<string, string> = {}) =>
  new Promise<number>((resolve, reject) => {
    const sent = request(url, { method, headers }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
    sent.once('error', reject).end()
  })

test("the edge's metrics on a loopback address are told under names of this machine only", async () => {
  const { edgeMetricsUrl } = world.run
  expect(edgeMetricsUrl).toMatch(/^http:\/\/localhost:\d+$/)
  const text = await (await fetch(`${edgeMetricsUrl}/metrics`)).text()
  expect(text).toContain('edge_host_live')
  expect(await ask(`${edgeMetricsUrl}/metrics`, 'GET', { host: 'metrics.example' })).toBe(403)
  expect(await ask(`${edgeMetricsUrl}/metrics`, 'GET', { origin: 'https://evil.example' })).toBe(403)
})

test("the edge's metrics on another address are told under any name, and the tick is not there", async () => {
  const { edgeMetricsUrl } = elsewhere.run
  expect(await ask(`${edgeMetricsUrl}/metrics`, 'GET', { host: 'metrics.example' })).toBe(200)
  for (const [method, path, status] of [
    ['POST', '/tick', 404],
    ['GET', '/probe', 404],
    ['POST', '/metrics', 405],
  ] as const)
    expect([path, await ask(`${edgeMetricsUrl}${path}`, method)]).toEqual([path, status])
})

test('a host is ready while it is linked, and alive without a link', async () => {
  const { metricsUrl } = world.run
  const ready = async () => {
    const answer = await fetch(`${metricsUrl}/health/ready`)
    return [answer.status, await answer.json()]
  }
  expect(await ready()).toEqual([200, { status: 'ready' }])
  expect(await ask(`${metricsUrl}/health/ready`, 'GET', { host: 'evil.example' })).toBe(403)

  // Its token ends with this.
  const [host] = (await world.admin.get('/v1/hosts')).body.hosts
  await world.admin.post(`/v1/hosts/${host.id}/token`)
  await until(async () => (await ready())[0] === 503)
  expect(await ready()).toEqual([503, { status: 'not_ready', reason: 'not_linked' }])
  expect(await ask(`${metricsUrl}/health`)).toBe(200)
})
