// Admin tokens beside the one of the environment: how far each goes, until when, and how any token is changed without a gap.

import { entries } from '@msgnet/openapi/document.ts'
import { getRequiredScope, includesScope, scopes } from '@msgnet/shared/contract/admin-scope.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { type ApiResponse, type Caller, createCaller } from '../caller.ts'
import { createDevice } from '../device.ts'

let world: BorrowedWorld

beforeAll(async () => {
  world = await borrowWorld()
})

afterAll(() => world.close())

const createCallerBy = (token: string): Caller => createCaller(world.run.baseUrl, { admintoken: token })
const pickError = ({ status, body }: ApiResponse) => [status, body?.error]

async function createToken(scope: string, more: object = {}) {
  const { status, body, text } = await world.admin.post('/v1/tokens', { name: `To ${scope}`, scope, ...more })
  if (status !== 200) throw new Error(text)
  return { id: body.record.id as string, token: body.token as string, caller: createCallerBy(body.token) }
}

test('a token is shown once; lists and the database do not contain it', async () => {
  const wish = { name: '  Dashboard ', scope: 'read', expiresIn: 3600 }
  const response = await world.admin.post('/v1/tokens', wish)
  const { token, record } = response.body
  expect(token).toMatch(/^mga_[\w-]{43}$/)
  expect(record).toMatchObject({ name: 'Dashboard', scope: 'read', renewedAt: '', previousUntil: '' })
  expect(Date.parse(record.expiresAt) - Date.parse(record.createdAt)).toBe(3_600_000)
  expect(response.headers.get('cache-control')).toBe('no-store')
  const listed = await world.admin.get('/v1/tokens')
  expect(listed.body.tokens).toContainEqual(record)
  const rows = await world.queryDatabase('select * from admin_tokens')
  expect(listed.text + JSON.stringify(rows)).not.toContain(token.slice(4))
})

test.each([
  [{ scope: 'read' }, 'invalid_name'],
  [{ name: 'a\u0007', scope: 'read' }, 'invalid_name'],
  [{ name: 'a', scope: 'everything' }, 'invalid_body'],
  [{ name: 'a' }, 'invalid_body'],
  [{ name: 'a', scope: 'read', expiresIn: 0 }, 'invalid_body'],
  // Limits that the route does not know: without them the token would allow more than was meant.
  [{ name: 'a', scope: 'read', expiresAt: '2099-01-01T00:00:00Z' }, 'invalid_body'],
  [{ name: 'a', scope: 'read', chats: ['groups'] }, 'invalid_body'],
])('POST /v1/tokens with %j is 400 %s', async (body, error) => {
  expect(pickError(await world.admin.post('/v1/tokens', body))).toEqual([400, error])
})

describe.each(scopes)('the scope %s', (scope) => {
  let token: Awaited<ReturnType<typeof createToken>>
  beforeAll(async () => {
    token = await createToken(scope)
  })

  const admin = entries.filter(({ operation }) => operation.auth === 'admin')
  test.each(admin.map((entry) => [entry.route, entry] as const))(
    '%s is open to it, or is 403 and says which scope it wants',
    async (_, { method, path, operation }) => {
      const required = getRequiredScope(operation)
      // Without a body and for an unknown id nothing is done.
      const response = await token.caller.request(method, path.replace('{id}', crypto.randomUUID()))
      if (includesScope(scope, required)) return expect([401, 403]).not.toContain(response.status)
      expect(pickError(response)).toEqual([403, 'not_admin'])
      expect(response.body).toMatchObject({
        error_key: 'insufficient_scope',
        message: `This needs an admin token of scope ${required}; the scope of this one is ${scope}.`,
        details: { scope: scope, wanted: required },
      })
    },
  )
})

test('reads require scope read, changes operate, and hosts and tokens admin', () => {
  const expected = Object.fromEntries(
    entries
      .filter(({ operation }) => operation.auth === 'admin')
      .map(({ route, operation }) => [route, getRequiredScope(operation)]),
  )
  expect(expected).toMatchObject({
    'GET /instance/all': 'read',
    'GET /v1/hosts': 'read',
    'GET /v1/audit': 'read',
    'POST /instance/init': 'operate',
    'POST /v1/instances/{id}/connect': 'operate',
    'POST /v1/instances/{id}/token': 'operate',
    'POST /v1/webhook': 'operate',
    'POST /v1/hosts/{id}/drain': 'operate',
    'POST /v1/hosts': 'admin',
    'POST /v1/hosts/{id}/token': 'admin',
    'DELETE /v1/hosts/{id}': 'admin',
    'GET /v1/tokens': 'admin',
    'POST /v1/tokens': 'admin',
  })
})

test('the simulation of the console requires the scope admin', async () => {
  const response = await fetch(`${world.run.baseUrl}/console/laboratory/phones`, {
    headers: { admintoken: (await createToken('operate')).token },
  })
  expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([403, 'not_admin'])
})

test('an expired or deleted token is 401', async () => {
  const { id, caller } = await createToken('read', { expiresIn: 3600 })
  expect((await caller.get('/v1/hosts')).status).toBe(200)
  await world.queryDatabase(`update admin_tokens set expires_at = 1 where id = '${id}'`)
  expect(pickError(await caller.get('/v1/hosts'))).toEqual([401, 'unauthorized'])

  const other = await createToken('read')
  expect((await world.admin.delete(`/v1/tokens/${other.id}`)).body).toEqual({ response: 'Token deleted' })
  expect(pickError(await other.caller.get('/v1/hosts'))).toEqual([401, 'unauthorized'])
  expect(pickError(await world.admin.delete(`/v1/tokens/${other.id}`))).toEqual([404, 'not_found'])
  expect(pickError(await world.admin.post(`/v1/tokens/${other.id}/token`))).toEqual([404, 'not_found'])
  expect(pickError(await world.admin.delete('/v1/tokens/seven'))).toEqual([400, 'invalid_id'])
})

test('without an overlap a renewed token’s old value stops at once; with one both are valid until it ends', async () => {
  const first = await createToken('read')
  const renewToken = async (overlap?: number) =>
    (await world.admin.post(`/v1/tokens/${first.id}/token`, overlap === undefined ? {} : { overlap })).body
  const readHostsStatus = async (token: string) => (await createCallerBy(token).get('/v1/hosts')).status

  const second = (await renewToken()).token
  expect([await readHostsStatus(first.token), await readHostsStatus(second)]).toEqual([401, 200])
  const renewal = await renewToken(3600)
  const third = renewal.token
  expect(Date.parse(renewal.record.previousUntil) - Date.parse(renewal.record.renewedAt)).toBeGreaterThan(
    3_000_000,
  )
  expect([await readHostsStatus(second), await readHostsStatus(third)]).toEqual([200, 200])
  // Two are good at most.
  const fourth = (await renewToken(3600)).token
  expect([
    await readHostsStatus(second),
    await readHostsStatus(third),
    await readHostsStatus(fourth),
  ]).toEqual([401, 200, 200])
  await world.queryDatabase(`update admin_tokens set previous_token_until = 1 where id = '${first.id}'`)
  expect([await readHostsStatus(third), await readHostsStatus(fourth)]).toEqual([401, 200])
})

test('the token of an instance has two valid values during the overlap', async () => {
  const device = await createDevice(world)
  const renewToken = async (body: object) =>
    (await world.admin.post(`/v1/instances/${device.id}/token`, body)).body.token
  const readStatusCode = async (token: string) => (await world.callAs(token).get('/instance/status')).status

  const second = await renewToken({ overlap: 3600 })
  expect([await readStatusCode(device.token), await readStatusCode(second)]).toEqual([200, 200])
  // A stream that the former opened lives as long as it, and a key of the former is one of the present.
  const stream = await fetch(`${world.run.baseUrl}/v1/events/stream`, { headers: { token: device.token } })
  expect(stream.status).toBe(200)
  await world.queryDatabase(`update instances set previous_token_until = 1 where id = '${device.id}'`)
  expect([await readStatusCode(device.token), await readStatusCode(second)]).toEqual([401, 200])
  // Woken by another renewal, it finds that its token is no more.
  const third = await renewToken({ overlap: 60 })
  const reader = stream.body?.getReader()
  while (!(await reader?.read())?.done);
  expect([await readStatusCode(second), await readStatusCode(third)]).toEqual([200, 200])
  const fourth = await renewToken({})
  expect([await readStatusCode(second), await readStatusCode(third), await readStatusCode(fourth)]).toEqual([
    401, 401, 200,
  ])
  const wrong = await world.admin.post(`/v1/instances/${device.id}/token`, { overlap: 604_801 })
  expect(pickError(wrong)).toEqual([400, 'invalid_body'])
})

test('each token has its own keys', async () => {
  const [one, other] = [await createToken('operate'), await createToken('operate')]
  const key = { 'idempotency-key': crypto.randomUUID() }
  const first = await one.caller.post('/instance/init', { name: 'Shop' }, key)
  const again = await one.caller.post('/instance/init', { name: 'Shop' }, key)
  const others = await other.caller.post('/instance/init', { name: 'Shop' }, key)
  const roots = await world.admin.post('/instance/init', { name: 'Shop' }, key)
  expect([first, again, others, roots].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([
    null,
    'true',
    null,
    null,
  ])
  expect(again.body).toEqual(first.body)
  const ids = [first, others, roots].map(({ body }) => body.instance.id)
  expect(new Set(ids).size).toBe(3)
})

test('a single request with an admin token makes one database call', async () => {
  const { caller } = await createToken('read')
  const { id } = await createDevice(world)
  const readCallCount = async () => {
    const text = await (await fetch(`${world.run.edgeMetricsUrl}/metrics`)).text()
    return Number(/^edge_database_calls_total (\d+)/m.exec(text)?.[1])
  }
  const countCalls = async (sendRequest: () => Promise<unknown>) => {
    const before = await readCallCount()
    await sendRequest()
    return (await readCallCount()) - before
  }
  // What goes on beside it may add to a count, and never takes away.
  const countFewestCalls = async (sendRequest: () => Promise<unknown>) => {
    const counts: number[] = []
    for (let time = 0; time < 8; time++) counts.push(await countCalls(sendRequest))
    return Math.min(...counts)
  }
  const nothing = await countFewestCalls(async () => undefined)
  expect((await countFewestCalls(() => caller.get('/v1/capabilities'))) - nothing).toBe(1)
  const byRoot = await countFewestCalls(() => world.admin.get(`/v1/instances/${id}`))
  expect(await countFewestCalls(() => caller.get(`/v1/instances/${id}`))).toBe(byRoot)
})
