// COMPATIBILITY=uazapi: webhooks as those clients set them, and every field that their receivers and streams read.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { borrowWorld } from '../borrowed-world.ts'
import { createPlainCaller } from '../caller.ts'
import { createPhone, linkDevice } from '../device.ts'
import { listenAtReserved } from '../reserved-ports.ts'
import type { Seen } from '../scene.ts'
import { until } from '../until.ts'
import { unlimited } from '../world.ts'

interface Posted {
  path: string
  body: Seen
}
const posted: Posted[] = []
/** What it answers to what is for this path. */
const refusing = new Set<string>()
const server = createServer((request, response) => {
  let text = ''
  request.on('data', (chunk) => (text += chunk))
  request.on('end', () => {
    const path = request.url ?? ''
    posted.push({ path, body: JSON.parse(text) })
    response.writeHead([...refusing].some((part) => path.includes(part)) ? 500 : 200).end()
  })
})
const place = await listenAtReserved(server)
const settings = { ...unlimited, COMPATIBILITY: 'uazapi' }
const world = await borrowWorld(settings)
afterAll(async () => {
  await world.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const ADMIN = readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim()
const admin = createPlainCaller(world.run.baseUrl, { admintoken: ADMIN })
const made: Seen = (await admin.post('/instance/init', { name: 'Shop' })).body
const { token } = made
const shop = createPlainCaller(world.run.baseUrl, { token })
const { number } = await linkDevice(world, { id: made.instance.id, token, caller: shop })
const toDialectJid = (digits: string) => `${digits}@s.whatsapp.net`
const url = `http://${place}/hook?key=k`
const waitForPost = (matches: (one: Posted) => boolean) => until(() => posted.find(matches))
const simulateEvent = async (path: string, body: object) => (await world.sim('POST', path, body)).id as string
const setWebhook = async (body: object): Promise<Seen> => {
  const response = await shop.post('/webhook', body)
  expect(response.status, response.text).toBe(200)
  return response.body
}

test('webhooks are an array of records, changed and deleted by their id', async () => {
  expect((await shop.get('/webhook')).body).toEqual([])
  const record = {
    enabled: true,
    url,
    events: ['connection', 'messages'],
    excludeMessages: ['wasSentByApi'],
    addUrlEvents: true,
    addUrlTypesMessages: false,
  }
  const [first] = await setWebhook({ action: 'add', ...record })
  expect(first).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), ...record })
  expect((await shop.get('/webhook')).body).toEqual([first])
  const changed = { ...first, enabled: false, excludeMessages: ['isGroupNo'], addUrlTypesMessages: true }
  expect(await setWebhook({ action: 'update', ...changed, excludeMessages: ['IsGroupNo'] })).toEqual([
    changed,
  ])
  const stranger = { ...changed, action: 'update', id: crypto.randomUUID() }
  expect((await shop.post('/webhook', stranger)).status).toBe(404)
  expect((await shop.post('/webhook', { ...changed, addUrlEvents: 'perhaps' })).status).toBe(400)
  expect(await setWebhook({ ...changed, action: 'delete' })).toEqual([])
  expect((await shop.get('/webhook')).body).toEqual([])
})

test('a program that adds its webhook at each start has one, and another program keeps its own', async () => {
  const crm = { url: `http://${place}/crm`, events: ['messages'], excludeMessages: ['wasSentByApi'] }
  const bot = { url: `http://${place}/bot`, events: ['connection', 'messages'], addUrlEvents: true }
  const [made] = await setWebhook({ action: 'add', ...crm })
  expect(await setWebhook({ action: 'add', ...bot })).toMatchObject([{ id: made.id, url: crm.url }, bot])
  const again = await setWebhook({ action: 'add', ...bot, events: ['messages'], addUrlTypesMessages: true })
  expect(again).toHaveLength(2)
  expect(again[1]).toMatchObject({ events: ['messages'], addUrlEvents: true, addUrlTypesMessages: true })
  expect((await shop.get('/webhook')).body).toEqual(again)

  const friend = await createPhone(world)
  const id = await simulateEvent('/messages', { from: friend, to: number, text: 'to both' })
  const isThis = ({ body }: Posted) => body.message?.messageid === id
  await waitForPost((one) => one.path === '/bot/messages/text' && isThis(one))
  await waitForPost((one) => one.path === '/crm' && isThis(one))
  expect(posted.filter(isThis)).toHaveLength(2)

  // Neither id nor action: the one with this URL, and a new one for another URL.
  const paused = await setWebhook({ ...crm, enabled: false })
  expect(paused).toMatchObject([
    { id: made.id, enabled: false },
    { url: bot.url, enabled: true },
  ])
  const third = await setWebhook({ url: `http://${place}/third`, events: ['groups'] })
  expect(third.map((one: Seen) => one.url)).toEqual([crm.url, bot.url, `http://${place}/third`])
  await setWebhook({ action: 'delete', id: third[2].id })
})

test('webhooks are updated and deleted by their id, and never a wrong one without it', async () => {
  const [crm, bot]: Seen[] = (await shop.get('/webhook')).body
  const moved = { id: bot?.id, action: 'update', url: `http://${place}/bot2`, addUrlEvents: false }
  expect(await setWebhook(moved)).toMatchObject([crm, { id: bot?.id, url: moved.url, events: bot?.events }])
  for (const body of [
    { action: 'update', url: `http://${place}/nowhere`, events: ['messages'] },
    { action: 'delete' },
  ]) {
    const { status, body: fault } = await shop.post('/webhook', body)
    expect([status, fault.error]).toEqual([400, 'invalid_id'])
  }
  expect(await setWebhook({ action: 'delete', url: moved.url })).toEqual([crm])
  expect(await setWebhook({ action: 'delete' })).toEqual([])
  expect(await setWebhook({ action: 'delete' })).toEqual([])
})

test('programs that add webhooks at the same moment end none, and there are at most five', async () => {
  const bodies = ['a', 'b', 'c', 'a', 'b', 'c'].map((name) => ({
    action: 'add',
    url: `http://${place}/${name}`,
    events: ['groups'],
  }))
  const answers = await Promise.all(bodies.map((body) => shop.post('/webhook', body)))
  expect(answers.map(({ status }) => status)).toEqual(bodies.map(() => 200))
  const urls = ((await shop.get('/webhook')).body as Seen[]).map((one) => one.url)
  expect(urls.sort()).toEqual(bodies.slice(0, 3).map((one) => one.url))
  for (const name of ['d', 'e']) await setWebhook({ ...bodies[0], url: `http://${place}/${name}` })
  const sixth = await shop.post('/webhook', { ...bodies[0], url: `http://${place}/f` })
  expect([sixth.status, sixth.body.error]).toEqual([409, 'too_many_webhooks'])
  for (const { id } of (await shop.get('/webhook')).body) await setWebhook({ action: 'delete', id })
  expect((await shop.get('/webhook')).body).toEqual([])
})

test('an instance adds webhooks beside the global one, which no program of it ends', async () => {
  await admin.post('/globalwebhook', { url, events: ['connection'] })
  const fresh = (await admin.post('/instance/init', { name: 'Beside' })).body
  const caller = createPlainCaller(world.run.baseUrl, { token: fresh.token })
  const own = { url: `http://${place}/own`, events: ['messages'] }
  const both = (await caller.post('/webhook', own)).body
  // Its own first: many programs read the first of the list as theirs.
  expect(both).toMatchObject([own, { url: `http://${place}/hook`, events: ['connection'] }])
  const changed = (await caller.post('/webhook', { ...own, url: `http://${place}/own2` })).body
  expect(changed).toMatchObject([{ id: both[0].id, url: `http://${place}/own2` }, both[1]])
  const left = (await caller.post('/webhook', { action: 'delete' })).body
  expect(left).toEqual([both[1]])
  expect((await caller.post('/webhook', { action: 'delete' })).body).toEqual(left)
  await admin.post('/globalwebhook', { action: 'delete' })
})

test('names of events that are accepted and not delivered are in the record', async () => {
  const events = ['messages', 'status_posts', 'newsletter_messages', 'contacts', 'chats']
  const [record] = await setWebhook({ url, events })
  expect(record.events.sort()).toEqual(events.sort())
  await setWebhook({ action: 'delete', id: record.id })
})

test('a status post comes as a message to the webhook that names status_posts, and to no other', async () => {
  const [plain] = await setWebhook({ action: 'add', url: `http://${place}/plain`, events: ['messages'] })
  const posts = { action: 'add', url: `http://${place}/posts`, events: ['messages', 'status_posts'] }
  const named = (await setWebhook(posts)).at(-1)
  const friend = await createPhone(world, 'Paula')
  const post = { from: friend, to: 'status@broadcast', viewers: [number], text: 'on holiday' }
  const id = await simulateEvent('/messages', post)
  const { body } = await waitForPost((one) => one.path === '/posts' && one.body.message?.messageid === id)
  expect(body).toMatchObject({
    EventType: 'messages',
    message: { chatid: 'status@broadcast', sender_pn: toDialectJid(friend), text: 'on holiday' },
  })
  const after = await simulateEvent('/messages', { from: friend, to: number, text: 'afterwards' })
  await waitForPost((one) => one.path === '/plain' && one.body.message?.messageid === after)
  expect(posted.filter((one) => one.path === '/plain' && one.body.message?.messageid === id)).toEqual([])
  for (const { id: one } of [plain, named]) await setWebhook({ action: 'delete', id: one })
})

test('the global webhook is one object, and instances that inherit it show it as their own', async () => {
  const webhook = { enabled: true, url, events: ['connection'], addUrlEvents: true }
  const { status, body } = await admin.post('/globalwebhook', webhook)
  expect([status, body]).toEqual([
    200,
    { id: 'server', ...webhook, excludeMessages: [], addUrlTypesMessages: false },
  ])
  expect((await admin.get('/globalwebhook')).body).toEqual(body)
  const fresh = (await admin.post('/instance/init', { name: 'Fresh' })).body
  const [followed] = (await createPlainCaller(world.run.baseUrl, { token: fresh.token }).get('/webhook')).body
  expect(followed).toMatchObject({ url: `http://${place}/hook`, addUrlEvents: true })
  const none = (await admin.post('/globalwebhook', { ...body, action: 'delete' })).body
  expect(none).toMatchObject({ id: 'server', enabled: false, url: '', events: [] })
})

test('a message is posted to the path of its event and kind, with token, address and chat', async () => {
  await setWebhook({ url, events: ['messages'], addUrlEvents: true, addUrlTypesMessages: true })
  const friend = await createPhone(world, 'Anna')
  const id = await simulateEvent('/messages', { from: friend, to: number, text: 'hello' })
  const { path, body } = await waitForPost((one) => one.body.message?.messageid === id)
  expect(body.message.messageType).toMatch(/^[A-Z]/)
  expect(path).toBe('/hook/messages/text?key=k')
  expect(body).toMatchObject({
    EventType: 'messages',
    BaseUrl: world.run.baseUrl,
    token,
    owner: number,
    instanceName: 'Shop',
    message: { chatid: toDialectJid(friend), sender: expect.any(String), fromMe: false, text: 'hello' },
    chat: {
      id: toDialectJid(friend),
      wa_chatid: toDialectJid(friend),
      wa_fastid: `${number}:${friend}`,
      wa_name: 'Anna',
      wa_contactName: '',
      wa_isGroup: false,
      wa_unreadCount: 1,
      phone: `+${friend}`,
      wa_lastMessageTextVote: 'hello',
      wa_lastMsgTimestamp: body.message.messageTimestamp,
      wa_archived: false,
      wa_isPinned: false,
      wa_muteEndTime: 0,
      wa_isBlocked: false,
      image: '',
    },
  })
})

test('the chat of a message matches the address book and the devices of the account', async () => {
  const friend = await createPhone(world, 'Carla')
  await shop.post('/contact/add', { phone: friend, name: 'Carla Costa' })
  await shop.post('/chat/archive', { number: toDialectJid(friend), archive: true })
  await shop.post('/chat/pin', { number: toDialectJid(friend), pin: true })
  await shop.post('/chat/mute', { number: toDialectJid(friend), muteEndTime: -1 })
  for (const text of ['one', 'two']) {
    const id = await simulateEvent('/messages', { from: friend, to: number, text })
    const { body } = await waitForPost((one) => one.body.message?.messageid === id)
    expect(body.chat).toMatchObject({
      name: 'Carla',
      wa_name: 'Carla Costa',
      wa_contactName: 'Carla Costa',
      wa_archived: true,
      wa_isPinned: true,
      wa_muteEndTime: -1,
      wa_unreadCount: text === 'one' ? 1 : 2,
      wa_lastMessageTextVote: text,
    })
  }
})

test('a chat with somebody who has told no name has the name in the address book', async () => {
  const friend = await createPhone(world)
  await shop.post('/contact/add', { phone: friend, name: 'Dora Dias' })
  const { messageid } = (await shop.post('/send/text', { number: friend, text: 'hello' })).body
  const { body } = await waitForPost((one) => one.body.message?.messageid === messageid)
  expect(body.chat).toMatchObject({ name: 'Dora Dias', wa_contactName: 'Dora Dias' })
  const [found] = (await shop.post('/chat/find', { wa_chatid: toDialectJid(friend) })).body.chats
  expect(found).toMatchObject({ name: 'Dora Dias', wa_name: 'Dora Dias' })
})

test('a webhook without added path parts keeps its address', async () => {
  await setWebhook({ url, events: ['messages'], addUrlEvents: false })
  const friend = await createPhone(world)
  const id = await simulateEvent('/messages', { from: friend, to: number, text: 'plain' })
  expect((await waitForPost((one) => one.body.message?.messageid === id)).path).toBe('/hook?key=k')
})

test('an edit is posted as a message too, with the id of its target', async () => {
  await setWebhook({ url, events: ['messages', 'messages_edit'], addUrlEvents: true })
  const friend = await createPhone(world, 'Ben')
  const id = await simulateEvent('/messages', { from: friend, to: number, text: 'at eigth' })
  await waitForPost((one) => one.body.message?.messageid === id)
  await world.sim('POST', `/messages/${id}/edit`, { by: friend, text: 'at eight' })
  const { body } = await waitForPost((one) => one.body.message?.edited === id)
  expect(body).toMatchObject({
    EventType: 'messages',
    token,
    message: {
      text: 'at eight',
      edited: id,
      chatid: toDialectJid(friend),
      fromMe: false,
      type: 'text',
      content: { text: 'at eight' },
      messageType: expect.stringMatching(/^(Conversation|ExtendedTextMessage)$/),
    },
    chat: { wa_chatid: toDialectJid(friend), wa_name: 'Ben' },
  })
  const edit = await waitForPost(
    (one) => one.body.EventType === 'messages_edit' && one.body.event.messageid === id,
  )
  expect(edit.body.event).toMatchObject({ text: 'at eight', chatid: toDialectJid(friend) })
  const own = (await shop.post('/send/text', { number: friend, text: 'fine' })).body
  await shop.post('/message/edit', { id: own.messageid, text: 'fine by me' })
  const edited = await waitForPost((one) => one.body.message?.edited === own.messageid)
  expect(edited.body.message).toMatchObject({ fromMe: true, text: 'fine by me', type: 'text' })
})

test('failed deliveries are an array with their payloads and without the token', async () => {
  const second = { action: 'add', url: `http://${place}/second`, events: ['messages'] }
  await setWebhook({ url, events: ['messages'], addUrlEvents: true })
  await setWebhook(second)
  refusing.add('/hook/messages').add('/second')
  const friend = await createPhone(world)
  const id = await simulateEvent('/messages', { from: friend, to: number, text: 'lost' })
  const failed = await until(async () =>
    ((await shop.get('/webhook/errors')).body as Seen[]).find(
      ({ payload }) => payload.message?.messageid === id,
    ),
  )
  expect(failed).toEqual({
    created: expect.stringMatching(/^\d{4}-/),
    url: `http://${place}/hook/messages?key=k`,
    type: 'local',
    event: 'messages',
    message_type: 'text',
    status_code: 500,
    attempts: expect.any(Number),
    error: 'status_500',
    payload: expect.objectContaining({ EventType: 'messages' }),
  })
  expect(JSON.stringify(failed)).not.toContain(token)
  const others = await until(async () => {
    const all: Seen[] = (await shop.get('/webhook/errors')).body
    const found = all.filter((one) => one.url === second.url)
    return found.length > 0 ? found : undefined
  })
  expect(others).toMatchObject([{ ...failed, url: second.url, attempts: expect.any(Number) }])
  refusing.clear()
  await setWebhook({ action: 'delete', url: second.url })
})

test('the stream is opened with the token in its address, is filtered, and uses the same dialect', async () => {
  const limit = new AbortController()
  const address = `${world.run.baseUrl}/sse?token=${token}&events=presence&events=messages_update`
  const response = await fetch(address, { signal: limit.signal })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const reader = (response.body as ReadableStream<Uint8Array>)
    .pipeThrough(new TextDecoderStream())
    .getReader()
  const friend = await createPhone(world)
  const id = await simulateEvent('/messages', { from: friend, to: number, text: 'unheard' })
  const sent = (await shop.post('/send/text', { number: friend, text: 'heard of' })).body.messageid
  const seen: Seen[] = []
  let rest = ''
  while (!seen.some(({ event }) => event.MessageIDs.includes(sent))) {
    const { done, value } = await reader.read()
    if (done) throw new Error('the stream has ended')
    const lines = (rest + value).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.startsWith('data: ')) seen.push(JSON.parse(line.slice(6)))
  }
  limit.abort()
  expect(new Set(seen.map(({ EventType }) => EventType))).toEqual(new Set(['messages_update']))
  expect(seen.at(-1)).toMatchObject({ token, event: { Chat: toDialectJid(friend) } })
  expect(JSON.stringify(seen)).not.toContain(id)
})

test('the envelope of an event is shown as it is posted, and the token in it to the instance alone', async () => {
  const friend = await createPhone(world)
  const id = await simulateEvent('/messages', { from: friend, to: number, text: 'looked at' })
  const found = await until(async () => {
    const { events } = (await shop.get(`/v1/events?messageid=${id}`)).body
    return events.find(({ type }: Seen) => type === 'messages')
  })
  const answered = await shop.get(`/v1/events/${found.id}`)
  const own = answered.body.envelope
  expect(own).toMatchObject({ EventType: 'messages', token, BaseUrl: expect.any(String) })
  expect(answered.headers.get('cache-control')).toBe('no-store')
  const shown = (await admin.get(`/v1/events/${found.id}`)).body.envelope
  expect(shown).toEqual({ ...own, token: '' })
})
