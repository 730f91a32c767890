// The form of Evolution below its prefix: whose key opens what, refusals, linking by a pairing code.

import { createHmac } from 'node:crypto'
import { audit } from '@msgnet/console/texts/en/audit-texts.ts'
import { audit as auditInSpanish } from '@msgnet/console/texts/es/audit-es.ts'
import { audit as auditInPortuguese } from '@msgnet/console/texts/pt-br/audit-pt-br.ts'
import { expect, test } from 'vitest'
import { createPhone } from '../device.ts'
import { borrowEvolution, NAME, nameIn, TOKEN, toOuter } from '../evolution-scene.ts'
import type { Seen } from '../scene.ts'
import { until } from '../until.ts'

const { world, adminKey, own, account, friend, created, place, posted, callAs, waitAt } =
  await borrowEvolution()

test('a key opens its own instance only, and only an admin creates or sees all', async () => {
  const second = await callAs(adminKey).post('/instance/create', { instanceName: 'second' })
  expect(second.body).toMatchObject({ hash: expect.stringMatching(/^mgi_/), instance: { status: 'close' } })
  const stranger = callAs(second.body.hash)
  const refused = [
    await stranger.get(nameIn('/instance/connectionState')),
    await stranger.post(nameIn('/message/sendText'), { number: friend, text: 'never' }),
    await stranger.delete(nameIn('/instance/delete')),
    await own.get(nameIn('/instance/connectionState', 'nowhere')),
    await own.post('/instance/create', { instanceName: 'third' }),
    await callAs('wrong').get('/instance/fetchInstances'),
    await callAs('').get('/instance/fetchInstances'),
  ]
  for (const { status, body } of refused)
    expect([status, body]).toEqual([
      401,
      { status: 401, error: 'Unauthorized', response: { message: 'Unauthorized' } },
    ])
  const visible = await own.get('/instance/fetchInstances')
  expect(visible.body).toEqual([
    expect.objectContaining({
      id: created.body.instance.instanceId,
      name: NAME,
      instanceName: NAME,
      connectionStatus: 'open',
      ownerJid: toOuter(account),
      token: null,
      integration: 'WHATSAPP-BAILEYS',
    }),
  ])
  const all = await callAs(adminKey).get('/instance/fetchInstances')
  expect(all.body.map(({ name }: Seen) => name)).toEqual(expect.arrayContaining([NAME, 'second']))
  const one = await callAs(adminKey).get('/instance/fetchInstances?instanceName=second')
  expect(one.body.map(({ name }: Seen) => name)).toEqual(['second'])
  expect((await callAs(adminKey).get('/instance/fetchInstances?instanceName=nowhere')).status).toBe(404)
  const gone = await callAs(second.body.hash).delete(nameIn('/instance/delete', 'second'))
  expect(gone.body).toEqual({ status: 'SUCCESS', error: false, response: { message: 'Instance deleted' } })
  expect((await callAs(adminKey).get(nameIn('/instance/connectionState', 'second'))).status).toBe(404)
})

const admin = callAs(adminKey)
const post = (body: object) => admin.post('/instance/create', { instanceName: 'never', ...body })
const text = (body: object) => own.post(nameIn('/message/sendText'), { number: friend, ...body })
const nobody = '5511000000099'
const absent = { jid: toOuter(nobody), exists: false, number: nobody }

/** Each with its status and the words of its error. */
const refusals: [() => Promise<Seen>, number, unknown][] = [
  [() => admin.get('/instance/connectionState/never'), 404, ['The "never" instance does not exist']],
  [() => own.get('/no/such/route'), 404, ['Cannot GET /no/such/route']],
  [() => text({}), 400, [['instance requires property "text"']]],
  [() => text({ text: 'x', number: nobody }), 400, [absent]],
  [() => own.get('/instance/connect/%zz'), 401, 'Unauthorized'],
  [() => post({ instanceName: '' }), 400, [['instance requires property "instanceName"']]],
  [() => post({ instanceName: 'a'.repeat(101) }), 400, [['instanceName must have at most 100 characters.']]],
  [() => post({ qrcode: true, number: '12' }), 400, [[expect.stringMatching(/^number must be /)]]],
  [
    () => own.get(`${nameIn('/instance/connect')}?number=12`),
    400,
    [[expect.stringMatching(/^number must /)]],
  ],
  [() => post({ instanceName: NAME }), 403, [`This name "${NAME}" is already in use.`]],
  [() => post({ token: 'short' }), 400, [[expect.stringContaining('instance.token must be 20')]]],
  [() => post({ token: TOKEN }), 400, [['instance.token is in use']]],
  [() => post({ token: adminKey }), 400, [['instance.token is in use']]],
  [() => post({ integration: 'WHATSAPP-BUSINESS' }), 400, [[expect.stringContaining('integration')]]],
  [() => post({ rejectCall: true }), 400, [[expect.stringContaining('rejectCall')]]],
  [() => post({ groupsIgnore: true }), 400, [[expect.stringContaining('groupsIgnore')]]],
  [() => post({ webhook: { url: 'http://10.1.2.3/x' } }), 400, [[expect.stringContaining('url')]]],
  [
    () => post({ webhook: { url: `http://${place}/x`, base64: true } }),
    400,
    [[expect.stringContaining('base64')]],
  ],
  [() => post({ proxyHost: '10.1.2.3', proxyPort: '80', proxyProtocol: 'ftp' }), 400, [[expect.anything()]]],
]
const titles: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
}

test('refusals are in the form and the words of Evolution, and leave nothing behind', async () => {
  for (const [request, status, message] of refusals) {
    const refused = await request()
    expect([refused.status, refused.body]).toEqual([
      status,
      { status, error: titles[status], response: { message } },
    ])
  }
  const { body } = await admin.get('/instance/fetchInstances')
  expect(body.some(({ name }: Seen) => name === 'never')).toBe(false)
})

test('an instance is linked by a pairing code, logged out and deleted', async () => {
  const made = await callAs(adminKey).post('/instance/create', {
    instanceName: 'paired',
    qrcode: true,
    number: await createPhone(world, 'Paired'),
  })
  expect(made.body.qrcode).toEqual({
    pairingCode: expect.stringMatching(/^[A-Z0-9]{8}$/),
    code: null,
    base64: null,
    count: 1,
  })
  const key = callAs(made.body.hash)
  const polled = await key.get(nameIn('/instance/connect', 'paired'))
  expect(polled.body.pairingCode).toBe(made.body.qrcode.pairingCode)
  const linked = await own.get(nameIn('/instance/connect'))
  expect(linked.body).toEqual({ instance: { instanceName: NAME, state: 'open' } })
  const out = await key.delete(nameIn('/instance/logout', 'paired'))
  expect(out.body).toEqual({ status: 'SUCCESS', error: false, response: { message: 'Instance logged out' } })
  expect((await key.get(nameIn('/instance/connectionState', 'paired'))).body.instance.state).toBe('close')
  expect((await key.delete(nameIn('/instance/delete', 'paired'))).status).toBe(200)
})

test('of creations at once with one key or one name, one is done, and the others are refused', async () => {
  const ask = (bodies: object[]) => Promise.all(bodies.map((body) => admin.post('/instance/create', body)))
  const six = Array.from({ length: 6 }, (_, place) => place)
  const token = 'a-key-that-many-ask-for-at-once'
  const byKey = await ask(six.map((place) => ({ instanceName: `key ${place}`, token })))
  expect(byKey.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400, 400])
  for (const { status, body } of byKey)
    if (status === 400) expect(body.response.message).toEqual([[expect.stringContaining('token is in use')]])
  const byName = await ask(six.map(() => ({ instanceName: 'one name' })))
  expect(byName.map(({ status }) => status).sort()).toEqual([201, 403, 403, 403, 403, 403])
})

test('an instance is reached by the name that its caller chose, whatever that is', async () => {
  for (const name of ['.', '..', 'a/b', '%2e', 'create', '😀']) {
    const made = await admin.post('/instance/create', { instanceName: name })
    expect([name, made.status]).toEqual([name, 201])
    const path = name.startsWith('.') ? made.body.instance.instanceId : encodeURIComponent(name)
    const state = await callAs(made.body.hash).get(`/instance/connectionState/${path}`)
    expect([name, state.body.instance]).toEqual([name, { instanceName: name, state: 'close' }])
    expect((await callAs(made.body.hash).delete(`/instance/delete/${path}`)).status).toBe(200)
  }
  for (const handle of ['.', '..'])
    expect((await world.admin.post('/instance/init', { name: 'dots', handle })).status).toBe(400)
})

test('a key with the form of a scoped token cannot be chosen', async () => {
  const refused = await post({ token: `mgs_${'a'.repeat(43)}` })
  expect([refused.status, refused.body.response.message]).toEqual([400, [[expect.stringContaining('token')]]])
})

test('settings are choices of the webhook, and stay when its URL is set again', async () => {
  const set = await own.post(nameIn('/settings/set'), { groupsIgnore: true, syncFullHistory: true })
  expect(set.status).toBe(201)
  const webhook = { url: `http://${place}/hook` }
  expect((await own.post(nameIn('/webhook/set'), { webhook })).status).toBe(201)
  const found = await own.get(nameIn('/settings/find'))
  expect(found.body).toMatchObject({ groupsIgnore: true, syncFullHistory: true, rejectCall: false })
  expect((await own.post(nameIn('/settings/set'), { alwaysOnline: true })).status).toBe(400)
})

/** The claims of a token of HS256; undefined if this key has not signed it. */
function openJwt(token: string, key: string): Seen | undefined {
  const [head = '', claims = '', signature] = token.split('.')
  if (createHmac('sha256', key).update(`${head}.${claims}`).digest('base64url') !== signature)
    return undefined
  expect(JSON.parse(String(Buffer.from(head, 'base64url')))).toEqual({ alg: 'HS256', typ: 'JWT' })
  return JSON.parse(String(Buffer.from(claims, 'base64url')))
}

test('a webhook with jwt_key has a token that its key opens, and never the key itself', async () => {
  const key = 'the key of the receiver'
  const url = `http://${place}/jwt`
  const headers = { jwt_key: key, 'x-shop': 'two' }
  expect((await own.post(nameIn('/webhook/set'), { webhook: { url, headers } })).status).toBe(201)
  await own.post(nameIn('/message/sendText'), { number: friend, text: 'signed' })
  const at = Date.now() / 1000
  const got = await waitAt('/jwt', ({ data }) => data.message?.conversation === 'signed')
  const [, token = ''] = String(got.headers.authorization).split('Bearer ')
  const claims = openJwt(token, key)
  expect(claims).toEqual({
    iat: expect.any(Number),
    exp: claims?.iat + 600,
    app: 'evolution',
    action: 'webhook',
  })
  expect(Math.abs(claims?.iat - at)).toBeLessThan(60)
  expect(openJwt(token, 'another key')).toBeUndefined()
  expect(got.headers).toMatchObject({ 'x-shop': 'two' })
  expect(JSON.stringify(posted)).not.toContain(key)
  expect((await own.post(nameIn('/webhook/set'), { webhook: { url, headers: {} } })).status).toBe(201)
  await own.post(nameIn('/message/sendText'), { number: friend, text: 'unsigned' })
  const plain = await waitAt('/jwt', ({ data }) => data.message?.conversation === 'unsigned')
  expect(plain.headers).not.toHaveProperty('authorization')
})

test('a response with a token, or with a code that links a device, is no-store', async () => {
  const named = { instanceName: 'not stored' }
  const made = await admin.post('/instance/create', named)
  const show = () => admin.get(nameIn('/instance/connect', 'not stored'))
  const [first, again] = [await show(), await show()]
  const linking = await admin.post('/instance/create', { instanceName: 'not stored either', qrcode: true })
  const codes = [first.body, again.body, linking.body.qrcode].map(({ code }) => code)
  expect(codes).toEqual(Array(3).fill(expect.any(String)))
  expect([made, first, again, linking].map(({ headers }) => headers.get('cache-control'))).toEqual(
    Array(4).fill('no-store'),
  )
})

test('a proxy is set, found with its credential masked, and turned off', async () => {
  const made = await admin.post('/instance/create', {
    instanceName: 'behind a proxy',
    proxyHost: 'proxy.example',
    proxyPort: '8080',
    proxyUsername: 'shop',
    proxyPassword: 'hidden',
  })
  const key = callAs(made.body.hash)
  const find = () => key.get(nameIn('/proxy/find', 'behind a proxy'))
  const found = await find()
  expect(found.body).toMatchObject({ enabled: true, host: 'proxy.example', port: '8080', protocol: 'http' })
  expect(found.text).not.toContain('hidden')
  const usual = { enabled: true, host: 'proxy.example', port: '80', protocol: 'http' }
  await key.post(nameIn('/proxy/set', 'behind a proxy'), usual)
  expect((await find()).body).toMatchObject(usual)
  expect((await key.post(nameIn('/proxy/set', 'behind a proxy'), { enabled: false })).status).toBe(201)
  expect((await find()).text).toBe('null')
})

test('settings and a proxy are answered with the name that leads to the instance', async () => {
  const handle = `desk-${crypto.randomUUID()}`
  await world.admin.post('/instance/init', { name: 'Front desk', handle })
  const settings = await admin.post(nameIn('/settings/set', handle), { groupsIgnore: false })
  const proxy = await admin.post(nameIn('/proxy/set', handle), { enabled: false })
  const state = await admin.get(nameIn('/instance/connectionState', handle))
  expect([settings.body.settings, proxy.body.proxy, state.body.instance]).toEqual(
    Array(3).fill(expect.objectContaining({ instanceName: handle })),
  )
})

test('what an admin does by this form is in the audit log as the operation of the contract, in words of each language', async () => {
  const asked: [method: string, path: string, body: object, operation: string][] = [
    ['POST', '/message/sendText', { number: friend, text: 'oi' }, 'sendText'],
    [
      'POST',
      '/message/sendPoll',
      { number: friend, name: 'a?', selectableCount: 1, values: ['a', 'b'] },
      'sendMenu',
    ],
    ['POST', '/chat/sendPresence', { number: friend, presence: 'composing', delay: 1 }, 'showPresence'],
    ['POST', '/chat/updateBlockStatus', { number: friend, status: 'block' }, 'blockPerson'],
    ['POST', '/chat/updateBlockStatus', { number: friend, status: 'unblock' }, 'blockPerson'],
    ['POST', '/group/create', { subject: 'Team', participants: [friend] }, 'createGroup'],
    ['POST', '/chat/updateProfileName', { name: 'Shop' }, 'profile.name'],
  ]
  for (const [method, path, body, operation] of asked) {
    const requestId = crypto.randomUUID()
    const { status } = await admin.request(method, nameIn(path), body, { 'x-request-id': requestId })
    expect([path, status < 300]).toEqual([path, true])
    const entry: Seen = await until(async () => {
      const { entries } = (await world.admin.get(`/v1/audit?requestId=${requestId}`)).body
      return entries.find(({ action }: Seen) => action === operation || action.endsWith(`.${operation}`))
    })
    for (const words of [audit, auditInSpanish, auditInPortuguese] as Seen[])
      expect([operation, words.uses[operation] ?? words.actions[entry.action]]).toEqual([
        operation,
        expect.any(String),
      ])
  }
})
