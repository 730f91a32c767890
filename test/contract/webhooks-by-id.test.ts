// The routes of several webhooks of an instance, rule by rule. What is delivered to them: test/delivery/several-webhooks.test.ts.

import { expect, test } from 'vitest'
import { borrowForFile } from '../borrowed-world.ts'
import { createDevice, SECRET } from '../device.ts'
import { until } from '../until.ts'

const world = await borrowForFile()
const url = 'https://receiver.example.com/further'
const webhook = { url, events: 'messages' }
const key = 'Bearer-of-the-receiver-31415'

/** An instance with a webhook beside the first, which it has not. */
async function addWebhook(fields: object = {}) {
  const { caller, id: instance } = await createDevice(world)
  const response = await caller.post('/v1/webhooks', { ...webhook, ...fields })
  const { id } = response.body.webhook
  return { caller, instance, id, path: `/v1/webhooks/${id}`, response }
}

const setHeader = (name: string, value = 'x') => ({ headers: { [name]: value } })
const numbers = (count: number) => Array.from({ length: count }, (_, n) => `55119${10_000_000 + n}`)
const many = (count: number) => Object.fromEntries(numbers(count).map((number) => [`x-${number}`, '1']))

const refusals: [fields: object, code: string][] = [
  [{ url: 'ftp://receiver.example.com/' }, 'invalid_url'],
  [{ url: 'https://user:pass@receiver.example.com/' }, 'invalid_url'],
  [{ url: 'https://10.0.0.7/hook' }, 'invalid_url'],
  [{ url: 'http://receiver.example.com/' }, 'invalid_url'],
  [{ url: `https://receiver.example.com/${'a'.repeat(2048)}` }, 'invalid_url'],
  [{ events: 'message' }, 'invalid_event'],
  [{ events: [] }, 'invalid_events'],
  [{ events: 5 }, 'invalid_events'],
  [{ excludeMessages: 'fromEveryone' }, 'invalid_exclude'],
  [{ secret: 'with a space' }, 'invalid_secret'],
  [{ enabled: 'yes' }, 'invalid_body'],
  [{ chats: 'groups' }, 'invalid_body'],
  [{ chats: ['everybody'] }, 'invalid_body'],
  [{ chats: numbers(101) }, 'invalid_body'],
  [{ headers: ['authorization'] }, 'invalid_body'],
  [{ headers: { authorization: 5 } }, 'invalid_body'],
  [{ headers: many(11) }, 'invalid_body'],
  [{ headers: { 'X-Key': '1', 'x-key': '2' } }, 'invalid_body'],
  [setHeader('x key'), 'invalid_body'],
  [setHeader(''), 'invalid_body'],
]

test.each(refusals)('%j is refused when it is added and when it is changed: %s', async (fields, code) => {
  const { caller, path } = await addWebhook()
  for (const response of [
    await caller.post('/v1/webhooks', { ...webhook, ...fields }),
    await caller.request('PATCH', path, fields),
  ])
    expect([response.status, response.body.error]).toEqual([400, code])
  expect((await caller.get('/v1/webhooks')).body.webhooks).toHaveLength(1)
})

test('url and events are needed to add one', async () => {
  const { caller } = await createDevice(world)
  expect((await caller.post('/v1/webhooks', { events: 'all' })).body.error).toBe('invalid_url')
  expect((await caller.post('/v1/webhooks', { url })).body.error).toBe('invalid_events')
})

test('headers of the connection, the signature and the body cannot be set, in any case', async () => {
  const { caller, path } = await addWebhook()
  const reserved = [
    'Connection',
    'keep-alive',
    'Proxy-Authorization',
    'te',
    'trailer',
    'Transfer-Encoding',
    'upgrade',
  ]
  reserved.push(
    'Host',
    'content-length',
    'Content-Type',
    'content-encoding',
    'webhook-id',
    'Webhook-Signature',
  )
  for (const name of reserved) {
    const refused = await caller.request('PATCH', path, setHeader(name))
    expect([name, refused.status, refused.body.error]).toEqual([name, 400, 'invalid_body'])
    expect((await caller.post('/webhook', { ...webhook, ...setHeader(name) })).status).toBe(400)
  }
})

test('a header cannot carry another one', async () => {
  const { caller, path } = await addWebhook()
  for (const value of [
    'a\r\nx-other: b',
    'a\nb',
    'a\rb',
    'a\u0000b',
    'a\tb',
    ' a',
    'a ',
    'ä',
    '',
    'a'.repeat(1025),
  ])
    expect((await caller.request('PATCH', path, setHeader('x-key', value))).body.error).toBe('invalid_body')
  for (const name of ['x-key\r\nx-other', 'x:key', 'x-kéy', 'a'.repeat(129)])
    expect((await caller.request('PATCH', path, setHeader(name))).body.error).toBe('invalid_body')
})

test('a field that every copy of an object loses is refused, also where it is the name of a header', async () => {
  const { caller, path } = await addWebhook()
  const body = '{"headers":{"__proto__":"x"}}'
  const whole = body.replace('{', '{"url":"https://receiver.example.com/a","events":"all",')
  for (const response of [
    await caller.post('/webhook', whole),
    await caller.post('/v1/webhooks', whole),
    await caller.request('PATCH', path, body),
    await caller.request('PATCH', path, body.replaceAll('__proto__', '\\u005f_proto\\u005F_')),
    await caller.post('/chat/find', '{"__proto__":{"unread":true}}'),
  ])
    expect([response.status, response.body.error]).toEqual([400, 'invalid_body'])
})

test('what is sent is shown, without the secret and the values of headers', async () => {
  const { caller, path, response } = await addWebhook({
    events: ['messages', 'contacts'],
    excludeMessages: 'fromMeYes',
    chats: ['+55 (11) 91000-0001', '5511910000001', '120363000000000001@g.us', 'groups', 'people'],
    headers: { Authorization: key, 'X-Shop': '7' },
    secret: SECRET,
    enabled: false,
  })
  const { webhook: shown } = response.body
  expect(shown).toMatchObject({
    url,
    events: ['messages'],
    ignoredEvents: ['contacts'],
    excludeMessages: ['fromMeYes'],
    chats: ['5511910000001@s.msgnet.net', '120363000000000001@g.us', 'groups', 'people'],
    headerNames: ['Authorization', 'X-Shop'],
    hasSecret: true,
    secretSealed: true,
    enabled: false,
    first: false,
    deliveryStatus: { paused: 'disabled', pending: 0, dead: 0 },
  })
  expect((await caller.get(path)).body.webhook).toEqual(shown)
  expect((await caller.get('/v1/webhooks')).body.webhooks).toEqual([shown])
})

test('secrets and values of headers are in no response, and sealed in the database', async () => {
  const { caller, path, response, instance } = await addWebhook({
    headers: { authorization: key },
    secret: SECRET,
  })
  await caller.post('/webhook', { ...webhook, headers: { authorization: key }, secret: SECRET })
  const texts = [response.text, (await caller.request('PATCH', path, { enabled: false })).text]
  for (const shown of [path, '/v1/webhooks', '/webhook', `${path}/errors`, '/v1/events'])
    texts.push((await caller.get(shown)).text)
  texts.push((await world.admin.get(`/v1/instances/${instance}`)).text)
  texts.push((await world.admin.get(`/v1/audit?target=${instance}`)).text)
  for (const text of texts) for (const hidden of [key, SECRET]) expect(text).not.toContain(hidden)
  const rows = await world.queryDatabase(
    `select hex(headers) as headers, hex(secret) as secret from webhooks where instance_id = '${instance}'`,
  )
  expect(rows).toHaveLength(2)
  for (const row of rows) {
    expect(String(row?.headers)).not.toContain(Buffer.from(key).toString('hex').toUpperCase())
    expect(String(row?.secret)).not.toContain(Buffer.from(SECRET).toString('hex').toUpperCase())
    expect(String(row?.headers).length).toBeGreaterThan(key.length)
  }
})

test('a change leaves what it does not name, and one that names nothing is 400', async () => {
  const { caller, path } = await addWebhook({
    headers: { 'x-key': '1' },
    chats: ['groups'],
    secret: 'of-eight',
  })
  for (const nothing of [{}, { other: 1 }])
    expect(await caller.request('PATCH', path, nothing)).toMatchObject({
      status: 400,
      body: {
        error: 'invalid_body',
        message: expect.stringMatching(/^The body must have one of url, events,/),
      },
    })
  const named = await caller.request('PATCH', path, { events: 'groups' })
  expect(named.body.webhook).toMatchObject({
    events: ['groups'],
    url,
    headerNames: ['x-key'],
    chats: ['groups'],
    hasSecret: true,
  })
  const cleared = await caller.request('PATCH', path, { headers: {}, chats: [], secret: '' })
  expect(cleared.body.webhook).toMatchObject({ headerNames: [], chats: null, hasSecret: false })
})

test('each route with an id: malformed 400, unknown 404, and that of another instance is unknown', async () => {
  const { id, caller: owner, path } = await addWebhook()
  const { caller } = await addWebhook()
  const before = (await owner.get(path)).body
  const codes = [
    ['not-an-id', 400, 'invalid_id'],
    [crypto.randomUUID(), 404, 'not_found'],
    [id, 404, 'not_found'],
  ] as const
  for (const [named, status, error] of codes)
    for (const response of [
      await caller.get(`/v1/webhooks/${named}`),
      await caller.request('PATCH', `/v1/webhooks/${named}`, { enabled: false }),
      await caller.request('DELETE', `/v1/webhooks/${named}`),
      await caller.post(`/v1/webhooks/${named}/test`),
      await caller.get(`/v1/webhooks/${named}/errors`),
    ])
      expect([named, response.status, response.body.error]).toEqual([named, status, error])
  const replay = (webhookId: string) => caller.post('/v1/events/replay', { webhookId, fromSeq: 1 })
  expect(await replay(id)).toMatchObject({ status: 404, body: { error: 'not_found' } })
  expect(await replay('not-an-id')).toMatchObject({ status: 400, body: { error: 'invalid_id' } })
  expect((await owner.get(path)).body).toEqual(before)
  expect((await owner.get(`/v1/webhooks/${id.toUpperCase()}`)).status).toBe(200)
})

test('adding with an Idempotency-Key adds one', async () => {
  const { caller } = await createDevice(world)
  const headers = { 'idempotency-key': 'add-it' }
  const added = await caller.post('/v1/webhooks', webhook, headers)
  const again = await caller.post('/v1/webhooks', webhook, headers)
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(again.body).toEqual(added.body)
  expect((await caller.get('/v1/webhooks')).body.webhooks).toHaveLength(1)
  const other = await caller.post('/v1/webhooks', { ...webhook, events: 'all' }, headers)
  expect(other).toMatchObject({ status: 422, body: { error: 'idempotency_mismatch' } })
})

test('four of ten that are added at once beside the first stay, and the others are 409', async () => {
  const { caller } = await createDevice(world)
  await caller.post('/webhook', webhook)
  const added = await Promise.all(Array.from({ length: 10 }, () => caller.post('/v1/webhooks', webhook)))
  const statuses = added.map(({ status }) => status).sort()
  expect(statuses).toEqual([...Array(4).fill(200), ...Array(6).fill(409)])
  expect(added.find(({ status }) => status === 409)?.body.error).toBe('too_many_webhooks')
  expect((await caller.get('/v1/webhooks')).body.webhooks).toHaveLength(5)
})

test('the first is listed, changed and removed by its id too, and /webhook speaks of it alone', async () => {
  const { caller, id } = await addWebhook()
  const first = (await caller.post('/webhook', { ...webhook, secret: SECRET, headers: { 'x-key': '1' } }))
    .body
  const path = `/v1/webhooks/${first.id}`
  const listed = (await caller.get('/v1/webhooks')).body.webhooks
  expect(listed.map((one: { id: string; first: boolean }) => [one.id, one.first])).toEqual([
    [first.id, true],
    [id, false],
  ])
  const changed = await caller.request('PATCH', path, { enabled: false })
  expect(changed.body.webhook).toMatchObject({ enabled: false, hasSecret: true, headerNames: ['x-key'] })
  expect((await caller.request('PATCH', path, { chats: ['groups'] })).body.webhook.chats).toEqual(['groups'])
  const shown = (await caller.get('/webhook')).body
  expect(shown).toMatchObject({ id: first.id, enabled: false })
  expect(shown.webhooks).toHaveLength(1)
  expect((await caller.request('DELETE', path)).body).toEqual({ success: true, deleted: true })
  expect((await caller.get('/webhook')).body).toMatchObject({ registered: false, webhooks: [] })
  expect((await caller.get(path)).status).toBe(404)
  expect((await caller.get('/v1/webhooks')).body.webhooks).toHaveLength(1)
})

test('the audit log has each addition, change and removal, and nothing for a change that changes nothing', async () => {
  const { caller, path, instance } = await addWebhook({ headers: { 'x-key': '1' }, secret: SECRET })
  const count = async () =>
    (await world.admin.get(`/v1/audit?target=${instance}&action=webhook.change`)).body.entries.length
  expect(await count()).toBe(1)
  const same = [
    { url },
    { enabled: true },
    { events: ['messages'], excludeMessages: null, chats: [] },
    { headers: { 'x-key': '1' } },
    { secret: SECRET },
  ]
  for (const change of same) expect((await caller.request('PATCH', path, change)).status).toBe(200)
  expect(await count()).toBe(1)
  const changes = [
    { enabled: false },
    { chats: ['people'] },
    { headers: { 'x-key': '2' } },
    { secret: 'another-secret' },
    { events: 'all' },
  ]
  for (const change of changes) expect((await caller.request('PATCH', path, change)).status).toBe(200)
  expect(await count()).toBe(1 + changes.length)
  await caller.request('DELETE', path)
  expect(await count()).toBe(2 + changes.length)
  await caller.request('DELETE', path)
  const listRefusals = () => world.admin.get(`/v1/audit?target=${instance}&outcome=not_found`)
  await until(async () => (await listRefusals()).body.entries.length === 1)
})

test('capabilities name them and their limits', async () => {
  const { capabilities, limits } = (await world.admin.get('/v1/capabilities')).body
  expect(capabilities.furtherWebhooks).toBe(true)
  expect(limits).toMatchObject({
    webhooks: 5,
    webhookChats: 100,
    webhookHeaders: 10,
    webhookHeaderLength: 1024,
  })
})
