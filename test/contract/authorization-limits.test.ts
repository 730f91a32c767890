// What bounds the authorization of clients of `/mcp`: codes of an instance, how long they are kept, and bodies.

import { HOUR, MINUTE } from '@msgnet/shared/date-time.ts'
import { expect, test } from 'vitest'
import { authorizingGateway, callback, createClient } from '../authorization.ts'
import { borrowForFile } from '../borrowed-world.ts'
import type { ApiResponse } from '../caller.ts'
import { createDevice } from '../device.ts'
import { startFileServer } from '../file-server.ts'
import { until } from '../until.ts'

const world = await borrowForFile(authorizingGateway)
const documents = await startFileServer()
const { open, register, startRequest, readDetails, consent, obtainCode, postForm, exchange } = createClient(
  world.run.baseUrl,
)

const pickError = ({ status, body }: ApiResponse) => [status, body?.error]

test('an instance has a hundred codes within the hour; another is not added, and other instances are as before', async () => {
  const [busy, other] = [await createDevice(world, 'Busy'), await createDevice(world, 'Other')]
  const started = startRequest(await register())
  const first = await obtainCode(started, busy.token)
  await world.queryDatabase(`insert into authorization_codes select n.value, instance_id, client_hash, client_name, redirect_uri,
    resource, challenge, scope, chats, lifetime, created_at, expires_at, token_id
    from authorization_codes, (select hex(randomblob(32)) as value from json_each('[${Array(98).fill(0)}]')) n
    where instance_id = '${busy.id}'`)
  const last = await obtainCode(started, busy.token)
  const refused = await consent(started, { token: busy.token })
  expect([...pickError(refused), refused.body.error_key]).toEqual([
    409,
    'session_conflict',
    'too_many_tokens',
  ])
  expect((await consent(started, { token: other.token })).status).toBe(200)
  for (const code of [first, last]) expect((await exchange(started, code)).status).toBe(200)
})

test('an instance whose scoped tokens have expired allows clients again', async () => {
  const device = await createDevice(world, 'Long in use')
  const fill = (expiresAt: number) =>
    world.queryDatabase(`insert into scoped_tokens (id, instance_id, name, scope, token_hash, created_at, expires_at)
    select hex(randomblob(16)), '${device.id}', 'Client', 'read', hex(randomblob(32)), 1, ${expiresAt} from json_each('[${Array(100).fill(0)}]')`)
  const started = startRequest(await register())
  await fill(Date.now() - MINUTE)
  const code = await obtainCode(started, device.token)
  expect((await exchange(started, code)).status).toBe(200)
  await fill(0)
  expect((await consent(started, { token: device.token })).body.error_key).toBe('too_many_tokens')
})

test('a caller has thirty documents of clients fetched in a minute, and others have theirs', async () => {
  const [busy, other] = [await createDevice(world, 'Asking'), await createDevice(world, 'Beside')]
  const ask = (n: number, token: string) =>
    readDetails(startRequest(`http://${documents.place}/absent-${n}.json`), token)
  for (let n = 0; n < 30; n++) expect(pickError(await ask(n, busy.token))).toEqual([400, 'invalid_query'])
  const refused = await ask(30, busy.token)
  expect(pickError(refused)).toEqual([429, 'rate_limited'])
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60)
  expect(documents.requests.filter((path) => path.startsWith('/absent-'))).toHaveLength(30)
  expect(pickError(await ask(30, other.token))).toEqual([400, 'invalid_query'])
})

test('codes are deleted an hour after their end, by the tick', async () => {
  const device = await createDevice(world, 'Kept')
  const ages = [HOUR + MINUTE, HOUR - 5 * MINUTE, 0]
  for (const age of ages) {
    await obtainCode(startRequest(await register()), device.token)
    await world.queryDatabase(`update authorization_codes set lifetime = ${age}, expires_at = ${Date.now() - age}
      where instance_id = '${device.id}' and lifetime = 3600`)
  }
  await fetch(`${world.run.edgeMetricsUrl}/tick`, { method: 'POST' })
  const listAges = async () =>
    (
      await world.queryDatabase(
        `select lifetime from authorization_codes where instance_id = '${device.id}' order by lifetime`,
      )
    ).map(({ lifetime }) => lifetime)
  await until(async () => (await listAges()).length < 3)
  expect(await listAges()).toEqual([0, HOUR - 5 * MINUTE])
})

test('a compressed body is refused, by which header', async () => {
  const encoded = { 'content-encoding': 'gzip' }
  const registration = await open.post('/oauth/register', { redirect_uris: [callback] }, encoded)
  for (const refused of [registration, await postForm({ grant_type: 'authorization_code' }, encoded)]) {
    expect(pickError(refused)).toEqual([415, 'unsupported_media_type'])
    expect(refused.body.message).toContain('gzip')
  }
})

test.each(['code', 'state', 'iss', 'error'])(
  'a client is not sent back to an address that has %s already',
  async (name) => {
    const body = { redirect_uris: [`https://app.example/done?of=it&${name}=1`] }
    expect(pickError(await open.post('/oauth/register', body))).toEqual([400, 'invalid_redirect_uri'])
  },
)

test('what a registration says wrongly is named; null is no name, and half a character is refused', async () => {
  const ask = async (body: object | string) => {
    const { status, body: answer } = await open.post('/oauth/register', body)
    return [status, answer.error ?? answer.client_name, answer.error_description]
  }
  const uris = { redirect_uris: [callback] }
  expect(await ask({ ...uris, client_name: null })).toEqual([201, '127.0.0.1:8123', undefined])
  expect((await ask('[]')).slice(1)).toEqual(['invalid_client_metadata', 'The body must be an object.'])
  expect(await ask({ ...uris, client_name: '\ud800' })).toEqual([
    400,
    'invalid_client_metadata',
    'client_name must be text.',
  ])
})

test('an instance allows for itself alone', async () => {
  const [device, other] = [await createDevice(world, 'Own'), await createDevice(world, 'Of another')]
  const started = startRequest(await register())
  const refused = await consent(started, { token: device.token }, { instance: other.id })
  expect(pickError(refused)).toEqual([400, 'invalid_id'])
  expect((await consent(started, { token: device.token }, { instance: device.id })).status).toBe(200)
  expect((await readDetails(started, device.token)).status).toBe(200)
})
