// COMPATIBILITY=uazapi: requests as those clients make them, and every field that they read of answers, the stream and the list.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { connectInstance } from '../../client/client.ts'
import { makeCaller, plainCaller } from '../caller.ts'
import { link, makePhone } from '../device.ts'
import type { Seen } from '../scene.ts'
import { until } from '../until.ts'
import { startWorld } from '../world.ts'

const env: Record<string, string> = { COMPATIBILITY: 'uazapi' }
const world = await startWorld(env)
afterAll(() => world.close())

const ADMIN = readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim()
/** They put the token into the query, and know no header. */
const bare = () => plainCaller(world.run.baseUrl, {})
const theirs = (number: string) => `${number}@s.whatsapp.net`
const make = async (name: string): Promise<Seen> =>
  (await bare().post(`/instance/create?admintoken=${ADMIN}`, { name })).body
const listed = async (token = ADMIN, id = ''): Promise<Seen> =>
  ((await bare().get(`/instance/all?admintoken=${token}`)).body as Seen[]).find((one) => one.id === id)

const made = await make('Shop')
const { token } = made
const { number } = await link(world, {
  ...{ id: made.instance.id, token },
  caller: plainCaller(world.run.baseUrl, { token }),
})
const ask = (path: string, body: object) => bare().post(`${path}?token=${token}`, body)

test('the start says in one line what is given up', () => {
  const lines = world
    .printed()
    .split('\n')
    .filter((line) => line.includes('COMPATIBILITY=uazapi gives up'))
  expect(lines).toHaveLength(1)
})

test('the list tells the tokens, to those who may renew them, and nobody keeps the answer', async () => {
  const { headers } = await bare().get(`/instance/all?admintoken=${ADMIN}`)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(await listed(ADMIN, made.instance.id)).toMatchObject({ name: 'Shop', token })
  const { body } = await world.admin.post('/v1/tokens', { name: 'Dashboard', scope: 'read' })
  expect((await listed(body.token, made.instance.id)).token).toBe('')
})

test('a token that is renewed is the one in the list, and one that is not kept is the empty text', async () => {
  const { instance } = await make('Renewed')
  await world.database(`DELETE FROM instance_tokens WHERE instance_id = '${instance.id}'`)
  expect((await listed(ADMIN, instance.id)).token).toBe('')
  const { body } = await bare().post(`/v1/instances/${instance.id}/token?admintoken=${ADMIN}`)
  expect((await listed(ADMIN, instance.id)).token).toBe(body.token)
})

test('tokens of the query are in no log and in no table', async () => {
  const log = () => readFileSync(join(world.dataDir, 'logs', 'edge.log'), 'utf8')
  await bare().get(`/no/such/route?token=${token}&admintoken=${ADMIN}`)
  await bare().get(`/instance/all?admintoken=${ADMIN}&token=${token}`)
  await bare().get(`/instance/status?token=${token}`, { 'x-request-id': 'the-last-of-these' })
  await until(() => log().includes('the-last-of-these'))
  expect([log().includes(token), log().includes(ADMIN)]).toEqual([false, false])
  const rows = await world.database('SELECT hex(token) AS token FROM instance_tokens')
  expect(rows.length).toBeGreaterThan(0)
  const plain = Buffer.from(token).toString('hex').toUpperCase()
  expect(rows.filter((row) => String(row.token).includes(plain))).toEqual([])
})

test('a token that is given twice, or wrongly, is none', async () => {
  const answers = [
    await bare().get(`/instance/status?token=${token}&token=${token}`),
    await bare().get('/instance/status?token=nobody'),
    await bare().get('/instance/status?token=a%0Ab'),
    await plainCaller(world.run.baseUrl, { token: 'wrong' }).get(`/instance/status?token=${token}`),
  ]
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401])
})

test.each(['/health/live', '/health/ready', '/', '/instance/status', '/nowhere'])(
  'who asks for the head only, as of %s, has it',
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

test('it is not connected before it is logged in, whatever the socket is', async () => {
  const { instance, token: fresh } = await make('Waiting')
  await bare().post(`/instance/connect?token=${fresh}`, {})
  const status = async () => (await bare().get(`/instance/status?token=${fresh}`)).body
  const waiting = await until(async () => {
    const now = await status()
    return now.instance.qrcode ? now : undefined
  })
  expect(waiting).toMatchObject({
    connected: false,
    loggedIn: false,
    status: { connected: false, jid: null },
  })
  expect(waiting.instance.id).toBe(instance.id)
  const linked = (await bare().get(`/instance/status?token=${token}`)).body
  expect(linked).toMatchObject({
    ...{ connected: true, loggedIn: true, jid: theirs(number) },
    status: { connected: true, jid: { user: number, server: 's.whatsapp.net' } },
  })
})

test('records have ids that end as the network has them and kinds with a capital; what people write stays', async () => {
  const friend = await makePhone(world)
  const text = `${friend}@s.msgnet.net`
  const { status, body } = await ask('/send/text', { number: theirs(friend), text, mentions: theirs(friend) })
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body).toMatchObject({
    ...{ chatid: theirs(friend), sender: theirs(number), sender_pn: theirs(number), text },
    content: { text, contextInfo: { mentionedJID: [theirs(friend)] } },
  })
  expect(body.messageType).toMatch(/^[A-Z][A-Za-z]+$/)
  const { messages } = (await ask('/message/find', { chatid: theirs(friend) })).body
  expect(messages).toMatchObject([{ messageid: body.messageid, chatid: theirs(friend) }])
  const [chat] = (await ask('/chat/find', { wa_chatid: theirs(friend) })).body.chats
  expect(chat).toMatchObject({
    ...{ wa_chatid: theirs(friend), wa_fastid: `${number}:${friend}`, phone: `+${friend}` },
  })
  const [check] = (await ask('/chat/check', { numbers: [friend] })).body
  expect(check).toMatchObject({ query: friend, jid: theirs(friend), isInWhatsapp: true })
  expect(Object.keys(check)).not.toContain('isInMsgnet')
})

test('what COMPATIBILITY=tolerant takes is taken here too, and answered in these words', async () => {
  const friend = await makePhone(world)
  const sent = await ask('/send/text', { number: `${friend}@c.us`, text: 'hello' })
  expect([sent.status, sent.body.chatid]).toEqual([200, theirs(friend)])
  const found = await ask('/message/find', { chatid: `${friend}@c.us`, limit: 500 })
  expect(found.body).toMatchObject({ limit: 100, returnedMessages: 1, messages: [{ text: 'hello' }] })
  const group = await ask('/group/create', { name: 'Open', participants: [`${friend}@c.us`] })
  const invited = await bare().get(`/group/invitelink/${group.body.JID}?token=${token}`)
  expect([invited.status, invited.body.inviteLink]).toEqual([200, expect.stringMatching(/^https:/)])
  const reset = await ask('/instance/reset', {})
  expect([reset.status, reset.body.jid]).toEqual([200, theirs(number)])
  await until(async () => (await bare().get(`/instance/status?token=${token}`)).body.loggedIn)
})

test('groups come in pages, are searched by name, and name members as the network has them', async () => {
  const friend = await makePhone(world)
  const { body } = await ask('/group/create', { name: 'Red shop', participants: [theirs(friend)] })
  expect(body.Participants.map(({ PhoneNumber }: Seen) => PhoneNumber).sort()).toEqual(
    [theirs(friend), theirs(number)].sort(),
  )
  await ask('/group/create', { name: 'Blue shop', participants: [theirs(friend)] })
  const page = (await ask('/group/list', { limit: 1, offset: 1, search: 'SHOP' })).body
  expect(page.groups).toHaveLength(1)
  expect(page.pagination).toMatchObject({ totalRecords: 2, currentPage: 2, hasNextPage: false, limit: 1 })
  const second = (await ask('/group/list', { page: 2, pageSize: 1, search: 'SHOP' })).body
  expect(second).toEqual(page)
  const red = (await ask('/group/list', { search: 'red', noParticipants: true, force: false })).body
  expect(red.groups).toMatchObject([{ JID: body.JID, Name: 'Red shop', Participants: [] }])
  expect((await ask('/group/list', { limit: 0 })).status).toBe(400)
  expect((await bare().post('/group/list', {})).status).toBe(401)
})

test('whoever asks for the words of the contract has them', async () => {
  const profile = { accept: 'application/json;profile=contract' }
  const caller = makeCaller(world.run.baseUrl, { token })
  expect((await caller.get('/webhook', profile)).body).toMatchObject({ registered: false, webhooks: [] })
  expect((await caller.get('/instance/status', profile)).body.jid).toBe(`${number}@s.msgnet.net`)
  const [first] = (await world.admin.get('/instance/all', profile)).body
  expect(Object.keys(first)).not.toContain('token')
})

test('the typed client reads the words of the contract, of answers and of the stream', async () => {
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

test('once the switch is off again no token is kept', async () => {
  env.COMPATIBILITY = 'off'
  await world.killAndRestart()
  await until(async () => (await world.database('SELECT 1 FROM instance_tokens')).length === 0)
  expect(world.printed()).not.toContain('gives up')
  expect((await bare().get(`/instance/status?token=${token}`)).status).toBe(401)
  expect((await world.as(token).get('/webhook')).body.registered).toBe(false)
})
