// Headers that every answer bears, which ones are for tokens only, and what browsers of other origins may do.

import { applyCors } from '@msgnet/edge/http/cors.ts'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { createPlainCaller } from '../caller.ts'
import { createDevice, createPhone, type Device, linkDevice } from '../device.ts'

const app = 'https://app.example'
const publicUrl = 'https://gateway.example'
const preflight = { origin: app, 'access-control-request-method': 'POST' }

let world: BorrowedWorld
let device: Device

beforeAll(async () => {
  world = await borrowWorld({ CORS_ORIGINS: `${app}, http://localhost:3000`, PUBLIC_URL: `${publicUrl}/` })
  device = await createDevice(world)
})

afterAll(() => world.close())

test('every response has nosniff: success, refusal, document and page', async () => {
  const anonymous = world.callAs('mgi_none')
  const responses = [
    await device.caller.get('/instance/status'),
    await device.caller.post('/send/text', {}),
    await anonymous.get('/instance/status'),
    await anonymous.get('/no/such/route'),
    await anonymous.post('/health/live'),
    await anonymous.get('/docs'),
    await anonymous.get('/openapi.json'),
  ]
  for (const { headers } of responses) expect(headers.get('x-content-type-options')).toBe('nosniff')
})

test('a response with a token is no-store, also when it is repeated', async () => {
  const { id } = device
  const key = { 'idempotency-key': 'one' }
  const host = await world.admin.post('/v1/hosts', { region: 'eu' })
  const responses = [
    await world.admin.post('/instance/init', { name: 'Shop' }, key),
    await world.admin.post('/instance/init', { name: 'Shop' }, key),
    host,
    await world.admin.post(`/v1/hosts/${host.body.host.id}/token`),
    await world.admin.post(`/v1/instances/${(await createDevice(world)).id}/token`),
  ]
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  expect(responses.map(({ headers }) => headers.get('cache-control'))).toEqual(Array(5).fill('no-store'))
  expect(responses[1]?.headers.get('idempotency-replayed')).toBe('true')
  expect((await world.admin.get(`/v1/instances/${id}`)).headers.get('cache-control')).toBe(
    'private, no-cache',
  )
})

describe('requests of another origin', () => {
  const sendRequest = (method: string, path: string, headers: Record<string, string>) =>
    createPlainCaller(world.run.baseUrl, {}).request(method, path, undefined, headers)

  test('a preflight is 204, without a credential, on every route', async () => {
    for (const path of ['/send/text', '/instance/init', '/v1/instances/x', '/health/live']) {
      const { status, text, headers } = await sendRequest('OPTIONS', path, preflight)
      expect([status, text]).toEqual([204, ''])
      expect(headers.get('access-control-allow-origin')).toBe(app)
      expect(headers.get('access-control-allow-methods')).toBe('GET, POST, PUT, PATCH, DELETE')
      const may = headers.get('access-control-allow-headers')?.split(', ')
      for (const each of ['admintoken', 'token', 'content-type', 'idempotency-key', 'x-request-id'])
        expect(may).toContain(each)
      for (const each of ['prefer', 'last-event-id']) expect(may).toContain(each)
      // Of the forms below prefixes, and of the tools.
      for (const each of ['apikey', 'authorization', 'mcp-protocol-version']) expect(may).toContain(each)
      expect(headers.get('vary')).toBe('Origin')
      expect(headers.get('access-control-allow-credentials')).toBeNull()
    }
  })

  test('responses and refusals can be read with their headers', async () => {
    const token = { token: device.token, origin: app }
    for (const [path, status] of [
      ['/instance/status', 200],
      ['/group/list', 409],
      ['/no/such/route', 404],
    ] as const) {
      const response = await sendRequest('GET', path, token)
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([status, app])
      const read = response.headers.get('access-control-expose-headers')?.split(', ')
      expect(read).toEqual(expect.arrayContaining(['X-Request-Id', 'Retry-After', 'Idempotency-Replayed']))
    }
    const refused = await sendRequest('GET', '/instance/status', { origin: 'http://localhost:3000' })
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([
      401,
      'http://localhost:3000',
    ])
  })

  test('an origin that is not listed gets no CORS headers', async () => {
    const foreign = { origin: 'https://evil.example' }
    const response = await sendRequest('GET', '/health/live', foreign)
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
    expect(response.headers.get('vary')).toBe('Origin')
    const preflighted = await sendRequest('OPTIONS', '/send/text', { ...preflight, ...foreign })
    expect([preflighted.status, preflighted.headers.get('access-control-allow-origin')]).toEqual([405, null])
  })
})

test('with * any origin is allowed, and responses do not depend on it', async () => {
  const star = new Hono<{ Bindings: { CORS_ORIGINS: string } }>()
    .use(applyCors)
    .get('/', (c) => c.text('here'))
  const requestStar = (method: string, headers: Record<string, string>) =>
    star.request('/', { method, headers }, { CORS_ORIGINS: '*' })
  for (const response of [
    await requestStar('GET', { origin: app }),
    await requestStar('OPTIONS', preflight),
  ]) {
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('vary')).toBeNull()
  }
})

describe('PUBLIC_URL', () => {
  test('links to files have that origin', async () => {
    const linked = await linkDevice(world, device)
    const file = Buffer.from('a plan').toString('base64')
    const number = await createPhone(world)
    const sent = await linked.caller.post('/send/media', { number, type: 'document', file })
    const { body } = await linked.caller.post('/message/download', { id: sent.body.messageid })
    expect(body.fileURL.startsWith(`${publicUrl}/media?file=`), body.fileURL).toBe(true)
    const fetched = await fetch(body.fileURL.replace(publicUrl, world.run.baseUrl))
    expect([fetched.headers.get('x-content-type-options'), await fetched.text()]).toEqual([
      'nosniff',
      'a plan',
    ])
  })

  test('the document and the samples of the page name that origin', async () => {
    const anonymous = world.callAs('')
    const document = (await anonymous.get('/openapi.json')).body
    expect(document.servers).toMatchObject([{ url: publicUrl }])
    const page = (await anonymous.get('/docs')).text
    expect(page).toContain(`<var>${publicUrl}</var>/send/text`)
    expect(page).toContain(`data-origin="${publicUrl}"`)
    expect(page).not.toContain('127.0.0.1:8787')
  })
})
