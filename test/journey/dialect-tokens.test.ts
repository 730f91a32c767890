// Which tokens open which routes of the forms below prefixes: those of another instance, scoped ones, and an admin's.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tokenScopes } from '@msgnet/shared/contract/scoped-token.ts'
import { expect, test } from 'vitest'
import { borrowForFile } from '../borrowed-world.ts'
import { createPlainCaller } from '../caller.ts'
import { createDevice, createPhone, linkDevice } from '../device.ts'

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
  const inWrongHeader = createPlainCaller(`${world.run.baseUrl}/evolution`, { token: shop.token })
  expect((await inWrongHeader.get('/instance/connectionState/shop')).status).toBe(401)
})
