// A published client of the official Cloud API, unmodified, on a gateway: what it sends, what it reads of webhooks, and what this gateway refuses it.

import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { WhatsAppClient } from '@kapso/whatsapp-cloud-api'
import { normalizeWebhook, verifySignature } from '@kapso/whatsapp-cloud-api/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { createPlainCaller } from '../caller.ts'
import { createPhone, type LinkedDevice, linkDevice, SECRET } from '../device.ts'
import { startFileServer } from '../file-server.ts'
import { readMediaFile } from '../media-files.ts'
import { listenAtReserved } from '../reserved-ports.ts'
import type { Seen } from '../scene.ts'
import { until } from '../until.ts'
import { listRefusedCalls } from './refused-calls.ts'

/** A PNG of one pixel. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const received: { raw: string; signature: string | undefined }[] = []
/** How the receiver answers a challenge. */
let answerChallenge = (challenge: string): [number, string] => [200, challenge]
const server = createServer((request, response) => {
  const pieces: Buffer[] = []
  request.on('data', (piece) => pieces.push(piece))
  request.on('end', () => {
    const challenge = new URL(request.url ?? '', 'http://receiver').searchParams.get('hub.challenge')
    const [status, text] = challenge === null ? [200, ''] : answerChallenge(challenge)
    if (request.method === 'POST') {
      const signature = request.headers['x-hub-signature-256']
      received.push({ raw: Buffer.concat(pieces).toString(), signature: String(signature) })
    }
    response.writeHead(status).end(text)
  })
})
const place = await listenAtReserved(server)
const files = await startFileServer()
const phoneNumberId = 'shop'
let world: BorrowedWorld
let client: WhatsAppClient
let token: string
let device: LinkedDevice
let friend: string

beforeAll(async () => {
  world = await borrowWorld({ DIALECTS: 'uazapi,cloud', INTERACTIVE: 'on' })
  const { body } = await world.admin.post('/instance/init', { name: 'Shop', handle: phoneNumberId })
  token = body.token
  client = new WhatsAppClient({ baseUrl: `${world.run.baseUrl}/graph`, accessToken: token })
  const subscribed = await subscribe({ override_callback_uri: `http://${place}/hook`, secret: SECRET })
  expect(subscribed.body).toEqual({ success: true })
  const caller = createPlainCaller(world.run.baseUrl, { token })
  device = await linkDevice(world, { id: body.instance.id, token, caller })
  friend = await createPhone(world, 'Ána')
})
afterAll(async () => {
  await world.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const callGraph = () =>
  createPlainCaller(`${world.run.baseUrl}/graph/v23.0`, { authorization: `Bearer ${token}` })
const subscribe = (body: object) =>
  callGraph().post(`/${phoneNumberId}/subscribed_apps`, { verify_token: 'a token', ...body })

/** What the client's own reader makes of a webhook, whose signature its own check accepts. */
function read({ raw, signature }: (typeof received)[number]) {
  expect(verifySignature({ appSecret: SECRET, rawBody: raw, signatureHeader: signature as string })).toBe(
    true,
  )
  return normalizeWebhook(JSON.parse(raw))
}
const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
const waitForMessage = (matches: (message: Seen) => boolean): Promise<Seen> =>
  until(() => received.flatMap((one) => read(one).messages as Seen[]).find(matches))
const waitForStatus = (id: string, status: string) =>
  until(() =>
    received.flatMap((one) => read(one).statuses).find((one) => one.id === id && one.status === status),
  )

test('each type is sent, and arrives at the phone; its statuses are read', async () => {
  const to = friend
  const image = files.serveFile('/picture.png', picture, 'image/png')
  const document = files.serveFile('/paper.pdf', Buffer.from('%PDF-1.4 paper'), 'application/pdf')
  const video = files.serveFile('/film.mp4', readMediaFile('film.mp4'), 'video/mp4')
  const audio = files.serveFile('/voice.ogg', readMediaFile('voice.ogg'), 'audio/ogg')
  const { messages } = client
  const base = { phoneNumberId, to }
  const text = await messages.sendText({ ...base, body: 'Olá' })
  const [{ id: first = '' } = {}] = text.messages
  const sent = [
    text,
    await messages.sendImage({ ...base, image: { link: image, caption: 'a picture' } }),
    await messages.sendDocument({ ...base, document: { link: document, filename: 'paper.pdf' } }),
    await messages.sendVideo({ ...base, video: { link: video } }),
    await messages.sendAudio({ ...base, audio: { link: audio, voice: true } }),
    await messages.sendSticker({ ...base, sticker: { link: image } }),
    await messages.sendLocation({
      ...base,
      location: { latitude: -8.03, longitude: -34.89, name: 'Office' },
    }),
    await messages.sendContacts({
      ...base,
      contacts: [{ name: { formattedName: 'Andrei' }, phones: [{ phone: `+${friend}` }] }],
    }),
    await messages.sendInteractiveButtons({
      ...base,
      bodyText: 'Which?',
      buttons: [
        { id: 'a', title: 'This' },
        { id: 'b', title: 'That' },
      ],
    }),
    await messages.sendInteractiveList({
      ...base,
      bodyText: 'Which?',
      buttonText: 'Open',
      sections: [{ title: 'All', rows: [{ id: 'a', title: 'This' }] }],
    }),
    await messages.sendInteractiveCtaUrl({
      ...base,
      bodyText: 'See',
      parameters: { displayText: 'Open', url: 'https://shop.example' },
    }),
    await messages.sendRaw({ phoneNumberId, payload: { to, type: 'text', text: { body: 'raw' } } }),
    await messages.sendReaction({ ...base, reaction: { messageId: first, emoji: '👍' } }),
  ]
  for (const {
    messages: [one],
  } of sent)
    expect(one?.id).toMatch(/^wamid\./)
  await Promise.all(sent.slice(0, -1).map(({ messages: [one] }) => waitForStatus(one?.id ?? '', 'sent')))
  await waitForStatus(first, 'delivered')
  const inbox = await until(async () => {
    const { messages: there } = await world.sim('GET', `/phones/${friend}/inbox`)
    const ids = (there as Seen[]).map(({ id }) => `wamid.${id}`)
    return sent.slice(0, -1).every(({ messages: [one] }) => ids.includes(one?.id ?? '')) && ids
  })
  expect(new Set(inbox).size).toBe(inbox.length)
})

test('a received text, reply and file are read; the file is downloaded, and the message marked as read', async () => {
  const { id } = await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'Oi' })
  const message = await waitForMessage((one) => one.id === `wamid.${id}`)
  expect(message).toMatchObject({ type: 'text', from: friend, text: { body: 'Oi' } })
  const typingIndicator = { type: 'text' } as const
  expect(await client.messages.markRead({ phoneNumberId, messageId: message.id, typingIndicator })).toEqual({
    success: true,
  })
  const reply = await client.messages.sendText({
    phoneNumberId,
    to: friend,
    body: 'Oi!',
    contextMessageId: message.id,
  })
  await waitForStatus(reply.messages[0]?.id ?? '', 'sent')
  const image = picture.toString('base64')
  await world.sim('POST', '/messages', { from: friend, to: device.number, image, caption: 'see' })
  const file = await waitForMessage((one) => one.type === 'image')
  expect(file.image).toMatchObject({ caption: 'see', id: expect.any(String) })
  const found = await client.media.get({ mediaId: file.image.id, phoneNumberId })
  expect(found).toMatchObject({ id: file.image.id, mimeType: expect.stringMatching(/^image\//) })
  const bytes = (await client.media.download({ mediaId: file.image.id, phoneNumberId })) as ArrayBuffer
  expect(bytes.byteLength).toBeGreaterThan(0)
  const forwarded = await client.messages.sendImage({
    phoneNumberId,
    to: friend,
    image: { id: file.image.id },
  })
  await waitForStatus(forwarded.messages[0]?.id ?? '', 'sent')
})

test('a file is uploaded, described, downloaded without a credential, sent by its id, and deleted', async () => {
  const upload = (name: string, type: string, bytes: Buffer) =>
    client.media.upload({
      phoneNumberId,
      type: type.split('/')[0] as 'image',
      file: new Blob([new Uint8Array(bytes)], { type }),
      fileName: name,
    })
  const { id } = await upload('picture.png', 'image/png', picture)
  expect(id).toMatch(/^[1-9]\d{15}$/)
  const { url, ...found } = await client.media.get({ mediaId: id, phoneNumberId })
  expect(found).toEqual({
    messagingProduct: 'whatsapp',
    id,
    mimeType: 'image/png',
    fileSize: picture.length,
    sha256: digest(picture),
  })
  const fetched = await fetch(url)
  expect(fetched.headers.get('content-type')).toBe('image/png')
  expect(Buffer.from(await fetched.arrayBuffer()).equals(picture)).toBe(true)
  const altered = new URL(url)
  altered.pathname = altered.pathname.replace(id, '1234567890123456')
  expect((await fetch(altered)).status).toBe(401)

  const film = readMediaFile('film.mp4')
  const large = Buffer.concat([Buffer.from('%PDF-1.4 '), Buffer.alloc(700_000, 'x')])
  const { id: filmId } = await upload('film.mp4', 'video/mp4', film)
  const { id: paperId } = await upload('paper', 'application/octet-stream', large)
  const base = { phoneNumberId, to: friend }
  const sent = [
    await client.messages.sendImage({ ...base, image: { id, caption: 'by id' } }),
    await client.messages.sendVideo({ ...base, video: { id: filmId } }),
    await client.messages.sendDocument({ ...base, document: { id: paperId, filename: 'paper.pdf' } }),
  ].map(({ messages: [one] }) => one?.id ?? '')
  await Promise.all(sent.map((one) => waitForStatus(one, 'sent')))
  const inbox = await until(async () => {
    const { messages } = await world.sim('GET', `/phones/${friend}/inbox`)
    const own = (messages as Seen[]).filter((one) => sent.includes(`wamid.${one.id}`))
    return own.length === sent.length && own
  })
  const paper = inbox.find((one) => `wamid.${one.id}` === sent[2])
  expect(paper?.mediaSha256).toBe(digest(large))

  // Another instance neither sees, sends nor deletes it.
  const { body } = await world.admin.post('/instance/init', { name: 'Other', handle: 'other' })
  const other = new WhatsAppClient({ baseUrl: `${world.run.baseUrl}/graph`, accessToken: body.token })
  const calls = [
    () => other.media.get({ mediaId: id, phoneNumberId: 'other' }),
    () => other.media.delete({ mediaId: id, phoneNumberId: 'other' }),
    () => other.messages.sendImage({ phoneNumberId: 'other', to: friend, image: { id } }),
  ]
  for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 100 })

  expect(await client.media.delete({ mediaId: id, phoneNumberId })).toEqual({ success: true })
  await expect(client.media.get({ mediaId: id, phoneNumberId })).rejects.toMatchObject({ code: 100 })
  expect((await fetch(url)).status).toBe(400)
})

test('the number says whether it is linked, and what there is none of is empty', async () => {
  const graph = callGraph()
  const own = (await graph.get(`/${phoneNumberId}?fields=id,display_phone_number`)).body
  expect(own).toMatchObject({
    id: phoneNumberId,
    display_phone_number: `+${device.number}`,
    status: 'CONNECTED',
    code_verification_status: 'VERIFIED',
  })
  expect((await graph.get(`/${phoneNumberId}/phone_numbers`)).body.data).toEqual([own])
  expect((await graph.get(`/${phoneNumberId}/message_templates/`)).body).toEqual({ data: [], paging: {} })
  expect((await graph.get(`/debug_token?input_token=${token}`)).body.data).toMatchObject({ is_valid: true })
  expect((await graph.get('/debug_token?input_token=another')).body.data).toMatchObject({ is_valid: false })
  expect((await client.templates.list({ businessAccountId: phoneNumberId })).data).toEqual([])
  expect(await client.phoneNumbers.register({ phoneNumberId, pin: '123456' })).toEqual({ success: true })
  await client.phoneNumbers.businessProfile.update({ phoneNumberId, about: 'Open' })
  const profile = await client.phoneNumbers.businessProfile.get({ phoneNumberId })
  expect(profile).toMatchObject({ data: [{ about: 'Open' }] })
  const inQuery = createPlainCaller(`${world.run.baseUrl}/graph`, {})
  expect((await inQuery.get(`/${phoneNumberId}?access_token=${token}`)).status).toBe(200)
})

test('a receiver that does not answer the challenge gets no webhook', async () => {
  const listApps = () => callGraph().get(`/${phoneNumberId}/subscribed_apps`)
  const before = (await listApps()).body.data
  expect(before).toEqual([
    {
      whatsapp_business_api_data: { id: phoneNumberId, name: 'Shop' },
      override_callback_uri: `http://${place}/hook`,
    },
  ])
  const answers: [number, string][] = [
    [200, '{"error":"wrong token"}'],
    [403, ''],
    [200, '1'],
  ]
  for (const answer of answers) {
    answerChallenge = () => answer
    const refused = await subscribe({ override_callback_uri: `http://${place}/other` })
    expect([refused.status, refused.body.error.code]).toEqual([400, 2200])
  }
  answerChallenge = (challenge) => [200, `"${challenge}"\n`]
  expect((await subscribe({ override_callback_uri: `http://${place}/hook` })).body).toEqual({ success: true })
  expect((await listApps()).body.data).toEqual(before)
})

/** Without the number its calls are only named. */
const nameCalls = () =>
  Object.keys(listRefusedCalls(new WhatsAppClient({ baseUrl: 'http://a', accessToken: 'a' }), 'a', 'a'))

test.each(nameCalls())('%s is refused in words of the service', async (name) => {
  const [call, code] = listRefusedCalls(client, phoneNumberId, friend)[name] as [
    () => Promise<unknown>,
    number,
  ]
  await expect(call()).rejects.toMatchObject({ code })
})

test('the client has no call that is neither tried here nor refused', () => {
  const sent = `sendText sendImage sendDocument sendVideo sendAudio sendSticker sendLocation sendContacts sendInteractiveButtons
    sendInteractiveList sendInteractiveCtaUrl sendReaction sendRaw markRead`
  const others = `media.upload media.get media.download templates.list phoneNumbers.register phoneNumbers.businessProfile.get
    phoneNumbers.businessProfile.update`
  const tried = [...sent.split(/\s+/).map((name) => `messages.${name}`), ...others.split(/\s+/)]
  const known = new Set([
    ...nameCalls(),
    ...tried,
    // A carousel is an interactive message, as the raw one.
    'messages.sendInteractiveCarousel',
    // It creates a flow first.
    'flows.deploy',
  ])
  // What only the proxy of its maker has: the client itself refuses it.
  const ofProxy = /^(conversations|contacts)\.|^messages\.(query|get|listByConversation)$|^calls\.(list|get)$/
  const ofItself = /^flows\.(__|buildCacheKey|lastDeployedHashes)|^messages\.\w+(Sender|transport)/
  const found = [
    'messages',
    'media',
    'templates',
    'phoneNumbers',
    'calls',
    'flows',
    'conversations',
    'contacts',
  ]
    .flatMap((name) => listMethods(client[name as keyof WhatsAppClient] as object, name))
    .filter((name) => !ofProxy.test(name) && !ofItself.test(name) && !known.has(name))
  expect(found).toEqual([])
})

function listMethods(resource: object, path: string): string[] {
  const own = Object.getOwnPropertyNames(resource)
  const parent = Object.getPrototypeOf(resource)
  const inherited = parent === Object.prototype ? [] : Object.getOwnPropertyNames(parent)
  return [...own, ...inherited].flatMap((name) => {
    const value = (resource as Record<string, unknown>)[name]
    if (name === 'constructor' || name === 'client') return []
    if (typeof value === 'function') return `${path}.${name}`
    const isPart = typeof value === 'object' && value !== null && !/Sender$|^transport$/.test(name)
    return isPart && Object.getPrototypeOf(value) === Object.prototype
      ? listMethods(value, `${path}.${name}`)
      : []
  })
}
