// Chatwoot and Typebot on the Cloud API of a gateway: the calls that they make, in the order in which they make them, and what they read of
// responses and webhooks. They are no packages, so this is in our words. Both expect another base URL and nothing else.

import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { createPlainCaller } from '../caller.ts'
import { createPhone, type LinkedDevice, linkDevice, SECRET } from '../device.ts'
import { startFileServer } from '../file-server.ts'
import { readMediaFile } from '../media-files.ts'
import { listenAtReserved } from '../reserved-ports.ts'
import type { Seen } from '../scene.ts'
import { until } from '../until.ts'

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const pn = 'shop'
const posted: Seen[] = []
const unverified: string[] = []
/** Chatwoot answers a challenge with the digits as JSON, Typebot with a number. */
const server = createServer((request, response) => {
  const challenge = new URL(request.url ?? '', 'http://receiver').searchParams.get('hub.challenge')
  if (challenge !== null)
    return response.end(request.url?.startsWith('/chatwoot') ? `"${challenge}"` : challenge)
  const pieces: Buffer[] = []
  request.on('data', (piece) => pieces.push(piece))
  request.on('end', () => {
    const raw = Buffer.concat(pieces)
    const expected = `sha256=${createHmac('sha256', SECRET).update(raw).digest('hex')}`
    if (request.headers['x-hub-signature-256'] !== expected) unverified.push(String(raw))
    posted.push(JSON.parse(String(raw)))
    response.end()
  })
})
const place = await listenAtReserved(server)
const files = await startFileServer()
let world: BorrowedWorld
let device: LinkedDevice
let friend: string
let base: string
let token: string

beforeAll(async () => {
  world = await borrowWorld({ DIALECTS: 'uazapi,cloud', INTERACTIVE: 'on' })
  const { body } = await world.admin.post('/instance/init', { name: 'Shop', handle: pn })
  token = body.token
  base = `${world.run.baseUrl}/graph`
  const caller = createPlainCaller(world.run.baseUrl, { token })
  device = await linkDevice(world, { id: body.instance.id, token, caller })
  friend = await createPhone(world, 'Ana')
})
afterAll(async () => {
  await world.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

/** As both send it, with the type of a body also where there is none. */
const call = async (method: string, path: string, body?: object): Promise<{ status: number; body: Seen }> => {
  const response = await fetch(`${base}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json() }
}
const subscribe = async (path: string) => {
  const webhook = { override_callback_uri: `http://${place}${path}`, verify_token: 'a token', secret: SECRET }
  expect((await call('POST', `/v23.0/${pn}/subscribed_apps`, webhook)).body).toEqual({ success: true })
}
const readValue = (body: Seen): Seen => body.entry[0].changes[0].value
const waitForMessage = (matches: (message: Seen) => boolean): Promise<Seen> =>
  until(() => posted.map(readValue).find(({ messages }) => messages?.[0] && matches(messages[0])))
const receive = async (message: object): Promise<string> =>
  String((await world.sim('POST', '/messages', { from: friend, to: device.number, ...message })).id)
const findInInbox = (matches: (message: Seen) => boolean): Promise<Seen> =>
  until(async () => {
    const { messages } = await world.sim('GET', `/phones/${friend}/inbox`)
    return (messages as Seen[]).find(matches)
  })

test('Chatwoot sets up its inbox, and finds it by the number and the id in each webhook', async () => {
  const found = await fetch(`${base}/v14.0/${pn}/message_templates?access_token=${token}`)
  expect([found.status, await found.json()]).toEqual([200, { data: [], paging: {} }])
  expect((await fetch(`${base}/v14.0/${pn}/message_templates?access_token=wrong`)).status).toBe(401)
  await subscribe('/chatwoot')
  const id = await receive({ text: 'oi' })
  const value = await waitForMessage((message) => message.id === `wamid.${id}`)
  expect(value.metadata).toEqual({ display_phone_number: device.number, phone_number_id: pn })
  expect(value.contacts[0]).toMatchObject({ profile: { name: 'Ana' }, wa_id: friend })
  expect(value.messages[0]).toMatchObject({ from: friend, text: { body: 'oi' } })
  expect(value.messages[0]).not.toHaveProperty('errors')
})

test('Chatwoot sends texts, replies, files by their links, and choices whose action is JSON in a text', async () => {
  const send = async (fields: object): Promise<string> => {
    const { status, body } = await call('POST', `/v13.0/${pn}/messages`, {
      messaging_product: 'whatsapp',
      to: friend,
      ...fields,
    })
    expect([status, body.error]).toEqual([200, undefined])
    return body.messages[0].id
  }
  const text = await send({ context: null, text: { body: 'Bom dia' }, type: 'text' })
  await findInInbox((message) => message.text === 'Bom dia')
  const asked = `wamid.${await receive({ text: 'E agora?' })}`
  await waitForMessage(({ id }) => id === asked)
  await send({ context: { message_id: asked }, text: { body: 'Agora' }, type: 'text' })
  expect((await findInInbox((message) => message.text === 'Agora')).quoted).toBe(asked.slice(6))
  const link = files.serveFile('/paper.pdf', Buffer.from('%PDF-1.4'), 'application/pdf')
  const document = { link, caption: 'A conta', filename: 'conta.pdf' }
  await send({ context: null, type: 'document', document })
  await findInInbox((message) => message.caption === 'A conta' || message.text === 'A conta')
  const buttons = [{ type: 'reply', reply: { id: 'y', title: 'Sim' } }]
  const choices = { type: 'button', body: { text: 'Quer?' }, action: JSON.stringify({ buttons }) }
  await send({ type: 'interactive', interactive: choices })
  const sections = [{ rows: [{ id: 'a', title: 'Um', description: 'o primeiro' }] }]
  const list = { type: 'list', body: { text: 'Qual?' }, action: JSON.stringify({ button: 'Ver', sections }) }
  const menu = await send({ type: 'interactive', interactive: list })
  const tapped = await world.sim('POST', `/messages/${menu.slice(6)}/tap`, { by: friend, choice: 'a' })
  const { messages } = await waitForMessage(({ id }) => id === `wamid.${tapped.id}`)
  expect(messages[0].interactive).toEqual({ type: 'list_reply', list_reply: { id: 'a', title: 'Um' } })
  expect(messages[0].context.id).toBe(menu)
  const states = await until(() => {
    const own = posted.map(readValue).flatMap(({ statuses = [] }) => statuses)
    const states = own.filter(({ id }: Seen) => id === text).map(({ status }: Seen) => status)
    return states.includes('delivered') && states
  })
  expect(states[0]).toBe('sent')
})

test('Chatwoot shows why a message has failed, in the words of the error', async () => {
  const nobody = { messaging_product: 'whatsapp', to: '5511000000000', text: { body: 'x' }, type: 'text' }
  const { body } = await call('POST', `/v13.0/${pn}/messages`, nobody)
  const { id } = body.messages[0]
  const failed = await until(() =>
    posted
      .map(readValue)
      .flatMap(({ statuses = [] }) => statuses)
      .find((status: Seen) => status.id === id && status.status === 'failed'),
  )
  expect(failed.errors[0]).toMatchObject({ code: 131026, title: expect.any(String) })
})

test('Chatwoot downloads a file by the id in its message, with its name and its type', async () => {
  const picture = await receive({ image: PNG.toString('base64'), mimetype: 'image/png', caption: 'Olha' })
  const { messages } = await waitForMessage(({ id }) => id === `wamid.${picture}`)
  expect(messages[0]).toMatchObject({ type: 'image', image: { caption: 'Olha' } })
  const found = await call('GET', `/v13.0/${messages[0].image.id}?phone_number_id=${pn}`)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const file = await fetch(found.body.url, { headers })
  expect(file.headers.get('content-type')).toBe('image/png')
  expect(file.headers.get('content-disposition')).toMatch(/filename/)
  expect(Buffer.from(await file.arrayBuffer()).equals(PNG)).toBe(true)
  const place = { latitude: -23.5, longitude: -46.6, name: 'Sé' }
  const spot = await receive({ location: place })
  const { messages: spots } = await waitForMessage(({ id }) => id === `wamid.${spot}`)
  expect(spots[0].location).toMatchObject(place)
})

test('Typebot reads its token, its number and its app, and subscribes without a body', async () => {
  const { data } = (await call('GET', `/v17.0/debug_token?input_token=${token}`)).body
  expect(data).toMatchObject({ is_valid: true, expires_at: 0 })
  expect(data.scopes).toContain('whatsapp_business_messaging')
  expect((await call('GET', `/v17.0/${pn}`)).body.display_phone_number).toBe(`+${device.number}`)
  const fields = 'fields=id%2Cdisplay_phone_number&limit=100&appsecret_proof=ab12'
  const listed = (await call('GET', `/v17.0/${pn}/phone_numbers?${fields}`)).body
  expect(listed.data).toMatchObject([{ id: pn, display_phone_number: expect.any(String) }])
  expect(listed.paging?.next).toBeUndefined()
  const subscribed = await fetch(`${base}/v17.0/${pn}/subscribed_apps`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  })
  expect([subscribed.status, await subscribed.json()]).toEqual([200, { success: true }])
  await subscribe('/typebot')
  const apps = (await call('GET', `/v17.0/${pn}/subscribed_apps`)).body
  expect(apps.data.map((app: Seen) => app.whatsapp_business_api_data.id)).toContain(data.app_id)
})

test('Typebot uploads a picture, and sends it alone and above buttons', async () => {
  const form = new FormData()
  form.append('file', new Blob([PNG], { type: 'image/png' }))
  form.append('type', 'image/png')
  form.append('messaging_product', 'whatsapp')
  const headers = { authorization: `Bearer ${token}` }
  const stored = await fetch(`${base}/v21.0/${pn}/media`, { method: 'POST', headers, body: form })
  const { id } = (await stored.json()) as Seen
  const send = (message: object) =>
    call('POST', `/v17.0/${pn}/messages`, { messaging_product: 'whatsapp', to: friend, ...message })
  expect((await send({ type: 'image', image: { id } })).status).toBe(200)
  const menu = (header: object, text: string) => ({
    type: 'interactive',
    interactive: {
      type: 'button',
      header,
      body: { text },
      action: { buttons: [{ type: 'reply', reply: { id: 'pick', title: 'Escolher' } }] },
    },
  })
  const link = files.serveFile('/card.png', PNG, 'image/png')
  expect((await send(menu({ type: 'image', image: { id } }, 'Um'))).status).toBe(200)
  expect((await send(menu({ type: 'image', image: { link } }, 'Dois'))).status).toBe(200)
  for (const words of ['Um', 'Dois']) {
    const shown = await findInInbox(({ type, text }) => type === 'menu' && text.startsWith(words))
    expect(shown.pictures).toHaveLength(1)
  }
  const link2 = 'https://example.com/film.mp4'
  const refused = await send(menu({ type: 'video', video: { link: link2 } }, 'Três'))
  expect([refused.status, refused.body.error.code]).toEqual([400, 131051])
  expect((await send({ type: 'text', text: { body: 'https://a.example', preview_url: true } })).status).toBe(
    200,
  )
  const spot = { latitude: 1.5, longitude: 2.5, name: 'Casa', address: 'Rua' }
  expect((await send({ type: 'location', location: spot })).status).toBe(200)
})

test('Typebot reads of each message what its own schema requires', async () => {
  const voice = readMediaFile('voice.ogg').toString('base64')
  const mimetype = 'audio/ogg; codecs=opus'
  const samples: [object, (message: Seen) => unknown][] = [
    [{ text: 'um' }, ({ text }) => text.body],
    [{ image: PNG.toString('base64'), mimetype: 'image/png' }, ({ image }) => image.id && image.mime_type],
    [{ audio: voice, mimetype }, ({ audio }) => audio.id && audio.mime_type],
    [{ location: { latitude: 1.5, longitude: 2.5, name: '' } }, ({ location }) => typeof location.latitude],
  ]
  for (const [sent, read] of samples) {
    const id = `wamid.${await receive(sent)}`
    const { messages, contacts, metadata } = await waitForMessage((message) => message.id === id)
    const [{ from, timestamp }] = messages
    expect([from, typeof timestamp, contacts[0].profile.name]).toEqual([friend, 'string', 'Ana'])
    expect(metadata.phone_number_id).toBe(pn)
    expect(read(messages[0])).toBeTruthy()
  }
  // It shows that it types, to the message that it answers.
  const asked = `wamid.${await receive({ text: 'digita' })}`
  await waitForMessage(({ id }) => id === asked)
  const typing = { status: 'read', message_id: asked, typing_indicator: { type: 'text' } }
  const shown = await call('POST', `/v21.0/${pn}/messages`, { messaging_product: 'whatsapp', ...typing })
  expect(shown.body).toEqual({ success: true })
  for (const status of posted.map(readValue).flatMap(({ statuses = [] }) => statuses)) {
    expect(typeof status.recipient_id).toBe('string')
    for (const error of status.errors ?? []) expect(typeof error.error_data.details).toBe('string')
  }
})

test('every webhook is signed with the secret of its app', () => {
  expect(posted.length).toBeGreaterThan(10)
  expect(unverified).toEqual([])
})
