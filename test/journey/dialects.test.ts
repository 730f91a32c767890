// DIALECTS: other forms of the API below prefixes of their own, beside the contract, on the same instances; each webhook in its form.

import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { createPlainCaller } from '../caller.ts'
import { createPhone, type LinkedDevice, linkDevice, SECRET } from '../device.ts'
import { listenAtReserved } from '../reserved-ports.ts'
import type { Seen } from '../scene.ts'
import { until } from '../until.ts'

interface Posted {
  path: string
  headers: Record<string, string | string[] | undefined>
  raw: string
  body: Seen
}

const posted: Posted[] = []
/** Paths that answer 500. */
const failing = new Set<string>()
/** The next request of this kind is answered 500. */
let isRefused: ((one: Posted) => boolean) | undefined
const server = createServer((request, response) => {
  const pieces: Buffer[] = []
  request.on('data', (piece) => pieces.push(piece))
  request.on('end', () => {
    const raw = Buffer.concat(pieces).toString()
    const path = request.url ?? ''
    const one = { path, headers: request.headers, raw, body: JSON.parse(raw) }
    posted.push(one)
    const fails = failing.has(path) || isRefused?.(one)
    if (fails) isRefused = undefined
    response.statusCode = fails ? 500 : 200
    response.end()
  })
})
const place = await listenAtReserved(server)
const handle = 'shop-1'
let world: BorrowedWorld
let token: string
let adminToken: string
let device: LinkedDevice
let friend: string

beforeAll(async () => {
  world = await borrowWorld({ DIALECTS: 'uazapi,cloud', INTERACTIVE: 'on' })
  adminToken = readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim()
  const { body } = await world.admin.post('/instance/init', { name: 'Shop', handle })
  token = body.token
  expect(body.instance).toMatchObject({ name: 'Shop', handle })
  const caller = createPlainCaller(world.run.baseUrl, { token })
  const events = ['messages', 'messages_update', 'messages_edit', 'connection']
  for (const format of ['contract', 'uazapi', 'cloud']) {
    const added = await caller.post('/v1/webhooks', {
      url: `http://${place}/${format}`,
      events,
      format,
      secret: SECRET,
    })
    expect(added.body.webhook).toMatchObject({ format })
  }
  device = await linkDevice(world, { id: body.instance.id, token, caller })
  friend = await createPhone(world, 'Ána')
})
afterAll(async () => {
  await world.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const below = (prefix: string, credential: Record<string, string>) =>
  createPlainCaller(`${world.run.baseUrl}${prefix}`, credential)
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })
const waitAt = (path: string, matches: (body: Seen) => boolean): Promise<Posted> =>
  until(() => posted.find((one) => one.path === path && matches(one.body)))
const readChange = (body: Seen) => body.entry?.[0].changes[0].value
const isText = (text: string) => (body: Seen) =>
  readChange(body)?.messages?.[0]?.text?.body === text || body.message?.text === text

test('a received text is the same event at webhooks of three forms, signed as each form is', async () => {
  await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'Olá 😀' })
  const [own, uazapi, cloud] = await Promise.all(
    ['/contract', '/uazapi', '/cloud'].map((path) => waitAt(path, isText('Olá 😀'))),
  )
  expect(own?.body.message).toMatchObject({ chatid: `${friend}@s.msgnet.net`, text: 'Olá 😀' })
  expect(own?.body).not.toHaveProperty('BaseUrl')
  expect(uazapi?.body.message).toMatchObject({ chatid: `${friend}@s.whatsapp.net` })
  expect(uazapi?.body).toHaveProperty('BaseUrl')
  for (const one of [own, uazapi]) expect(one?.headers['webhook-signature']).toMatch(/^v1,/)
  expect(cloud?.body).toEqual({
    object: 'whatsapp_business_account',
    entry: [{ id: handle, changes: [{ field: 'messages', value: expect.anything() }] }],
  })
  const value = readChange(cloud?.body)
  const person = { wa_id: friend, user_id: expect.stringMatching(/^BR\.\d+$/) }
  expect(value).toEqual({
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: device.number, phone_number_id: handle },
    contacts: [{ profile: { name: 'Ána' }, ...person }],
    messages: [
      {
        from: friend,
        from_user_id: value.contacts[0].user_id,
        id: `wamid.${own?.body.message.messageid}`,
        timestamp: String(Math.floor(own?.body.message.messageTimestamp / 1000)),
        type: 'text',
        text: { body: 'Olá 😀' },
      },
    ],
  })
  // Characters above ASCII are escaped, and these bytes are signed, by the secret as it was written.
  expect(cloud?.raw).toMatch(/^[ -~]+$/)
  const expected = createHmac('sha256', SECRET)
    .update(cloud?.raw ?? '')
    .digest('hex')
  expect(cloud?.headers['x-hub-signature-256']).toBe(`sha256=${expected}`)
  expect(cloud?.headers).not.toHaveProperty('webhook-signature')
  const ids = [own, uazapi, cloud].map((one) => one?.headers['webhook-id'])
  expect(new Set(ids).size).toBe(1)
})

test('a text is sent by each form, to the instance that the path or the token names', async () => {
  for (const name of [handle, device.id, device.number]) {
    const sent = await below('/graph/v23.0', bearer(token)).post(`/${name}/messages`, {
      messaging_product: 'whatsapp',
      to: `+${friend}`,
      type: 'text',
      text: { body: `by ${name}` },
    })
    expect(sent).toMatchObject({ status: 200 })
    expect(sent.body).toEqual({
      messaging_product: 'whatsapp',
      contacts: [{ input: `+${friend}`, wa_id: friend }],
      messages: [{ id: expect.stringMatching(/^wamid\.\w+$/), message_status: 'accepted' }],
    })
    const { id } = sent.body.messages[0]
    const update = await waitAt('/cloud', (body) => readChange(body).statuses?.[0].id === id)
    expect(readChange(update.body).statuses[0]).toMatchObject({ recipient_id: friend, status: 'sent' })
  }
  const sent = await below('/uazapi', { token }).post('/send/text', { number: friend, text: 'by uazapi' })
  expect(sent.body).toMatchObject({ chatid: `${friend}@s.whatsapp.net` })
  const own = await below('', { token }).post('/send/text', { number: friend, text: 'by the contract' })
  expect(own.body).toMatchObject({ chatid: `${friend}@s.msgnet.net` })
  const asAdmin = below('/graph', bearer(adminToken))
  const body = { to: friend, text: { body: 'by the admin' } }
  expect(await asAdmin.post(`/${handle}/messages`, body)).toMatchObject({ status: 200 })
  const inbox = await until(async () => {
    const { messages } = await world.sim('GET', `/phones/${friend}/inbox`)
    return (messages as Seen[]).some(({ text }) => text === 'by the admin') && (messages as Seen[])
  })
  expect(inbox.filter(({ text }) => text?.startsWith('by ')).length).toBe(6)
})

test('the same key sends once, and other content with it is refused', async () => {
  const caller = below('/graph', bearer(token))
  const key = { 'idempotency-key': crypto.randomUUID() }
  const body = { to: friend, type: 'text', text: { body: 'once' } }
  const first = await caller.post(`/${handle}/messages`, body, key)
  const again = await caller.post(`/${handle}/messages`, body, key)
  expect(again.body.messages[0].id).toBe(first.body.messages[0].id)
  const other = await caller.post(`/${handle}/messages`, { ...body, text: { body: 'twice' } }, key)
  expect(other.body.error).toMatchObject({ code: 131009 })
})

test('each form refuses in its own words', async () => {
  const send = (name: string, secret: string, body: object) =>
    below('/graph', bearer(secret)).post(`/${name}/messages`, body)
  const text = { to: friend, text: { body: 'never' } }
  const cases: [Promise<Seen>, number, number][] = [
    [send(handle, 'mgi_wrong', text), 401, 190],
    [send('another', token, text), 400, 100],
    [send('another', adminToken, text), 400, 100],
    [send(handle, token, { ...text, to: '12' }), 400, 131009],
    [send(handle, token, { text: text.text }), 400, 131008],
    [send(handle, token, { ...text, type: 'hologram' }), 400, 131051],
    [below('/graph', bearer(token)).get('/a/b/c'), 404, 2500],
  ]
  for (const [response, status, code] of cases) {
    const refused = await response
    expect([refused.status, refused.body.error?.code]).toEqual([status, code])
    expect(refused.body.error).toMatchObject({
      message: expect.stringContaining(`(#${code})`),
      type: 'OAuthException',
      error_data: { messaging_product: 'whatsapp', details: expect.any(String) },
      fbtrace_id: expect.any(String),
    })
  }
  const readDetails = async (headers: Record<string, string>, query = '') =>
    (await below('/graph', headers).post(`/${handle}/messages${query}`, text)).body.error.error_data.details
  expect(await readDetails({})).toBe('The header Authorization: Bearer is missing.')
  expect(await readDetails(bearer('mgi_no'))).toBe(
    'The token in the header Authorization: Bearer is not known.',
  )
  expect(await readDetails({}, '?access_token=no')).toBe(
    'The token in the parameter access_token is not known.',
  )
  expect((await below('/uazapi', {}).get('/instance/status')).body).toMatchObject({ error: 'unauthorized' })
  for (const path of ['/console', '/docs', '/mcp', '/health/live', '/v1/hosts', '/hosts/v1/link'])
    expect((await below('/uazapi', { admintoken: adminToken }).get(path)).status).toBe(404)
  expect((await below('/evolution', { token }).get('/instance/status')).status).toBe(404)
})

test('a QR code is an event of the form that has such events, and an edit two', async () => {
  const caller = below('', { token })
  const shown = posted.find(({ path, body }) => path === '/uazapi' && body.instance?.qrcode)
  expect(shown?.body).toMatchObject({ EventType: 'connection', instance: { status: 'connecting' } })
  expect(posted.some(({ path, body }) => path === '/contract' && body.eventId === shown?.body.eventId)).toBe(
    false,
  )
  const { messageid } = (await caller.post('/send/text', { number: friend, text: 'befor' })).body
  await waitAt('/uazapi', isText('befor'))
  await until(async () => {
    const { webhooks } = (await caller.get('/v1/webhooks')).body
    return webhooks.every(({ deliveryStatus }: Seen) => deliveryStatus.pending === 0)
  })
  failing.add('/uazapi')
  await caller.post('/message/edit', { id: messageid, text: 'before' })
  const isEdit = (body: Seen) => body.EventType === 'messages_edit' && body.event.messageid === messageid
  const edit = await waitAt('/uazapi', isEdit)
  await waitAt('/contract', isEdit)
  failing.delete('/uazapi')
  const result = await waitAt('/uazapi', (body) => body.message?.edited === messageid)
  const tries = posted.filter(({ path, body }) => path === '/uazapi' && isEdit(body))
  expect(tries.length).toBeGreaterThan(1)
  expect(new Set(tries.map(({ raw }) => raw)).size).toBe(1)
  expect(result.body.message).toMatchObject({ text: 'before' })
  expect(result.headers['webhook-id']).not.toBe(edit.headers['webhook-id'])
  // Both are one event, which a replay sends again, with the same ids and bytes.
  const { webhooks } = (await caller.get('/v1/webhooks')).body
  const webhook = webhooks.find(({ format }: Seen) => format === 'uazapi')
  const { length } = posted
  await caller.post('/v1/events/replay', { ids: [edit.body.eventId], webhookId: webhook.id })
  const again = await until(() => {
    const found = posted.slice(length).filter(({ path }) => path === '/uazapi')
    return found.length === 2 && found
  })
  expect(again.map(({ raw }) => raw)).toEqual([edit.raw, result.raw])
  expect(again.map(({ headers }) => headers['webhook-id'])).toEqual(
    [edit, result].map(({ headers }) => headers['webhook-id']),
  )
  expect((await below('', { token }).get(`/v1/events/${edit.body.eventId}`)).body.event).toMatchObject({
    type: 'messages_edit',
  })
})

test('if the second part of an event fails, it alone is sent again, with the same bytes', async () => {
  const caller = below('', { token })
  const { messageid } = (await caller.post('/send/text', { number: friend, text: 'one' })).body
  await waitAt('/uazapi', isText('one'))
  isRefused = ({ path, body }) => path === '/uazapi' && body.message?.edited === messageid
  const { length } = posted
  await caller.post('/message/edit', { id: messageid, text: 'two' })
  await caller.post('/send/text', { number: friend, text: 'three' })
  await waitAt('/uazapi', isText('three'))
  const own = posted.slice(length).filter(({ path }) => path === '/uazapi')
  const edits = own.filter(
    ({ body }) => body.event?.messageid === messageid && body.EventType === 'messages_edit',
  )
  const results = own.filter(({ body }) => body.message?.edited === messageid)
  expect([edits.length, results.length]).toEqual([1, 2])
  expect(results[1]?.raw).toBe(results[0]?.raw)
  expect(results[1]?.headers['webhook-id']).toBe(results[0]?.headers['webhook-id'])
  // What comes later is sent behind it.
  const place = (one: Posted | undefined) => own.indexOf(one as Posted)
  expect(place(results[1])).toBeLessThan(place(own.find(({ body }) => isText('three')(body))))
  const { event } = (await caller.get(`/v1/events/${edits[0]?.body.eventId}`)).body
  const { webhooks } = (await caller.get('/v1/webhooks')).body
  const { id } = webhooks.find(({ format }: Seen) => format === 'uazapi')
  const delivery = event.deliveries.find(({ webhookId }: Seen) => webhookId === id)
  expect(delivery).toMatchObject({ status: 'delivered', attempts: 2 })
})

test('another format is another destination: what waited for the one before is not sent to it', async () => {
  const caller = below('', { token })
  const url = `http://${place}/changes`
  const { webhook } = (await caller.post('/v1/webhooks', { url, events: ['messages'], enabled: false })).body
  await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'waits' })
  await until(async () => {
    const { webhooks } = (await caller.get('/v1/webhooks')).body
    return webhooks.find(({ id }: Seen) => id === webhook.id).deliveryStatus.pending === 1
  })
  const changed = await caller.request('PATCH', `/v1/webhooks/${webhook.id}`, {
    format: 'cloud',
    enabled: true,
  })
  expect(changed.body.webhook).toMatchObject({ format: 'cloud', deliveryStatus: { pending: 0, dead: 0 } })
  await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'comes' })
  await waitAt('/changes', isText('comes'))
  expect(posted.filter(({ path }) => path === '/changes').length).toBe(1)
  const refused = await caller.request('PATCH', `/v1/webhooks/${webhook.id}`, { format: 'evolution' })
  expect([refused.status, refused.body.error]).toEqual([400, 'invalid_body'])
  await caller.delete(`/v1/webhooks/${webhook.id}`)
})

test('a webhook that a form saves has that form, and one that the contract saves has its own', async () => {
  const { body } = await world.admin.post('/instance/init', { name: 'Other' })
  const uazapi = below('/uazapi', { token: body.token })
  await uazapi.post('/webhook', { url: `http://${place}/other`, events: ['messages'] })
  const own = below('', { token: body.token })
  expect((await own.get('/webhook')).body).toMatchObject({ format: 'uazapi' })
  const saved = await own.post('/webhook', {
    url: `http://${place}/other`,
    events: ['messages'],
    format: 'contract',
  })
  expect(saved.body).toMatchObject({ format: 'contract' })
  const test = await own.post('/webhook/test', {})
  expect(test.body).toMatchObject({ delivered: true })
})

test('a handle is of one instance, and capabilities list the forms', async () => {
  const taken = await world.admin.post('/instance/init', { name: 'Shop', handle })
  expect([taken.status, taken.body.error]).toEqual([409, 'handle_taken'])
  const wrong = await world.admin.post('/instance/init', { name: 'Shop', handle: 'two words' })
  expect([wrong.status, wrong.body.error]).toEqual([400, 'invalid_body'])
  const { capabilities } = (await world.admin.get('/v1/capabilities')).body
  expect(capabilities.dialects).toEqual(['uazapi', 'cloud'])
})
