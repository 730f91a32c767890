// Two more published clients of the official Cloud API, unmodified, on a gateway: each call that they have is right, or refused with the code that is named here.
// @module-tag slow

import { createServer } from 'node:http'
import Client from '@great-detail/whatsapp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as build from 'whatsapp-api-js/messages'
import { WhatsAppAPI } from 'whatsapp-api-js/middleware/node-http'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { createPlainCaller } from '../caller.ts'
import { createPhone, type LinkedDevice, linkDevice, SECRET } from '../device.ts'
import { startFileServer } from '../file-server.ts'
import { readMediaFile } from '../media-files.ts'
import { listenAtReserved } from '../reserved-ports.ts'
import type { Seen } from '../scene.ts'
import { until } from '../until.ts'

/** A PNG of one pixel. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const pn = 'shop'
const verifyToken = 'a token'
const files = await startFileServer()
const messages: Seen[] = []
const statuses: Seen[] = []
const great: Seen[] = []
let world: BorrowedWorld
let device: LinkedDevice
let friend: string
let api: WhatsAppAPI
let sdk: Client

/** At `/js` the one client's own handlers, at `/great` those of the other. */
const server = createServer(async (request, response) => {
  if (request.url?.startsWith('/js')) {
    if (request.method === 'GET') return response.end(api.handle_get(request))
    response.statusCode = await api.handle_post(request)
    return response.end()
  }
  const query = Object.fromEntries(new URL(request.url ?? '', 'http://receiver').searchParams)
  if (request.method === 'GET')
    return response.end((await sdk.webhook.register({ method: 'GET', query, headers: {} })).accept())
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece)
  const notified = await sdk.webhook.eventNotification({
    method: 'POST',
    query,
    body: Buffer.concat(pieces).toString(),
    headers: request.headers as Record<string, string>,
  })
  await notified.verifySignature(SECRET)
  great.push(notified.eventNotification)
  response.end()
})
const place = await listenAtReserved(server)

beforeAll(async () => {
  world = await borrowWorld({ DIALECTS: 'uazapi,cloud', INTERACTIVE: 'on' })
  const { body } = await world.admin.post('/instance/init', { name: 'Shop', handle: pn })
  const { token } = body
  const graph = `${world.run.baseUrl}/graph`
  api = new WhatsAppAPI({
    token,
    appSecret: SECRET,
    webhookVerifyToken: verifyToken,
    v: 'v24.0',
    // Its host is fixed.
    ponyfill: {
      fetch: ((url: string | URL, init: RequestInit) =>
        fetch(String(url).replace('https://graph.facebook.com', graph), init)) as typeof fetch,
    },
  })
  api.on.message = ({ message, ...more }) => void messages.push({ ...message, more })
  api.on.status = (status) => void statuses.push(status)
  sdk = new Client({ baseUrl: graph, request: { headers: { Authorization: `Bearer ${token}` } } })
  const caller = createPlainCaller(world.run.baseUrl, { token })
  device = await linkDevice(world, { id: body.instance.id, token, caller })
  friend = await createPhone(world, 'Ána')
  const app = createPlainCaller(`${graph}/v24.0`, { authorization: `Bearer ${token}` })
  for (const path of ['js', 'great'])
    expect(
      await app.post(`/${pn}/subscribed_apps`, {
        override_callback_uri: `http://${place}/${path}`,
        verify_token: verifyToken,
        secret: SECRET,
      }),
    ).toMatchObject({ status: 200 })
})
afterAll(async () => {
  await world.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

/** Of a client that returns errors as it returns results. */
const readCode = async (result: Promise<unknown>): Promise<unknown> => ((await result) as Seen).error?.code
const waitForSent = (id: string): Promise<Seen> =>
  until(() => statuses.find((one) => one.id === id && one.status === 'sent'))
const waitForText = (text: string): Promise<Seen> =>
  until(() => messages.find((one) => one.type === 'text' && one.text.body === text))
const receiveText = (text: string) =>
  world.sim('POST', '/messages', { from: friend, to: device.number, text })

const tried = new Set<string>()
/** A call of the client, which is noted. */
const call = (name: keyof WhatsAppAPI, ...args: unknown[]): Promise<Seen> => {
  tried.add(name)
  return (api[name] as (...given: unknown[]) => Promise<Seen>)(...args)
}

test('whatsapp-api-js sends each type, by link and by id', async () => {
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(picture)], { type: 'image/png' }), 'picture.png')
  const { id } = await call('uploadMedia', pn, form)
  const { url, mime_type } = await call('retrieveMedia', id, pn)
  expect(mime_type).toBe('image/png')
  const fetched = (await call('fetchMedia', url)) as Response
  expect(Buffer.from(await fetched.arrayBuffer()).equals(picture)).toBe(true)
  const film = files.serveFile('/film.mp4', readMediaFile('film.mp4'), 'video/mp4')
  const voice = files.serveFile('/voice.ogg', readMediaFile('voice.ogg'), 'audio/ogg')
  const paper = files.serveFile('/paper.pdf', Buffer.from('%PDF-1.4 paper'), 'application/pdf')
  const link = files.serveFile('/picture.png', picture, 'image/png')
  const contact = [new build.Name('Andrei', 'Andrei'), new build.Phone(`+${friend}`, 'CELL', friend)] as const
  const sent: string[] = []
  const types = [
    new build.Text('Olá', true),
    new build.Image(id, true, 'by id'),
    new build.Image(link, false, 'by link'),
    new build.Video(film),
    new build.Audio(voice, false, true),
    new build.Document(paper, false, 'see', 'paper.pdf'),
    new build.Sticker(id, true),
    new build.Location(-34.89, -8.03, 'Office', 'Street 1'),
    new build.Contacts([...contact]),
    new build.Interactive(
      new build.ActionButtons(new build.Button('a', 'This'), new build.Button('b', 'That')),
      new build.Body('Which?'),
      new build.Header('Title'),
      new build.Footer('End'),
    ),
    new build.Interactive(
      new build.ActionList('Open', new build.ListSection('All', new build.Row('a', 'This', 'first'))),
      new build.Body('Which?'),
    ),
    new build.Interactive(new build.ActionCTA('Open', 'https://shop.example'), new build.Body('See')),
  ]
  for (const type of types) {
    const answer = await call('sendMessage', pn, friend, type)
    expect(answer).toMatchObject({ messages: [{ id: expect.stringMatching(/^wamid\./) }] })
    sent.push(answer.messages[0].id)
  }
  const reaction = await call('sendMessage', pn, { phone: friend }, new build.Reaction(sent[0] ?? '', '👍'))
  expect(reaction).toHaveProperty('messages')
  tried.add('broadcastMessage')
  const [broadcast] = await Promise.all(
    api.broadcastMessage(pn, [{ phone: friend }], new build.Text('to all') as never, 1, 0) as Promise<Seen>[],
  )
  await Promise.all([...sent, broadcast?.messages[0].id].map(waitForSent))
  expect(await call('deleteMedia', id, pn)).toEqual({ success: true })
})

test('whatsapp-api-js accepts our challenge and signature, reads a message, replies to its sender and marks it as read', async () => {
  for (const name of ['get', 'post', 'verifyRequestSignature', 'handle_get', 'handle_post']) tried.add(name)
  await receiveText('Oi')
  const { more, ...message } = await waitForText('Oi')
  expect(message).toMatchObject({ from: friend, text: { body: 'Oi' } })
  expect(more).toMatchObject({ phoneID: pn, name: 'Ána', recipient: { phone: friend } })
  const reply = await more.reply(new build.Text('Oi!'), true)
  await waitForSent(reply.messages[0].id)
  expect(await call('markAsRead', pn, message.id, 'text')).toEqual({ success: true })
  // Without a number, by the id that webhooks have for a person.
  const { bsuid } = more.recipient
  const byId = await call('sendMessage', pn, { bsuid }, new build.Text('by the user id'))
  await waitForSent(byId.messages[0].id)
  await until(async () => {
    const { messages: there } = await world.sim('GET', `/phones/${friend}/inbox`)
    return (there as Seen[]).some(({ text }) => text === 'by the user id')
  })
  const blocked = await call('blockUser', pn, { bsuid })
  expect(blocked.block_users.added_users).toHaveLength(1)
  const unblocked = await call('unblockUser', pn, friend)
  expect(unblocked.block_users).toEqual({ removed_users: [{ input: friend, wa_id: friend }] })
})

const body = new build.Body('See')
/** What a linked device has not. */
const refusedTypes: Record<string, [() => unknown, number]> = {
  'a template': [() => new build.Template('hello', 'en'), 132001],
  'a request for a place': [() => new build.Interactive(new build.ActionLocation(), body), 131051],
  'a request to call': [() => new build.Interactive(new build.ActionCallPermission(), body), 131051],
  'a flow': [
    () => new build.Interactive(new build.ActionDataExchangeFlow('token', '1', 'Open'), body),
    131051,
  ],
  'a product': [
    () => new build.Interactive(new build.ActionProduct(new build.CatalogProduct('1', '2')), body),
    131051,
  ],
  'several contacts at once': [
    () => new build.Contacts([new build.Name('A', 'A')], [new build.Name('B', 'B')]),
    131009,
  ],
}

test.each(Object.entries(refusedTypes))('%s is refused to whatsapp-api-js', async (_, [create, code]) => {
  expect(await readCode(call('sendMessage', pn, friend, create()))).toBe(code)
})

test('whatsapp-api-js has no call that is not named here: calls and QR codes of the service are refused', async () => {
  const refused: [keyof WhatsAppAPI, ...unknown[]][] = [
    ['initiateCall', pn, friend, 'sdp'],
    ['preacceptCall', pn, 'wacid.1', 'sdp'],
    ['acceptCall', pn, 'wacid.1', 'sdp'],
    ['rejectCall', pn, 'wacid.1'],
    ['terminateCall', pn, 'wacid.1'],
    ['createQR', pn, 'hello'],
    ['retrieveQR', pn],
    ['updateQR', pn, 'code', 'hello'],
    ['deleteQR', pn, 'code'],
  ]
  for (const [name, ...args] of refused)
    expect([name, await readCode(call(name, ...args))]).toEqual([name, 100])
  const own = ['constructor', 'getBody', '$$apiFetch$$']
  const parent = Object.getPrototypeOf(Object.getPrototypeOf(WhatsAppAPI.prototype))
  const all = [WhatsAppAPI.prototype, parent].flatMap((one) => Object.getOwnPropertyNames(one))
  expect([...new Set(all)].filter((name) => !own.includes(name) && !tried.has(name))).toEqual([])
})

const readRefusal = async (result: Promise<unknown>): Promise<unknown> => {
  const { response, data } = await result.then(
    () => ({}) as Seen,
    (error) => error,
  )
  return (data ?? (await response?.clone().json()))?.error?.code
}

test('@great-detail/whatsapp sends, uploads, downloads, deletes, reads numbers and webhooks', async () => {
  const phoneNumberID = pn
  const file = new Blob([new Uint8Array(picture)], { type: 'image/png' })
  const mimeType = 'image/png'
  const { id } = await sdk.media
    .upload({ phoneNumberID, file, filename: 'a.png', mimeType } as never)
    .json<Seen>()
  const { url } = await sdk.media.getURL({ mediaID: id, phoneNumberID }).json<Seen>()
  const bytes = await sdk.media.download({ mediaURL: url }).arrayBuffer()
  expect(Buffer.from(bytes).equals(picture)).toBe(true)
  const sent = await sdk.message
    .createMessage({ phoneNumberID, to: friend, type: 'image', image: { id } } as never)
    .json<Seen>()
  await waitForSent(sent.messages[0].id)
  expect(await sdk.media.delete({ mediaID: id, phoneNumberID }).json()).toEqual({ success: true })
  await receiveText('Olá')
  const { id: messageId } = await waitForText('Olá')
  expect(
    await sdk.message.createStatus({ phoneNumberID, message_id: messageId, status: 'read' } as never).json(),
  ).toEqual({ success: true })
  await until(() => great.some((one) => one.entry[0].changes[0].value.messages?.[0].text?.body === 'Olá'))
  const number = await sdk.phoneNumbers.getPhoneNumber({ phoneNumberID } as never).json<Seen>()
  expect(number).toMatchObject({ id: pn, status: 'CONNECTED' })
  const listed = await sdk.phoneNumbers.listPhoneNumbers({ businessAccountID: pn } as never).json<Seen>()
  expect(listed.data).toEqual([number])
  expect(await sdk.whatsappBusinessAccount.get(pn).json()).toMatchObject({ id: pn })
  expect(await sdk.template.list(pn, {} as never).json()).toMatchObject({ data: [] })
  const apps = await sdk.subscribedApps.listSubscriptions({ businessAccountID: pn } as never).json<Seen>()
  expect(apps.data).toHaveLength(2)
  expect(await sdk.subscribedApps.createSubscription({ businessAccountID: pn } as never).json()).toEqual({
    success: true,
  })
  const about = { phoneNumberID, about: 'Open' }
  expect(await sdk.businessProfile.updateBusinessProfile(about as never).json()).toEqual({ success: true })
  const profile = await sdk.businessProfile.getBusinessProfile({ phoneNumberID } as never).json<Seen>()
  expect(profile.data).toMatchObject([{ about: 'Open' }])
})

test('what the service alone has is refused to @great-detail/whatsapp', async () => {
  const refused: (() => Promise<unknown>)[] = [
    () => sdk.conversationalAutomation.setConversationalAutomation({ phoneNumberID: pn } as never),
    () => sdk.phoneNumbers.updatePhoneNumber({ phoneNumberID: pn, new_display_name: 'New' } as never),
    () => sdk.template.create(pn, { name: 'hello' } as never),
    () => sdk.template.delete(pn, { name: 'hello' } as never),
    () => sdk.template.get('1', {} as never),
    () => sdk.template.update('1', {} as never),
    () => sdk.template.listLibrary({} as never),
  ]
  for (const one of refused) expect(await readRefusal(one())).toBe(100)
})
