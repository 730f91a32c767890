// Which tokens open which routes of the forms below prefixes: those of another instance, scoped ones, and an admin's.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tokenScopes } from '@msgnet/shared/contract/scoped-token.ts'
import { expect, test } from 'vitest'
import { borrowForFile } from '../borrowed-world.ts'
import { createPlainCaller } from '../caller.ts'
import { createDevice, createPhone, linkDevice } from '../device.ts'
import type { Seen } from '../scene.ts'
import { until } from '../until.ts'

const world = await borrowForFile({ DIALECTS: 'uazapi,evolution,cloud' })
const create = async (handle: string) => {
  const { body } = await world.admin.post('/instance/init', { name: handle, handle })
  const caller = createPlainCaller(world.run.baseUrl, { token: body.token })
  return linkDevice(world, { id: body.instance.id, token: body.token, caller })
}
const shop = await create('shop')
const other = await createDevice(world, 'other')
const friend = await createPhone(world, 'Ana')

async function createScoped(scope: string, chats?: string[]): Promise<string> {
  const asked = { name: scope, scope, ...(chats && { chats }) }
  return (await shop.caller.post('/instance/tokens', asked)).body.token
}
const credentials: Record<string, string> = {
  own: shop.token,
  "another instance's": other.token,
  'nobody has': 'mgi_nobody',
  admin: readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim(),
  'read of some chats': await createScoped('read', [friend]),
}
for (const scope of tokenScopes) credentials[scope] = await createScoped(scope)

interface Sample {
  method: 'GET' | 'POST' | 'DELETE'
  path: string
  body?: object
  /** Whose tokens it takes; to all others the answer is 403, and 401 to those that are not of the instance. */
  open: string[]
}
const readers = ['own', 'read', 'send', 'full', 'read of some chats']
const senders = ['own', 'send', 'full']
const owners = ['own', 'full']
const ownText = { number: friend, text: 'oi' }
const cloudText = { messaging_product: 'whatsapp', to: friend, type: 'text', text: { body: 'oi' } }

const forms: Record<string, { header: (token: string) => Record<string, string>; samples: Sample[] }> = {
  '/evolution': {
    header: (apikey) => ({ apikey }),
    samples: [
      { method: 'GET', path: '/instance/connectionState/shop', open: [...readers, 'admin'] },
      { method: 'POST', path: '/chat/findChats/shop', body: {}, open: [...readers, 'admin'] },
      { method: 'POST', path: '/message/sendText/shop', body: ownText, open: [...senders, 'admin'] },
      {
        method: 'POST',
        path: '/chat/updateProfileName/shop',
        body: { name: 'Shop' },
        open: [...owners, 'admin'],
      },
      { method: 'GET', path: '/webhook/find/shop', open: [...owners, 'admin'] },
    ],
  },
  '/graph': {
    header: (token) => ({ authorization: `Bearer ${token}` }),
    samples: [
      { method: 'GET', path: '/shop', open: [...readers, 'admin'] },
      { method: 'POST', path: '/shop/messages', body: cloudText, open: [...senders, 'admin'] },
      { method: 'GET', path: '/shop/subscribed_apps', open: [...owners, 'admin'] },
      { method: 'POST', path: '/shop/subscribed_apps', body: {}, open: [...owners, 'admin'] },
    ],
  },
  '/uazapi': {
    header: (token) => ({ token }),
    samples: [
      { method: 'GET', path: '/instance/status', open: [...readers, "another instance's"] },
      { method: 'POST', path: '/send/text', body: ownText, open: senders },
      { method: 'GET', path: '/webhook', open: [...owners, "another instance's"] },
    ],
  },
}

/** Where it is not 401: the Cloud API says of an object of others that it does not exist, and the other instance is not linked. */
const strangers: Record<string, Record<string, number>> = {
  '/graph': { "another instance's": 400 },
  '/uazapi': { "another instance's": 409 },
}

const rows = Object.entries(forms).flatMap(([prefix, { header, samples }]) =>
  samples.map((sample) => ({ prefix, header, ...sample })),
)
const isOfInstance = (name: string) => !["another instance's", 'nobody has', 'admin'].includes(name)

test.each(rows)('$method $prefix $path opens for the tokens that its calls take', async (row) => {
  const { prefix, header, method, path, body, open } = row
  for (const [name, token] of Object.entries(credentials)) {
    const { status, text } = await createPlainCaller(world.run.baseUrl + prefix, header(token)).request(
      method,
      path,
      body,
    )
    if (open.includes(name)) expect([name, status < 300 || text]).toEqual([name, true])
    else expect([name, status]).toEqual([name, isOfInstance(name) ? 403 : (strangers[prefix]?.[name] ?? 401)])
  }
})

test('a token of one form opens nothing of another instance by the route of another form', async () => {
  const asEvolution = createPlainCaller(`${world.run.baseUrl}/evolution`, { apikey: other.token })
  const asCloud = createPlainCaller(`${world.run.baseUrl}/graph`, { authorization: `Bearer ${other.token}` })
  expect((await asEvolution.get('/instance/connectionState/shop')).status).toBe(401)
  expect((await asEvolution.post('/message/sendText/shop', ownText)).status).toBe(401)
  expect((await asCloud.post('/shop/messages', cloudText)).status).toBe(400)
})

const strangeHeaders = Object.entries(forms).flatMap(([prefix, { samples }]) =>
  Object.entries(forms)
    .filter(([other]) => other !== prefix)
    .map(([other, { header }]) => ({ prefix, other, header, path: samples[0]?.path ?? '' })),
)

test.each(strangeHeaders)(
  "a token in the place of $other's is 401 at $prefix",
  async ({ prefix, header, path }) => {
    const caller = createPlainCaller(world.run.baseUrl + prefix, header(shop.token))
    expect((await caller.get(path)).status).toBe(401)
  },
)

const hidden = await createPhone(world, 'Hidden Person')
const some = { scope: 'send', chats: [friend] }
const cloud = (token: string) =>
  createPlainCaller(`${world.run.baseUrl}/graph`, { authorization: `Bearer ${token}` })
const upload = async (token: string, name: string): Promise<string> => {
  const form = new FormData()
  form.set('file', new Blob([`%PDF-1.4 ${name}`], { type: 'application/pdf' }), `${name}.pdf`)
  const headers = { authorization: `Bearer ${token}` }
  const stored = await fetch(`${world.run.baseUrl}/graph/shop/media`, { method: 'POST', headers, body: form })
  return ((await stored.json()) as { id: string }).id
}

test('an upload is there for the token that stored it, and for those of all chats', async () => {
  const [limited, another] = [
    await createScoped(some.scope, some.chats),
    await createScoped(some.scope, some.chats),
  ]
  const send = (token: string, id: string) =>
    cloud(token).post('/shop/messages', { to: friend, type: 'document', document: { id } })
  const ownId = await upload(shop.token, 'of-the-shop')
  const limitedId = await upload(limited, 'of-the-token')
  for (const [token, id] of [
    [limited, ownId],
    [another, limitedId],
    [credentials['read of some chats'] ?? '', ownId],
  ] as const) {
    expect((await cloud(token).get(`/${id}`)).body.error?.code).toBe(100)
    if (token === credentials['read of some chats']) continue
    expect((await send(token, id)).body.error?.code).toBe(100)
    expect((await cloud(token).delete(`/${id}`)).body.error?.code).toBe(100)
  }
  for (const [token, id] of [
    [limited, limitedId],
    [shop.token, limitedId],
    [credentials.send ?? '', ownId],
    [credentials.read ?? '', limitedId],
  ] as const)
    expect((await cloud(token).get(`/${id}`)).body).toMatchObject({ id, mime_type: 'application/pdf' })
  expect((await send(limited, limitedId)).status).toBe(200)
  expect((await cloud(limited).delete(`/${limitedId}`)).body).toEqual({ success: true })
})

interface Walk {
  ids: string[]
  bodies: object[]
  secrets: string[]
}

/** The routes whose responses have a secret, whichever of the ids is in their path, with each of the bodies. */
async function walk(token: string, { ids, bodies, secrets }: Walk): Promise<string[]> {
  const told = new Set<string>()
  for (const [prefix, { header }] of Object.entries(forms)) {
    const caller = createPlainCaller(world.run.baseUrl + prefix, header(token))
    const { paths } = (await caller.get('/openapi.json')).body as { paths: Record<string, Seen> }
    const ask = async (path: string, method: string, at: string, body: object | undefined) => {
      const { text } = await caller.request(method.toUpperCase(), at, body)
      if (secrets.some((one) => text.includes(one))) told.add(prefix + path)
    }
    for (const [path, operations] of Object.entries(paths)) {
      const named = path.replace(/\{(instance|pn|waba)\}/g, 'shop')
      const names = named.includes('{') ? ids : ['']
      const asked = Object.entries(operations).flatMap(([method, operation]) => {
        if (JSON.stringify(operation).includes('text/event-stream')) return []
        return names.flatMap((name) =>
          (method === 'get' ? [undefined] : bodies).map((body) =>
            ask(path, method, named.replace(/\{\w+\}/g, name), body),
          ),
        )
      })
      await Promise.all(asked)
    }
  }
  return [...told]
}

test('no route below a prefix shows or does anything in a chat that a token is not for', async () => {
  const words = 'hidden words'
  const id = String((await world.sim('POST', '/messages', { from: hidden, to: shop.number, text: words })).id)
  await until(async () => (await shop.caller.post('/message/find', { id })).body.messages?.length === 1)
  const uploadId = await upload(shop.token, 'hidden-paper')
  const jid = `${hidden}@s.whatsapp.net`
  const key = { id, remoteJid: jid, fromMe: false }
  const fields = {
    number: hidden,
    numbers: [hidden],
    to: hidden,
    chatid: jid,
    id: [id],
    messageid: id,
    message_id: id,
    key,
    message: { key },
    readMessages: [key],
    where: { key },
    type: 'text',
    text: 'an intrusion',
    reaction: '!',
    status: 'read',
    typing_indicator: { type: 'text' },
    presence: 'composing',
    delay: 0,
  }
  const ids = ['shop', id, uploadId]
  const bodies = [fields, { ...fields, id, status: undefined, text: { body: 'an intrusion' } }, {}]
  const secrets = [words, 'Hidden Person', (await cloud(shop.token).get(`/${uploadId}`)).body.sha256]
  const asked = { ids, bodies, secrets }
  expect(await walk(await createScoped(some.scope, some.chats), asked)).toEqual([])
  const { messages } = await world.sim('GET', `/phones/${hidden}/inbox`)
  expect(messages).toEqual([])
  const found = await shop.caller.post('/message/find', { id })
  expect(found.body.messages[0].status).not.toBe('Read')
  // With a token for all chats the same requests show them.
  const told = await walk(await createScoped('read'), asked)
  expect(told).toEqual(expect.arrayContaining(['/graph/{id}', '/evolution/chat/findMessages/{instance}']))
  expect(told).toContain('/uazapi/message/find')
})

test("a scoped token saves no webhook whose events show the instance's own token", async () => {
  const [full = '', own] = [credentials.full, shop.token]
  const url = 'https://hooks.example.com/shown'
  const plain = (token: string) => createPlainCaller(world.run.baseUrl, { token })
  const uazapi = createPlainCaller(`${world.run.baseUrl}/uazapi`, { token: full })
  const refusal = { status: 403, body: { error: 'not_admin', error_key: 'scope' } }
  const shown = { url, format: 'uazapi', enabled: true, events: ['messages'] }
  expect(await uazapi.post('/webhook', { url, enabled: true, events: ['messages'] })).toMatchObject({
    status: 403,
  })
  expect(await plain(full).post('/webhook', shown)).toMatchObject(refusal)
  expect(await plain(full).post('/v1/webhooks', shown)).toMatchObject(refusal)
  const { body } = await plain(own).post('/v1/webhooks', shown)
  const saved = `/v1/webhooks/${body.webhook.id}`
  expect(await plain(full).request('PATCH', saved, { url: `${url}-elsewhere` })).toMatchObject(refusal)
  expect(await plain(full).request('PATCH', saved, { enabled: false })).toMatchObject({ status: 200 })
  expect(await plain(full).request('PATCH', saved, { format: 'contract' })).toMatchObject({ status: 200 })
  expect(await plain(full).request('PATCH', saved, { format: 'uazapi' })).toMatchObject(refusal)
  expect(await plain(full).post('/v1/webhooks', { ...shown, format: 'contract' })).toMatchObject({
    status: 200,
  })
})
