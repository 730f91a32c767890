// COMPATIBILITY=uazapi: requests as those clients make them, and every field that they read of answers, the stream and the list.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connectInstance } from '@msgnet/client/client.ts'
import { afterAll, expect, test } from 'vitest'
import { createCaller, createPlainCaller } from '../caller.ts'
import { createPhone, linkDevice } from '../device.ts'
import type { Seen } from '../scene.ts'
import { until } from '../until.ts'
import { startWorld } from '../world.ts'

const env: Record<string, string> = { COMPATIBILITY: 'uazapi' }
const world = await startWorld(env)
afterAll(() => world.close())

const ADMIN = readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim()
/** They put the token into the query, and know no header. */
const createBareCaller = () => createPlainCaller(world.run.baseUrl, {})
const toDialectJid = (number: string) => `${number}@s.whatsapp.net`
const createInstance = async (name: string): Promise<Seen> =>
  (await createBareCaller().post(`/instance/create?admintoken=${ADMIN}`, { name })).body
const findListed = async (token = ADMIN, id = ''): Promise<Seen> =>
  ((await createBareCaller().get(`/instance/all?admintoken=${token}`)).body as Seen[]).find(
    (one) => one.id === id,
  )

const made = await createInstance('Shop')
const { token } = made
const { number } = await linkDevice(world, {
  id: made.instance.id,
  token,
  caller: createPlainCaller(world.run.baseUrl, { token }),
})
const postRequest = (path: string, body: object) => createBareCaller().post(`${path}?token=${token}`, body)

test('the start logs in one line what this mode gives up', () => {
  const lines = world
    .readOutput()
    .split('\n')
    .filter((line) => line.includes('COMPATIBILITY=uazapi is less safe'))
  expect(lines).toHaveLength(1)
})

test('a file in base64 is sent as it is read, and not put together before', async () => {
  const friend = await createPhone(world)
  const file = Buffer.alloc(300_000, 'file').toString('base64')
  const sent = await postRequest('/send/media', { number: friend, type: 'document', file, docName: 'a.bin' })
  const { headers, body } = await postRequest('/message/download', { id: sent.body.id, return_base64: true })
  expect(body.base64Data).toBe(file)
  expect(headers.get('transfer-encoding')).toBe('chunked')
  expect(headers.get('content-length')).toBeNull()
})

test('the list contains the tokens for those who may renew them, and is not cached', async () => {
  const { headers } = await createBareCaller().get(`/instance/all?admintoken=${ADMIN}`)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(await findListed(ADMIN, made.instance.id)).toMatchObject({ name: 'Shop', token })
  const { body } = await world.admin.post('/v1/tokens', { name: 'Dashboard', scope: 'read' })
  expect((await findListed(body.token, made.instance.id)).token).toBe('')
})

test('a renewed token is the one in the list, and a token that is not stored is the empty text', async () => {
  const { instance } = await createInstance('Renewed')
  await world.queryDatabase(`DELETE FROM instance_tokens WHERE instance_id = '${instance.id}'`)
  expect((await findListed(ADMIN, instance.id)).token).toBe('')
  const { body } = await createBareCaller().post(`/v1/instances/${instance.id}/token?admintoken=${ADMIN}`)
  expect((await findListed(ADMIN, instance.id)).token).toBe(body.token)
})

test('the fields that programs keep with an instance are shown with it, and changed by the admin alone', async () => {
  const kept = { adminField01: 'customer-7', adminField02: '42', systemName: 'crm' }
  const body = { name: 'Kept', ...kept, adminField02: 42 }
  const key = { 'idempotency-key': crypto.randomUUID() }
  const create = () => createBareCaller().post(`/instance/init?admintoken=${ADMIN}`, body, key)
  const { instance, token: own } = (await create()).body
  expect(instance).toMatchObject({ name: 'Kept', ...kept })
  expect((await create()).body.instance).toEqual(instance)
  const { id } = instance
  expect((await createBareCaller().get(`/instance/status?token=${own}`)).body.instance).toMatchObject(kept)
  expect(await findListed(ADMIN, id)).toMatchObject({ ...kept, created: instance.createdAt })
  expect(await findListed(ADMIN, made.instance.id)).toMatchObject({ adminField01: '', systemName: '' })

  const update = (fields: object, query = `admintoken=${ADMIN}`) =>
    createBareCaller().post(`/instance/updateAdminFields?${query}`, { id, ...fields })
  const changed = { ...kept, adminField01: 'customer-8', adminField02: '' }
  expect((await update({ adminField01: 'customer-8', adminField02: '' })).body).toMatchObject({
    id,
    ...changed,
  })
  expect(await findListed(ADMIN, id)).toMatchObject(changed)
  expect((await update({ adminField01: 'x' }, `token=${own}`)).status).toBe(401)
  expect((await update({ adminField01: 'x'.repeat(1001) })).status).toBe(400)
  expect((await update({ id: crypto.randomUUID() })).status).toBe(404)
  const renamed = await createBareCaller().post(`/instance/updateInstanceName?token=${own}`, { name: 'New' })
  expect(renamed.body).toMatchObject({ name: 'New', ...changed })
  await createBareCaller().request('DELETE', `/instance?token=${own}`)
  expect(await world.queryDatabase(`SELECT 1 FROM instance_fields WHERE instance_id = '${id}'`)).toEqual([])
})

test('what was done is said although the fields that programs keep cannot be read', async () => {
  await world.queryDatabase('alter table instance_fields rename to unreadable')
  try {
    const { status, body } = await createBareCaller().post(`/instance/init?admintoken=${ADMIN}`, {
      name: 'Done',
    })
    expect([status, body.instance?.name]).toEqual([200, 'Done'])
  } finally {
    await world.queryDatabase('alter table unreadable rename to instance_fields')
  }
})

test('tokens of the query are in no log and in no table', async () => {
  const readLog = () => readFileSync(join(world.dataDir, 'logs', 'edge.log'), 'utf8')
  await createBareCaller().get(`/no/such/route?token=${token}&admintoken=${ADMIN}`)
  await createBareCaller().get(`/instance/all?admintoken=${ADMIN}&token=${token}`)
  await createBareCaller().get(`/instance/status?token=${token}`, { 'x-request-id': 'the-last-of-these' })
  await until(() => readLog().includes('the-last-of-these'))
  expect([readLog().includes(token), readLog().includes(ADMIN)]).toEqual([false, false])
  const rows = await world.queryDatabase('SELECT hex(token) AS token FROM instance_tokens')
  expect(rows.length).toBeGreaterThan(0)
  const plain = Buffer.from(token).toString('hex').toUpperCase()
  expect(rows.filter((row) => String(row.token).includes(plain))).toEqual([])
})

test('a token that is sent twice or in a wrong form is ignored', async () => {
  const responses = [
    await createBareCaller().get(`/instance/status?token=${token}&token=${token}`),
    await createBareCaller().get('/instance/status?token=nobody'),
    await createBareCaller().get('/instance/status?token=a%0Ab'),
    await createPlainCaller(world.run.baseUrl, { token: 'wrong' }).get(`/instance/status?token=${token}`),
  ]
  expect(responses.map(({ status }) => status)).toEqual([401, 401, 401, 401])
})

test.each(['/health/live', '/health/ready', '/', '/instance/status', '/nowhere'])(
  'HEAD %s is answered',
  async (path) => {
    const [whole, head] = [
      await fetch(world.run.baseUrl + path),
      await fetch(world.run.baseUrl + path, { method: 'HEAD' }),
    ]
    expect(head.status).toBe(whole.status)
    expect(head.headers.get('x-request-id')).toBeTruthy()
    expect(await head.text()).toBe('')
    await whole.body?.cancel()
  },
)

test('an instance is not connected before it is logged in, whatever the state of its socket', async () => {
  const { instance, token: fresh } = await createInstance('Waiting')
  await createBareCaller().post(`/instance/connect?token=${fresh}`, {})
  const readStatus = async () => (await createBareCaller().get(`/instance/status?token=${fresh}`)).body
  const waiting = await until(async () => {
    const now = await readStatus()
    return now.instance.qrcode ? now : undefined
  })
  expect(waiting).toMatchObject({
    connected: false,
    loggedIn: false,
    status: { connected: false, jid: null },
  })
  expect(waiting.instance.id).toBe(instance.id)
  const linked = (await createBareCaller().get(`/instance/status?token=${token}`)).body
  expect(linked).toMatchObject({
    connected: true,
    loggedIn: true,
    jid: toDialectJid(number),
    status: { connected: true, jid: { user: number, server: 's.whatsapp.net' } },
  })
})

test('records have ids with the ending of the network and capitalized kinds, and texts of people stay unchanged', async () => {
  const friend = await createPhone(world)
  const text = `${friend}@s.msgnet.net`
  const { status, body } = await postRequest('/send/text', {
    number: toDialectJid(friend),
    text,
    mentions: toDialectJid(friend),
  })
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body).toMatchObject({
    chatid: toDialectJid(friend),
    sender: toDialectJid(number),
    sender_pn: toDialectJid(number),
    text,
    content: { text, contextInfo: { mentionedJID: [toDialectJid(friend)] } },
  })
  expect(body.messageType).toMatch(/^[A-Z][A-Za-z]+$/)
  const { messages } = (await postRequest('/message/find', { chatid: toDialectJid(friend) })).body
  expect(messages).toMatchObject([{ messageid: body.messageid, chatid: toDialectJid(friend) }])
  const [chat] = (await postRequest('/chat/find', { wa_chatid: toDialectJid(friend) })).body.chats
  expect(chat).toMatchObject({
    wa_chatid: toDialectJid(friend),
    wa_fastid: `${number}:${friend}`,
    phone: `+${friend}`,
  })
  const [check] = (await postRequest('/chat/check', { numbers: [friend] })).body
  expect(check).toMatchObject({ query: friend, jid: toDialectJid(friend), isInWhatsapp: true })
  expect(Object.keys(check)).not.toContain('isInMsgnet')
})

test('what COMPATIBILITY=tolerant accepts is accepted here too, and answered in this dialect', async () => {
  const friend = await createPhone(world)
  const sent = await postRequest('/send/text', { number: `${friend}@c.us`, text: 'hello' })
  expect([sent.status, sent.body.chatid]).toEqual([200, toDialectJid(friend)])
  const found = await postRequest('/message/find', { chatid: `${friend}@c.us`, limit: 500 })
  expect(found.body).toMatchObject({ limit: 100, returnedMessages: 1, messages: [{ text: 'hello' }] })
  const group = await postRequest('/group/create', { name: 'Open', participants: [`${friend}@c.us`] })
  const invited = await createBareCaller().get(`/group/invitelink/${group.body.JID}?token=${token}`)
  expect([invited.status, invited.body.inviteLink]).toEqual([200, expect.stringMatching(/^https:/)])
  const reset = await postRequest('/instance/reset', {})
  expect([reset.status, reset.body.jid]).toEqual([200, toDialectJid(number)])
  await until(async () => (await createBareCaller().get(`/instance/status?token=${token}`)).body.loggedIn)
})

test('groups are paged and searched by name, and name members with the ids of the network', async () => {
  const friend = await createPhone(world)
  const { body } = await postRequest('/group/create', {
    name: 'Red shop',
    participants: [toDialectJid(friend)],
  })
  expect(body.Participants.map(({ PhoneNumber }: Seen) => PhoneNumber).sort()).toEqual(
    [toDialectJid(friend), toDialectJid(number)].sort(),
  )
  await postRequest('/group/create', { name: 'Blue shop', participants: [toDialectJid(friend)] })
  const page = (await postRequest('/group/list', { limit: 1, offset: 1, search: 'SHOP' })).body
  expect(page.groups).toHaveLength(1)
  expect(page.pagination).toMatchObject({ totalRecords: 2, currentPage: 2, hasNextPage: false, limit: 1 })
  const second = (await postRequest('/group/list', { page: 2, pageSize: 1, search: 'SHOP' })).body
  expect(second).toEqual(page)
  const red = (await postRequest('/group/list', { search: 'red', noParticipants: true, force: false })).body
  expect(red.groups).toMatchObject([{ JID: body.JID, Name: 'Red shop', Participants: [] }])
  expect((await postRequest('/group/list', { limit: 0 })).status).toBe(400)
  expect((await createBareCaller().post('/group/list', {})).status).toBe(401)
})

test('a caller may request the words of the contract', async () => {
  const profile = { accept: 'application/json;profile=contract' }
  const caller = createCaller(world.run.baseUrl, { token })
  expect((await caller.get('/webhook', profile)).body).toMatchObject({ registered: false, webhooks: [] })
  expect((await caller.get('/instance/status', profile)).body.jid).toBe(`${number}@s.msgnet.net`)
  const [first] = (await world.admin.get('/instance/all', profile)).body
  expect(Object.keys(first)).not.toContain('token')
})

test('the document of this mode has its ids, its routes and records, and the tokens of the query', async () => {
  const { status, body: document, text } = await createBareCaller().get('/openapi.json')
  expect([status, document.openapi]).toEqual([200, '3.1.1'])
  const { paths, components } = document
  expect(text).not.toContain('@s.msgnet.net')
  expect(JSON.stringify(components.schemas.NumberCheck)).toContain('isInWhatsapp')
  const pattern = new RegExp(components.schemas.SendText.properties.number.pattern, 'u')
  for (const id of [toDialectJid(number), `${number}@c.us`, number]) expect(id).toMatch(pattern)
  expect(components.securitySchemes.instanceInQuery).toMatchObject({ in: 'query', name: 'token' })
  expect(paths['/instance/status'].get.security).toContainEqual({ instanceInQuery: [] })
  expect(paths['/instance/init'].post.security).toContainEqual({ adminInQuery: ['operate'] })
  expect(document.info.description).not.toContain('no query parameter')

  const [record] = (await postRequest('/webhook', { url: 'https://hooks.example.com/a', events: 'messages' }))
    .body
  expect(Object.keys(record).sort()).toEqual(components.schemas.FamilyWebhook.required.toSorted())
  await postRequest('/webhook', { action: 'delete', id: record.id })
  const operations = Object.values(paths as Seen).flatMap((one) => Object.values(one as Seen)) as Seen[]
  const ids = operations.map(({ operationId }) => operationId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g))
    expect(Object.keys(components.schemas)).toContain(name)
  for (const [path = '', written = path] of [
    ['/globalwebhook'],
    ['/instance/wa_messages_limits'],
    ['/webhook/errors'],
    ['/group/invitelink/1', '/group/invitelink/{groupjid}'],
    ['/sse'],
  ]) {
    expect(paths[written].get.summary).not.toBe('')
    expect([path, (await createBareCaller().get(path)).status]).toEqual([path, 401])
  }
  const profile = { accept: 'application/json;profile=contract' }
  expect((await createBareCaller().get('/openapi.json', profile)).body.paths).not.toHaveProperty('/sse')
})

test('the typed client reads responses and the stream in the words of the contract', async () => {
  const client = connectInstance({ baseUrl: world.run.baseUrl, token })
  expect((await client.status()).jid).toBe(`${number}@s.msgnet.net`)
  expect((await client.webhook.show()).registered).toBe(false)
  const leave = new AbortController()
  for await (const envelope of await client.stream({ after: 0, signal: leave.signal })) {
    expect(envelope).toMatchObject({ EventType: expect.any(String), instanceId: made.instance.id })
    expect(Object.keys(envelope)).not.toContain('token')
    break
  }
  leave.abort()
})

test('no token is stored once the mode is off again', async () => {
  env.COMPATIBILITY = 'off'
  await world.killAndRestart()
  await until(async () => (await world.queryDatabase('SELECT 1 FROM instance_tokens')).length === 0)
  expect(world.readOutput()).not.toContain('is less safe')
  expect((await createBareCaller().get(`/instance/status?token=${token}`)).status).toBe(401)
  expect((await world.callAs(token).get('/webhook')).body.registered).toBe(false)
})
