// Admin tokens beside the one of the environment: how far each goes, until when, and how any token is changed without a gap.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { entries } from '../../openapi/document.ts'
import { scopeOf, scopes, suffices } from '../../shared/api/scope.ts'
import { type Answer, type Caller, makeCaller } from '../caller.ts'
import { makeDevice } from '../device.ts'
import { startWorld, type World } from '../world.ts'

let world: World

beforeAll(async () => {
  world = await startWorld()
})

afterAll(() => world.close())

const by = (token: string): Caller => makeCaller(world.run.baseUrl, { admintoken: token })
const told = ({ status, body }: Answer) => [status, body?.error]

async function made(scope: string, more: object = {}) {
  const { status, body, text } = await world.admin.post('/v1/tokens', { name: `To ${scope}`, scope, ...more })
  if (status !== 200) throw new Error(text)
  return { id: body.record.id as string, token: body.token as string, caller: by(body.token) }
}

test('a token is told once; what is listed and kept of it is no value', async () => {
  const wish = { name: '  Dashboard ', scope: 'read', expiresIn: 3600 }
  const answer = await world.admin.post('/v1/tokens', wish)
  const { token, record } = answer.body
  expect(token).toMatch(/^mga_[\w-]{43}$/)
  expect(record).toMatchObject({ name: 'Dashboard', scope: 'read', renewedAt: '', previousUntil: '' })
  expect(Date.parse(record.expiresAt) - Date.parse(record.createdAt)).toBe(3_600_000)
  expect(answer.headers.get('cache-control')).toBe('no-store')
  const listed = await world.admin.get('/v1/tokens')
  expect(listed.body.tokens).toContainEqual(record)
  const rows = await world.database('select * from admin_tokens')
  expect(listed.text + JSON.stringify(rows)).not.toContain(token.slice(4))
})

test.each([
  [{ scope: 'read' }, 'invalid_name'],
  [{ name: 'a\u0007', scope: 'read' }, 'invalid_name'],
  [{ name: 'a', scope: 'everything' }, 'invalid_body'],
  [{ name: 'a' }, 'invalid_body'],
  [{ name: 'a', scope: 'read', expiresIn: 0 }, 'invalid_body'],
])('POST /v1/tokens with %j is 400 %s', async (body, error) => {
  expect(told(await world.admin.post('/v1/tokens', body))).toEqual([400, error])
})

describe.each(scopes)('the scope %s', (held) => {
  let token: Awaited<ReturnType<typeof made>>
  beforeAll(async () => {
    token = await made(held)
  })

  const admin = entries.filter(({ operation }) => operation.auth === 'admin')
  test.each(admin.map((entry) => [entry.route, entry] as const))(
    '%s is open to it, or is 403 and says which scope it wants',
    async (_, { method, path, operation }) => {
      const wanted = scopeOf(operation)
      // Without a body and for an id that nobody has: nothing is done.
      const answer = await token.caller.ask(method, path.replace('{id}', crypto.randomUUID()))
      if (suffices(held, wanted)) return expect([401, 403]).not.toContain(answer.status)
      expect(told(answer)).toEqual([403, 'not_admin'])
      expect(answer.body).toMatchObject({
        error_key: 'insufficient_scope',
        message: `This needs an admin token of scope ${wanted}; the scope of this one is ${held}.`,
        details: { scope: held, wanted },
      })
    },
  )
})

test('to look wants read, to change operate, and hosts and tokens want admin', () => {
  const wanted = Object.fromEntries(
    entries
      .filter(({ operation }) => operation.auth === 'admin')
      .map(({ route, operation }) => [route, scopeOf(operation)]),
  )
  expect(wanted).toMatchObject({
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

test('the laboratory of the console wants the scope admin', async () => {
  const answer = await fetch(`${world.run.baseUrl}/console/laboratory/phones`, {
    headers: { admintoken: (await made('operate')).token },
  })
  expect([answer.status, ((await answer.json()) as { error: string }).error]).toEqual([403, 'not_admin'])
})

test('after its end a token is nobody’s, and so it is once it was deleted', async () => {
  const { id, caller } = await made('read', { expiresIn: 3600 })
  expect((await caller.get('/v1/hosts')).status).toBe(200)
  await world.database(`update admin_tokens set expires_at = 1 where id = '${id}'`)
  expect(told(await caller.get('/v1/hosts'))).toEqual([401, 'unauthorized'])

  const other = await made('read')
  expect((await world.admin.delete(`/v1/tokens/${other.id}`)).body).toEqual({ response: 'Token deleted' })
  expect(told(await other.caller.get('/v1/hosts'))).toEqual([401, 'unauthorized'])
  expect(told(await world.admin.delete(`/v1/tokens/${other.id}`))).toEqual([404, 'not_found'])
  expect(told(await world.admin.post(`/v1/tokens/${other.id}/token`))).toEqual([404, 'not_found'])
  expect(told(await world.admin.delete('/v1/tokens/seven'))).toEqual([400, 'invalid_id'])
})

test('renewed without an overlap the old value stops at once; with one both are good until it is over', async () => {
  const first = await made('read')
  const renew = async (overlap?: number) =>
    (await world.admin.post(`/v1/tokens/${first.id}/token`, overlap === undefined ? {} : { overlap })).body
  const opens = async (token: string) => (await by(token).get('/v1/hosts')).status

  const second = (await renew()).token
  expect([await opens(first.token), await opens(second)]).toEqual([401, 200])
  const renewal = await renew(3600)
  const third = renewal.token
  expect(Date.parse(renewal.record.previousUntil) - Date.parse(renewal.record.renewedAt)).toBeGreaterThan(
    3_000_000,
  )
  expect([await opens(second), await opens(third)]).toEqual([200, 200])
  // Two are good at most.
  const fourth = (await renew(3600)).token
  expect([await opens(second), await opens(third), await opens(fourth)]).toEqual([401, 200, 200])
  await world.database(`update admin_tokens set previous_token_until = 1 where id = '${first.id}'`)
  expect([await opens(third), await opens(fourth)]).toEqual([401, 200])
})

test('the token of an instance too has two good values for as long as was chosen', async () => {
  const device = await makeDevice(world)
  const renew = async (body: object) =>
    (await world.admin.post(`/v1/instances/${device.id}/token`, body)).body.token
  const opens = async (token: string) => (await world.as(token).get('/instance/status')).status

  const second = await renew({ overlap: 3600 })
  expect([await opens(device.token), await opens(second)]).toEqual([200, 200])
  // A stream that the former opened lives as long as it, and a key of the former is one of the present.
  const stream = await fetch(`${world.run.baseUrl}/v1/events/stream`, { headers: { token: device.token } })
  expect(stream.status).toBe(200)
  await world.database(`update instances set previous_token_until = 1 where id = '${device.id}'`)
  expect([await opens(device.token), await opens(second)]).toEqual([401, 200])
  // Woken by another renewal, it finds that its token is no more.
  const third = await renew({ overlap: 60 })
  const reader = stream.body?.getReader()
  while (!(await reader?.read())?.done);
  expect([await opens(second), await opens(third)]).toEqual([200, 200])
  const fourth = await renew({})
  expect([await opens(second), await opens(third), await opens(fourth)]).toEqual([401, 401, 200])
  const wrong = await world.admin.post(`/v1/instances/${device.id}/token`, { overlap: 604_801 })
  expect(told(wrong)).toEqual([400, 'invalid_body'])
})

test('a key is one token’s own', async () => {
  const [one, other] = [await made('operate'), await made('operate')]
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

test('who asks alone with such a token costs one call to the database', async () => {
  const { caller } = await made('read')
  const { id } = await makeDevice(world)
  const calls = async () => {
    const text = await (await fetch(`${world.run.edgeMetricsUrl}/metrics`)).text()
    return Number(/^edge_database_calls_total (\d+)/m.exec(text)?.[1])
  }
  const callsOf = async (ask: () => Promise<unknown>) => {
    const before = await calls()
    await ask()
    return (await calls()) - before
  }
  // What goes on beside it may add to a count, and never takes away.
  const fewest = async (ask: () => Promise<unknown>) => {
    const counts: number[] = []
    for (let time = 0; time < 8; time++) counts.push(await callsOf(ask))
    return Math.min(...counts)
  }
  const nothing = await fewest(async () => undefined)
  expect((await fewest(() => caller.get('/v1/capabilities'))) - nothing).toBe(1)
  const byRoot = await fewest(() => world.admin.get(`/v1/instances/${id}`))
  expect(await fewest(() => caller.get(`/v1/instances/${id}`))).toBe(byRoot)
})
