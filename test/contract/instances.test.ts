// Creating and listing instances (contract, "Instances"; open points, "Idempotency").

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'

let world: BorrowedWorld

beforeAll(async () => {
  world = await borrowWorld()
})

afterAll(() => world.close())

test('init returns the instance and its token, which no list shows', async () => {
  const response = await world.admin.post('/instance/init', { name: '  Support  ', companyId: 'acme' })
  expect(response.status).toBe(200)
  expect(response.body.instance).toMatchObject({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    kind: 'msgnet',
    name: 'Support',
    companyId: 'acme',
    owner: '',
    profileName: '',
    qrcode: '',
    status: 'disconnected',
    lastDisconnect: '',
    lastDisconnectReason: '',
    token: expect.stringMatching(/^mgi_[\w-]{43}$/),
  })
  const namesake = await world.admin.post('/instance/init', { name: 'Support' })
  expect(namesake.body.instance.id).not.toBe(response.body.instance.id)
  const list = await world.admin.get('/instance/all')
  expect(list.text).not.toContain(response.body.instance.token)
  expect(list.text).not.toContain('"token"')
})

test('the list is a plain array, and companyId filters it', async () => {
  await world.admin.post('/instance/init', { name: 'A', companyId: 'globex' })
  await world.admin.post('/instance/init', { name: 'B', companyId: 'initech' })
  const all = (await world.admin.get('/instance/all')).body
  const some = (await world.admin.get('/instance/all?companyId=globex')).body
  expect(Array.isArray(all)).toBe(true)
  expect((some as { name: string }[]).map(({ name }) => name)).toEqual(['A'])
  expect(all.length).toBeGreaterThan(some.length)
})

test('kind calls is 501 while the module is off', async () => {
  const response = await world.admin.post('/instance/init', { name: 'Voice', kind: 'calls' })
  expect([response.status, response.body.error]).toEqual([501, 'calls_not_supported'])
})

test('the same key, method, path and bytes answer the stored response; other bytes are 422', async () => {
  const key = { 'idempotency-key': 'init-1' }
  const first = await world.admin.post('/instance/init', '{"name":"Once"}', key)
  const second = await world.admin.post('/instance/init', '{"name":"Once"}', key)
  const other = await world.admin.post('/instance/init', '{"name": "Once"}', key)
  expect(first.headers.get('idempotency-replayed')).toBeNull()
  expect(second.headers.get('idempotency-replayed')).toBe('true')
  expect(second.text).toBe(first.text)
  expect([other.status, other.body.error]).toEqual([422, 'idempotency_mismatch'])
  const named = ((await world.admin.get('/instance/all')).body as { name: string }[]).filter(
    ({ name }) => name === 'Once',
  )
  expect(named).toHaveLength(1)
})

test('twenty-four parallel requests with one key make one instance', async () => {
  const key = { 'idempotency-key': 'init-24' }
  const responses = await Promise.all(
    Array.from({ length: 24 }, () => world.admin.post('/instance/init', { name: 'Crowd' }, key)),
  )
  expect(responses.every(({ status }) => status === 200 || status === 409)).toBe(true)
  const ids = new Set(responses.filter(({ status }) => status === 200).map(({ body }) => body.instance.id))
  expect(ids.size).toBe(1)
})

test('a refused request leaves its key free', async () => {
  const key = { 'idempotency-key': 'init-free' }
  expect((await world.admin.post('/instance/init', { name: '' }, key)).status).toBe(400)
  expect((await world.admin.post('/instance/init', { name: 'Now' }, key)).status).toBe(200)
})

test.each(['', 'a b', 'x'.repeat(129), 'ä'])('a malformed key (%j) is 400', async (malformed) => {
  const key = { 'idempotency-key': Buffer.from(malformed).toString('latin1') }
  const response = await world.admin.post('/instance/init', { name: 'X' }, key)
  expect([response.status, response.body.error]).toEqual([400, 'invalid_idempotency_key'])
})

test('an instance by id is its connection, for the admin', async () => {
  const { id } = (await world.admin.post('/instance/init', { name: 'By id' })).body.instance
  const response = await world.admin.get(`/v1/instances/${id}`)
  expect(response.body).toMatchObject({
    connected: false,
    loggedIn: false,
    jid: '',
    instance: { id, name: 'By id' },
  })
  expect((await world.admin.delete(`/v1/instances/${id}`)).body).toEqual({
    response: 'Instance deleted',
    unlinked: false,
  })
})

test('capabilities say what is built and nothing more', async () => {
  const { body } = await world.admin.get('/v1/capabilities')
  expect(body).toMatchObject({
    status: 'laboratory',
    version: '2026-09-17',
    instance_kinds: ['msgnet'],
    capabilities: { calls: false, messages: true, media: true, groups: true, webhooks: true, events: true },
  })
})

test('each ability that is said to be there has its routes, what is off says so, and nothing else is named', async () => {
  const { capabilities } = (await world.admin.get('/v1/capabilities')).body
  const routes = {
    messages: '/send/text',
    media: '/send/media',
    voiceNotes: '/send/media',
    stickers: '/send/media',
    linkPreviews: '/send/text',
    albums: '/send/album',
    scheduled: '/v1/scheduled',
    pins: '/message/pin',
    stars: '/message/star',
    history: '/message/history',
    coverage: '/instance/status',
    recover: '/message/recover',
    presence: '/chat/subscribe',
    groups: '/group/info',
    chats: '/chat/find',
    contacts: '/contacts/list',
    labels: '/label/edit',
    polls: '/send/menu',
    statusPosts: '/send/status',
    limits: '/instance/limits',
    identity: '/v1/identity/resolve',
    profile: '/profile/name',
    privacy: '/instance/privacy',
    webhooks: '/webhook',
    furtherWebhooks: '/v1/webhooks',
    scopedTokens: '/instance/tokens',
    events: '/v1/events',
    replay: '/v1/events/replay',
    stream: '/v1/events/stream',
    tools: '/mcp',
    passkeys: '/instance/connect/passkey',
    import: '/instance/import',
    overview: '/v1/overview',
    acting: '/instance/status',
    links: `/v1/instances/${crypto.randomUUID()}/links`,
  }
  const built = Object.entries(routes).map(async ([name, path]) => {
    const responses = await Promise.all(
      ['GET', 'POST'].map((method) => world.callAs('').request(method, path)),
    )
    return [name, responses.some(({ status }) => status === 401)] as const
  })
  const off = {
    authorization: false,
    mediaStored: false,
    interactive: false,
    calls: false,
    callsOutbound: false,
    dialects: [],
  }
  const named = { ...capabilities, import: capabilities.import.includes('baileys') }
  expect(named).toEqual({ ...Object.fromEntries(await Promise.all(built)), ...off })
  expect(capabilities).toMatchObject({ contacts: true, labels: true, polls: true, tools: false })
})

test('a host is registered once, its token shown once, and the list tells its load', async () => {
  const made = await world.admin.post('/v1/hosts', { region: 'eu' })
  expect(made.body).toMatchObject({ host: { region: 'eu' }, token: expect.stringMatching(/^mgh_[\w-]{43}$/) })
  const list = await world.admin.get('/v1/hosts')
  expect(list.body.hosts).toHaveLength(2)
  expect(list.text).not.toContain('mgh_')
  // Ids are the same in either case.
  expect((await world.admin.delete(`/v1/hosts/${made.body.host.id.toUpperCase()}`)).status).toBe(200)
  expect((await world.admin.get('/v1/hosts')).body.hosts).toHaveLength(1)
})
