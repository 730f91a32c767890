// Scoped tokens of an instance: what each scope may do on every route, until when, and what stays with the token of the instance.

import { entries } from '@msgnet/openapi/document.ts'
import { includesTokenScope, tokenScopes } from '@msgnet/shared/contract/scoped-token.ts'
import { describe, expect, test } from 'vitest'
import { borrowForFile } from '../borrowed-world.ts'
import { type ApiResponse, createCaller } from '../caller.ts'
import { createDevice, createPhone, linkDevice } from '../device.ts'
import type { Seen } from '../scene.ts'
import { until } from '../until.ts'

const world = await borrowForFile()
const device = await createDevice(world, 'Shop')
const pickError = ({ status, body }: ApiResponse) => [status, body?.error]
const callBy = (token: string) => createCaller(world.run.baseUrl, { token })

async function createToken(scope: string, more: object = {}, { caller } = device) {
  const { status, body, text } = await caller.post('/instance/tokens', {
    name: `To ${scope}`,
    scope,
    ...more,
  })
  if (status !== 200) throw new Error(text)
  return { id: body.id as string, token: body.token as string, caller: callBy(body.token) }
}

test('a scoped token is shown once; lists and the database do not contain it', async () => {
  const wish = { name: '  Screen ', scope: 'read', chats: ['+55 11 98888-7777', 'groups'], expiresIn: 3600 }
  const made = await device.caller.post('/instance/tokens', wish)
  const { token, ...record } = made.body
  expect(token).toMatch(/^mgs_[\w-]{43}$/)
  expect(record).toMatchObject({ name: 'Screen', scope: 'read', lastUsedAt: '' })
  expect(record.chats).toEqual(['5511988887777@s.msgnet.net', 'groups'])
  expect(Date.parse(record.expiresAt) - Date.parse(record.createdAt)).toBe(3_600_000)
  expect(made.headers.get('cache-control')).toBe('no-store')
  const path = `/v1/instances/${device.id}/tokens`
  for (const list of [await device.caller.get('/instance/tokens'), await world.admin.get(path)]) {
    expect(list.body.tokens).toContainEqual(record)
    expect(list.text).not.toContain(token.slice(4))
  }
  const rows = await world.queryDatabase('select * from scoped_tokens')
  expect(JSON.stringify(rows)).not.toContain(token.slice(4))
})

test.each([
  [{ scope: 'read' }, 'invalid_name'],
  [{ name: 'a\u0007', scope: 'read' }, 'invalid_name'],
  [{ name: 'a', scope: 'operate' }, 'invalid_body'],
  [{ name: 'a' }, 'invalid_body'],
  [{ name: 'a', scope: 'read', chats: ['a friend'] }, 'invalid_body'],
  [{ name: 'a', scope: 'read', expiresIn: 0 }, 'invalid_body'],
  // Limits that the route does not know: without them the token would allow more than was meant.
  [{ name: 'a', scope: 'read', expiresAt: '2099-01-01T00:00:00Z' }, 'invalid_body'],
  [{ name: 'a', scope: 'read', chat: 'groups' }, 'invalid_body'],
])('a scoped token of %j is 400 %s', async (body, error) => {
  expect(pickError(await device.caller.post('/instance/tokens', body))).toEqual([400, error])
  expect(pickError(await world.admin.post(`/v1/instances/${device.id}/tokens`, body))).toEqual([400, error])
})

const own = entries.filter(({ operation }) => operation.auth === 'instance')

describe.each(tokenScopes)('the scope %s', async (scope) => {
  const fresh = await createDevice(world)
  const { token } = await createToken(scope, {}, fresh)

  test.each(own.map((entry) => [entry.route, entry] as const))(
    '%s is open to it, or is 403 before the body is read',
    async (_, { method, path, operation }) => {
      const { tokenScope = 'own' } = operation
      // What needs no body is done, to an instance that has nothing; of a stream only the beginning is read.
      const leave = new AbortController()
      const response = await fetch(world.run.baseUrl + path.replace(/\{\w+\}/, crypto.randomUUID()), {
        method,
        headers: { token },
        signal: leave.signal,
      })
      const isOpen = tokenScope !== 'own' && includesTokenScope(scope, tokenScope)
      if (isOpen) {
        leave.abort()
        return expect([401, 403]).not.toContain(response.status)
      }
      const message =
        tokenScope === 'own'
          ? 'This needs the own token of the instance.'
          : `This needs a token of scope ${tokenScope}; the scope of this one is ${scope}.`
      expect([response.status, await response.json()]).toEqual([
        403,
        { error: 'not_admin', error_key: 'scope', message },
      ])
    },
  )
})

test('every route of an instance declares its scope, and the token of the instance alone may import, delete and make tokens', () => {
  expect(own.filter(({ operation }) => operation.tokenScope === undefined)).toEqual([])
  const others = own.filter(
    ({ operation }) => operation.tokenScope !== 'own' && operation.chats === undefined,
  )
  expect(others).toEqual([])
  const closed = own.filter(({ operation }) => operation.tokenScope === 'own').map(({ route }) => route)
  expect(closed.sort()).toEqual([
    'DELETE /instance',
    'DELETE /instance/tokens/{tokenId}',
    'GET /instance/tokens',
    'POST /instance/import',
    'POST /instance/tokens',
  ])
})

test('a scoped token is no credential of another instance, nor of operators', async () => {
  const other = await createDevice(world)
  const { token, caller } = await createToken('full', {}, other)
  expect((await caller.get('/instance/status')).body.instance.id).toBe(other.id)
  expect(pickError(await createCaller(world.run.baseUrl, { admintoken: token }).get('/v1/hosts'))).toEqual([
    401,
    'unauthorized',
  ])
})

test('an expired or deleted token is 401, and so are those of a deleted instance', async () => {
  const other = await createDevice(world)
  const expired = await createToken('read', { expiresIn: 3600 }, other)
  const deleted = await createToken('read', {}, other)
  const last = await createToken('read', {}, other)
  for (const { caller } of [expired, deleted, last])
    expect((await caller.get('/instance/status')).status).toBe(200)
  await world.queryDatabase(`update scoped_tokens set expires_at = 1 where id = '${expired.id}'`)
  expect((await other.caller.delete(`/instance/tokens/${deleted.id}`)).body).toEqual({
    response: 'Token deleted',
  })
  await other.caller.delete('/instance')
  for (const { caller } of [expired, deleted, last])
    expect(pickError(await caller.get('/instance/status'))).toEqual([401, 'unauthorized'])
  expect(await world.queryDatabase(`select * from scoped_tokens where instance_id = '${other.id}'`)).toEqual(
    [],
  )
})

test('only tokens of the own instance are deleted', async () => {
  const other = await createDevice(world)
  const { id, caller } = await createToken('read')
  const remove = (tokenId: string) => other.caller.delete(`/instance/tokens/${tokenId}`)
  expect(pickError(await remove(id))).toEqual([404, 'not_found'])
  expect(pickError(await remove('seven'))).toEqual([400, 'invalid_id'])
  expect(pickError(await world.admin.delete(`/v1/instances/${other.id}/tokens/${id}`))).toEqual([
    404,
    'not_found',
  ])
  expect((await caller.get('/instance/status')).status).toBe(200)
  expect((await world.admin.delete(`/v1/instances/${device.id}/tokens/${id}`)).status).toBe(200)
  expect(pickError(await caller.get('/instance/status'))).toEqual([401, 'unauthorized'])
})

test('a renewal of the instance’s token leaves scoped ones as they are', async () => {
  const other = await createDevice(world)
  const { caller } = await createToken('read', {}, other)
  await world.admin.post(`/v1/instances/${other.id}/token`)
  expect((await caller.get('/instance/status')).status).toBe(200)
})

test('the hundred and first token of an instance is 409', async () => {
  const other = await createDevice(world)
  const add = () => other.caller.post('/instance/tokens', { name: 'One of many', scope: 'read' })
  const all = await Promise.all(Array.from({ length: 101 }, add))
  const refused = all.filter(({ status }) => status !== 200)
  expect(refused.map(pickError)).toEqual([[409, 'session_conflict']])
  expect(refused[0]?.body.error_key).toBe('too_many_tokens')
})

test('tokens that have expired make room for others', async () => {
  const other = await createDevice(world)
  const add = () => other.caller.post('/instance/tokens', { name: 'One of many', scope: 'read' })
  const added = await Promise.all(Array.from({ length: 100 }, add))
  const [expired, ...valid] = added.map(({ body }) => body.id)
  const expire = (id: string) =>
    world.queryDatabase(`update scoped_tokens set expires_at = 1 where id = '${id}'`)
  const list = async () => (await other.caller.get('/instance/tokens')).body.tokens.map(({ id }: Seen) => id)
  await expire(expired)
  expect(await list()).toContain(expired)
  const next = await add()
  expect(next.status, next.text).toBe(200)
  expect((await list()).sort()).toEqual([...valid, next.body.id].sort())
  expect((await add()).body.error_key).toBe('too_many_tokens')
})

test('the list says to the minute when a token was used, which costs one write for all of them', async () => {
  const { id, caller } = await createToken('read')
  const readUse = async () =>
    (await device.caller.get('/instance/tokens')).body.tokens.find((one: Seen) => one.id === id).lastUsedAt
  expect(await readUse()).toBe('')
  await Promise.all(Array.from({ length: 20 }, () => caller.get('/instance/status')))
  const first = await until(readUse)
  expect(Math.abs(Date.now() - Date.parse(first))).toBeLessThan(60_000)
  await caller.get('/instance/status')
  expect(await readUse()).toBe(first)
})

test('pairing codes are shown from scope full up', async () => {
  const other = await createDevice(world)
  const callers = await Promise.all(tokenScopes.map((scope) => createToken(scope, {}, other)))
  await other.caller.post('/instance/connect')
  await until(async () => (await other.caller.get('/instance/status')).body.pairing)
  const shown = await Promise.all(
    callers.map(async ({ caller }) => (await caller.get('/instance/status')).body.pairing !== undefined),
  )
  expect(shown).toEqual([false, false, true])
})

test('an entry of the audit log names the scoped token, and the instance that it acts for', async () => {
  const { id, caller } = await createToken('full')
  const requestId = crypto.randomUUID()
  await caller.post('/instance/updateInstanceName', { name: 'Renamed' }, { 'x-request-id': requestId })
  const entry = { actor: 'scoped', actorId: id, actorName: 'To full', as: device.id, target: device.id }
  const read = async (query: string) => (await world.admin.get(`/v1/audit?${query}`)).body.entries
  expect(await read(`requestId=${requestId}`)).toMatchObject([{ action: 'instance.rename', ...entry }])
  const made = await read(`action=scopedToken.create&target=${device.id}&limit=1`)
  expect(made).toMatchObject([{ actor: 'instance', actorId: device.id, as: '', outcome: 'done' }])
})

test('each token has its own keys', async () => {
  const linked = await linkDevice(world, await createDevice(world))
  const friend = await createPhone(world)
  const tokens = [await createToken('send', {}, linked), await createToken('send', {}, linked)]
  const headers = { 'idempotency-key': 'scoped-1' }
  const send = async ({ caller }: (typeof tokens)[number] | typeof linked) =>
    (await caller.post('/send/text', { number: friend, text: 'keyed' }, headers)).body.messageid
  const first = await Promise.all([linked, ...tokens].map(send))
  expect(new Set(first).size).toBe(3)
  expect(await Promise.all([linked, ...tokens].map(send))).toEqual(first)
})

test('a stream ends with its token', async () => {
  const { id, token } = await createToken('read')
  const response = await fetch(`${world.run.baseUrl}/v1/events/stream`, { headers: { token } })
  const reader = response.body?.getReader()
  await reader?.read()
  await device.caller.delete(`/instance/tokens/${id}`)
  expect((await reader?.read())?.done).toBe(true)
})
