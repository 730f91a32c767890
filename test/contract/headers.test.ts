// Headers that every answer bears, which ones are for tokens only, and what browsers of other origins may do.

import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cors } from '../../edge/http/cors.ts'
import { plainCaller } from '../caller.ts'
import { type Device, link, makeDevice, makePhone } from '../device.ts'
import { startWorld, type World } from '../world.ts'

const app = 'https://app.example'
const publicUrl = 'https://gateway.example'
const preflight = { origin: app, 'access-control-request-method': 'POST' }

let world: World
let device: Device

beforeAll(async () => {
  world = await startWorld({ CORS_ORIGINS: `${app}, http://localhost:3000`, PUBLIC_URL: `${publicUrl}/` })
  device = await makeDevice(world)
})

afterAll(() => world.close())

test('no answer is to be guessed at: success, refusal, document and page', async () => {
  const nobody = world.as('mgi_none')
  const answers = [
    await device.caller.get('/instance/status'),
    await device.caller.post('/send/text', {}),
    await nobody.get('/instance/status'),
    await nobody.get('/no/such/route'),
    await nobody.post('/health/live'),
    await nobody.get('/docs'),
    await nobody.get('/openapi.json'),
  ]
  for (const { headers } of answers) expect(headers.get('x-content-type-options')).toBe('nosniff')
})

test('an answer with a token is kept by nobody, a replayed one neither', async () => {
  const { id } = device
  const key = { 'idempotency-key': 'one' }
  const host = await world.admin.post('/v1/hosts', { region: 'eu' })
  const answers = [
    await world.admin.post('/instance/init', { name: 'Shop' }, key),
    await world.admin.post('/instance/init', { name: 'Shop' }, key),
    host,
    await world.admin.post(`/v1/hosts/${host.body.host.id}/token`),
    await world.admin.post(`/v1/instances/${(await makeDevice(world)).id}/token`),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  expect(answers.map(({ headers }) => headers.get('cache-control'))).toEqual(Array(5).fill('no-store'))
  expect(answers[1]?.headers.get('idempotency-replayed')).toBe('true')
  expect((await world.admin.get(`/v1/instances/${id}`)).headers.get('cache-control')).toBeNull()
})

describe('from another origin', () => {
  const ask = (method: string, path: string, headers: Record<string, string>) =>
    plainCaller(world.run.baseUrl, {}).ask(method, path, undefined, headers)

  test('a preflight is 204, without a credential, on every route', async () => {
    for (const path of ['/send/text', '/instance/init', '/v1/instances/x', '/health/live']) {
      const { status, text, headers } = await ask('OPTIONS', path, preflight)
      expect([status, text]).toEqual([204, ''])
      expect(headers.get('access-control-allow-origin')).toBe(app)
      expect(headers.get('access-control-allow-methods')).toBe('GET, POST, PUT, DELETE')
      const may = headers.get('access-control-allow-headers')?.split(', ')
      for (const each of ['admintoken', 'token', 'content-type', 'idempotency-key', 'x-request-id'])
        expect(may).toContain(each)
      for (const each of ['prefer', 'last-event-id']) expect(may).toContain(each)
      expect(headers.get('vary')).toBe('Origin')
      expect(headers.get('access-control-allow-credentials')).toBeNull()
    }
  })

  test('answers may be read, refusals too, with what stands in their headers', async () => {
    const token = { token: device.token, origin: app }
    for (const [path, status] of [
      ['/instance/status', 200],
      ['/group/list', 409],
      ['/no/such/route', 404],
    ] as const) {
      const answer = await ask('GET', path, token)
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([status, app])
      const read = answer.headers.get('access-control-expose-headers')?.split(', ')
      expect(read).toEqual(expect.arrayContaining(['X-Request-Id', 'Retry-After', 'Idempotency-Replayed']))
    }
    const refused = await ask('GET', '/instance/status', { origin: 'http://localhost:3000' })
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([
      401,
      'http://localhost:3000',
    ])
  })

  test('one that is not named may not: no header grants it, and a preflight is what it was', async () => {
    const foreign = { origin: 'https://evil.example' }
    const answer = await ask('GET', '/health/live', foreign)
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    expect(answer.headers.get('vary')).toBe('Origin')
    const asked = await ask('OPTIONS', '/send/text', { ...preflight, ...foreign })
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([405, null])
  })
})

test('with * any origin may, and none is told from another', async () => {
  const star = new Hono<{ Bindings: { CORS_ORIGINS: string } }>().use(cors).get('/', (c) => c.text('here'))
  const ask = (method: string, headers: Record<string, string>) =>
    star.request('/', { method, headers }, { CORS_ORIGINS: '*' })
  for (const answer of [await ask('GET', { origin: app }), await ask('OPTIONS', preflight)]) {
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('vary')).toBeNull()
  }
})

describe('PUBLIC_URL', () => {
  test('is the origin of links to files', async () => {
    const linked = await link(world, device)
    const file = Buffer.from('a plan').toString('base64')
    const number = await makePhone(world)
    const sent = await linked.caller.post('/send/media', { number, type: 'document', file })
    const { body } = await linked.caller.post('/message/download', { id: sent.body.messageid })
    expect(body.fileURL.startsWith(`${publicUrl}/media?file=`), body.fileURL).toBe(true)
    const fetched = await fetch(body.fileURL.replace(publicUrl, world.run.baseUrl))
    expect([fetched.headers.get('x-content-type-options'), await fetched.text()]).toEqual([
      'nosniff',
      'a plan',
    ])
  })

  test('is the server of the document and in the samples of the page', async () => {
    const nobody = world.as('')
    const document = (await nobody.get('/openapi.json')).body
    expect(document.servers).toMatchObject([{ url: publicUrl }])
    const page = (await nobody.get('/docs')).text
    expect(page).toContain(`<span class="origin">${publicUrl}</span>/send/text`)
    expect(page).toContain(`data-origin="${publicUrl}"`)
    expect(page).not.toContain('127.0.0.1:8787')
  })
})
