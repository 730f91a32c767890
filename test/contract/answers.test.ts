// What every answer has in common: request ids, refusals in their order, errors that name the field (contract, "Errors").

import { entries } from '@msgnet/openapi/document.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { borrowForFile } from '../borrowed-world.ts'
import type { ApiResponse } from '../caller.ts'
import { createDevice, type Device } from '../device.ts'

const world = await borrowForFile()
let device: Device

beforeAll(async () => {
  device = await createDevice(world)
})

const listRoutes = (auth: string) =>
  entries
    .filter(({ operation }) => operation.auth === auth)
    .map(({ method, path }) => [method, path.replace('{id}', crypto.randomUUID())] as const)

function expectError(response: ApiResponse, status: number, error: string) {
  expect([response.status, response.body?.error], response.text).toEqual([status, error])
  expect(response.body.message).toEqual(expect.any(String))
  expect(response.headers.get('x-request-id')).toMatch(/^[\x21-\x7e]{1,128}$/)
}

describe('request ids', () => {
  test('a valid X-Request-Id is echoed', async () => {
    const response = await world.admin.get('/health/live', { 'x-request-id': 'order-66/a' })
    expect(response.headers.get('x-request-id')).toBe('order-66/a')
    expect(response.body).toEqual({ status: 'live' })
  })

  test.each(['', 'x'.repeat(129), 'with space'])(
    'an invalid one (%j) is replaced by a UUID',
    async (requestId) => {
      const response = await world.admin.get('/health/ready', { 'x-request-id': requestId })
      expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/)
      expect(response.body).toEqual({ status: 'ready' })
    },
  )
})

describe('credentials', () => {
  test.each(listRoutes('admin'))('%s %s requires the admin token', async (method, path) => {
    const anonymous = world.callAs('')
    for (const headers of [
      {},
      { admintoken: 'mga_wrong' },
      { token: device.token },
      { authorization: 'Bearer x', instancekey: device.token },
    ]) {
      expectError(await anonymous.request(method, path, undefined, headers), 401, 'unauthorized')
    }
  })

  test.each(listRoutes('instance'))('%s %s requires the instance token', async (method, path) => {
    const anonymous = world.callAs('mgi_wrong')
    expectError(await anonymous.request(method, path), 401, 'unauthorized')
    expectError(await anonymous.request(method, `${path}?token=${device.token}`), 401, 'unauthorized')
    expectError(
      await anonymous.request(method, path, undefined, { token: `${device.token}, ${device.token}` }),
      401,
      'unauthorized',
    )
  })
})

describe('routes', () => {
  test('an unknown route is 404 even without a credential', async () => {
    expectError(await world.callAs('').get('/no/such/route'), 404, 'not_found')
    expectError(await world.callAs('').get('/call/make'), 404, 'not_found')
  })

  test.each([
    ['PATCH', '/instance/init', 'POST'],
    ['GET', '/instance/connect', 'POST'],
    ['PUT', '/instance/status', 'GET'],
    ['POST', '/health/live', 'GET'],
    ['PUT', '/webhook', 'GET, POST'],
  ])('%s %s is 405 with Allow: %s', async (method, path, allow) => {
    const response = await world.callAs('').request(method, path)
    expectError(response, 405, 'method_not_allowed')
    const allowed = (response.headers.get('allow') ?? '').split(', ')
    for (const each of allow.split(', ')) expect(allowed).toContain(each)
    expect(allowed).not.toContain(method)
  })
})

describe('bodies', () => {
  test.each([
    ['/instance/init', '{', 'invalid_json', ''],
    ['/instance/init', '[]', 'invalid_body', ''],
    ['/instance/init', '{}', 'invalid_name', 'name'],
    ['/instance/init', '{"name":"   "}', 'invalid_name', 'name'],
    ['/instance/init', '{"name":"a\\u0000b"}', 'invalid_name', 'name'],
    ['/instance/init', `{"name":"${'x'.repeat(101)}"}`, 'invalid_name', 'name'],
    ['/instance/init', '{"name":"a","kind":"pigeon"}', 'invalid_kind', 'kind'],
    ['/instance/init', '{"name":"a","companyId":"two words"}', 'invalid_body', 'companyId'],
  ])('POST %s with %s is 400 %s', async (path, body, error, field) => {
    const response = await world.admin.post(path, body)
    expectError(response, 400, error)
    expect(response.body.message).toContain(field)
  })

  test.each([
    ['/instance/connect', { phone: '123' }, 'invalid_phone', 'phone'],
    ['/send/text', { text: 'x' }, 'invalid_number', 'number'],
    ['/send/text', { number: 'nobody', text: 'x' }, 'invalid_number', 'number'],
    ['/send/text', { number: '5511999999999' }, 'invalid_body', 'text'],
    ['/send/text', { number: '5511999999999', text: '' }, 'invalid_body', 'text'],
    ['/send/text', { number: '5511999999999', text: 'x', delay: 60_001 }, 'invalid_body', 'delay'],
    ['/chat/read', {}, 'invalid_number', 'number'],
    ['/chat/read', { number: '5511999999999', read: 'yes' }, 'invalid_body', 'read'],
    ['/webhook', { url: 'https://example.com/x', events: ['moon'] }, 'invalid_event', 'events'],
    ['/webhook', { url: 'https://example.com/x', events: 7 }, 'invalid_events', 'events'],
    ['/webhook', { url: 'https://example.com/x' }, 'invalid_events', 'events'],
    ['/webhook', { url: 'http://example.com/x', events: 'all' }, 'invalid_url', 'url'],
    ['/webhook', { url: 'https://127.0.0.1/x', events: 'all' }, 'invalid_url', 'url'],
    ['/webhook', { action: 'dance' }, 'invalid_action', 'action'],
    ['/webhook', { url: 'https://example.com', events: 'all', secret: 'a b' }, 'invalid_secret', 'secret'],
    [
      '/webhook',
      { url: 'https://example.com', events: 'all', excludeMessages: 'x' },
      'invalid_exclude',
      'excludeMessages',
    ],
    [
      '/webhook',
      { url: 'https://example.com', events: 'all', addUrlEvents: true },
      'unsupported_option',
      'addUrlEvents',
    ],
  ])('POST %s with %j is 400 %s', async (path, body, error, field) => {
    const response = await device.caller.post(path, body)
    expectError(response, 400, error)
    expect(response.body.message).toContain(field)
  })

  test('a body that is not JSON by its type is 415', async () => {
    const response = await world.admin.post('/instance/init', 'name=x', { 'content-type': 'text/plain' })
    expectError(response, 415, 'unsupported_media_type')
  })

  test('a body over 1 MiB is 413', async () => {
    const response = await world.admin.post(
      '/instance/init',
      JSON.stringify({ name: 'x'.repeat(1024 * 1024) }),
    )
    expectError(response, 413, 'body_too_large')
  })

  test.each([
    ['limit=0', 'invalid_limit'],
    ['limit=201', 'invalid_limit'],
    ['limit=x', 'invalid_limit'],
    ['status=lost', 'invalid_status'],
    ['afterSeq=-1', 'invalid_query'],
  ])('GET /v1/events?%s is 400 %s', async (query, error) => {
    expectError(await device.caller.get(`/v1/events?${query}`), 400, error)
  })
})

describe('sessions', () => {
  test('a send without a session is 409 not_connected', async () => {
    const response = await device.caller.post('/send/text', { number: '5511999999999', text: 'x' })
    expectError(response, 409, 'not_connected')
  })

  test('an instance that does not exist is 404, a malformed id 400', async () => {
    expectError(await world.admin.get(`/v1/instances/${crypto.randomUUID()}`), 404, 'instance_not_found')
    expectError(await world.admin.get('/v1/instances/seven'), 400, 'invalid_id')
  })
})
