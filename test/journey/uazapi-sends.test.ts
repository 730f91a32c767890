// What clients of the API family say with a send, and read of what was sent.

import { randomBytes } from 'node:crypto'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { createPhone, createQuietPhone } from '../device.ts'
import { film, voice } from '../media-files.ts'
import { borrowScene, type Seen } from '../scene.ts'
import { until } from '../until.ts'
import { hashSha256, toPersonJid } from './endings/row.ts'

const { world, device, waitForEvent, waitForMessage, readInbox, causeFault, endFaults } = await borrowScene()

const postRequest = (path: string, body: object, key?: Record<string, string>) =>
  device.caller.post(path, body, key)
const findMessage = async (id: string): Promise<Seen> =>
  (await device.caller.post('/message/find', { id })).body.messages[0]
const waitForOutcome = (messageid: string) =>
  waitForEvent(
    'messages_update',
    ({ type, event }) => type === 'SendReceipt' && event.MessageIDs.includes(messageid),
  )

test('an async send is answered at once, and its result is reported as an update', async () => {
  const friend = await createQuietPhone(world)
  const key = { 'idempotency-key': 'async-1' }
  await causeFault('slow', { tag: 'message', ms: 700 })
  const words = { number: friend, text: 'no hurry', async: true, track_id: 'a-1' }
  const { status, body } = await postRequest('/send/text', words, key)
  expect([status, body.status, body.chatid]).toEqual([200, 'Pending', toPersonJid(friend)])
  expect((await findMessage(body.messageid)).status).toBe('Pending')
  const update = await waitForOutcome(body.messageid)
  await endFaults()
  expect(update).toMatchObject({
    state: 'Sent',
    event: { Type: 'sent', Chat: toPersonJid(friend), IsFromMe: true },
  })
  await waitForMessage(friend, ({ id }) => id === body.messageid)
  expect((await findMessage(body.messageid)).status).toBe('Sent')
  const again = await postRequest('/send/text', words, key)
  expect([again.status, again.body.messageid]).toEqual([200, body.messageid])
  expect(await readInbox(friend)).toHaveLength(1)
})

test('a refused async send is answered at once, and the update contains the reason', async () => {
  const friend = await createQuietPhone(world)
  await causeFault('ack_error', { code: 479, count: 1 })
  const { status, body } = await postRequest('/send/text', { number: friend, text: 'in vain', async: true })
  expect([status, body.status]).toEqual([200, 'Pending'])
  expect(await waitForOutcome(body.messageid)).toMatchObject({
    state: 'Failed',
    event: { Type: 'failed', error: '479' },
  })
  expect(await findMessage(body.messageid)).toMatchObject({ status: 'Failed', error: '479' })
})

test('a file is on the network before its async send is answered', async () => {
  const [friend, bytes] = [await createQuietPhone(world), randomBytes(20_000)]
  const file = bytes.toString('base64')
  const { status, body } = await postRequest('/send/media', {
    number: friend,
    type: 'document',
    file,
    async: true,
  })
  expect([status, body.status]).toEqual([200, 'Pending'])
  await waitForOutcome(body.messageid)
  expect((await waitForMessage(friend, ({ id }) => id === body.messageid)).mediaSha256).toBe(
    hashSha256(bytes),
  )
})

test('a message sent as forwarded is shown so, and readmessages marks the chat read', async () => {
  const friend = await createPhone(world)
  const { id } = await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'unread' })
  await waitForEvent('messages', ({ message }) => message.messageid === id)
  const { body } = await postRequest('/send/text', {
    number: friend,
    text: 'x',
    forward: true,
    readmessages: true,
  })
  expect(body.content.contextInfo).toEqual({ isForwarded: true, forwardingScore: 1 })
  await until(async () => {
    const { receipts } = await world.sim('GET', `/receipts?number=${device.number}`)
    return (receipts as Seen[]).some(({ type, ids }) => type === 'read' && ids.includes(id))
  })
})

const drawPng = async () =>
  (
    await sharp({ create: { width: 8, height: 8, channels: 3, background: 'teal' } })
      .png()
      .toBuffer()
  ).toString('base64')
const drawWebp = async () =>
  (
    await sharp({ create: { width: 8, height: 8, channels: 3, background: 'teal' } })
      .webp()
      .toBuffer()
  ).toString('base64')
const createBytes = () => randomBytes(2000).toString('base64')
const createMediaCase = (type: string, file: () => string | Promise<string>, text?: string) =>
  [`media ${type}`, '/send/media', async () => ({ type, file: await file(), text })] as const

/** Every kind of message to a person. */
const kinds = [
  ['text', '/send/text', async () => ({ text: 'as I heard' })],
  createMediaCase('image', drawPng, 'seen?'),
  createMediaCase('video', () => film),
  createMediaCase('document', createBytes),
  createMediaCase('audio', () => voice),
  createMediaCase('ptt', () => voice),
  createMediaCase('ptv', () => film),
  createMediaCase('sticker', drawWebp),
  ['location', '/send/location', async () => ({ latitude: -23.5, longitude: -46.6, name: 'Here' })],
  ['contact', '/send/contact', async () => ({ fullName: 'Ann', phoneNumber: '5511988887777' })],
  ['poll', '/send/menu', async () => ({ type: 'poll', text: 'When?', choices: ['Now', 'Never'] })],
] as const

test.each(kinds)('forward and readmessages work for a %s', async (_, path, wish) => {
  const friend = await createQuietPhone(world)
  const { id } = await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'unread' })
  await waitForEvent('messages', ({ message }) => message.messageid === id)
  const plain = (await postRequest(path, { number: friend, ...(await wish()) })).body
  const { status, body } = await postRequest(path, {
    number: friend,
    ...(await wish()),
    forward: true,
    readmessages: true,
  })
  expect([status, body.content.contextInfo]).toEqual([200, { isForwarded: true, forwardingScore: 1 }])
  expect(await waitForMessage(friend, (one) => one.id === body.messageid)).toMatchObject({
    forwarded: true,
  })
  expect(await waitForMessage(friend, (one) => one.id === plain.messageid)).not.toHaveProperty('forwarded')
  const { receipts } = await world.sim('GET', `/receipts?number=${device.number}`)
  expect((receipts as Seen[]).some(({ type, ids }) => type === 'read' && ids.includes(id))).toBe(true)
})

test.each(kinds)('async works for a %s', async (_, path, wish) => {
  const friend = await createQuietPhone(world)
  const { status, body } = await postRequest(path, { number: friend, ...(await wish()), async: true })
  expect([status, body.status]).toEqual([200, 'Pending'])
  expect(await waitForOutcome(body.messageid)).toMatchObject({
    state: 'Sent',
    event: { Chat: toPersonJid(friend) },
  })
  await waitForMessage(friend, ({ id }) => id === body.messageid)
})

test.each([
  ['ptv', { type: 'video', ptv: true }, 'video'],
  ['videoplay', { type: 'video' }, 'video'],
  ['myaudio', { type: 'audio' }, 'ptt'],
])('a file of type %s is shown as %j', async (type, seen, mediaType) => {
  const friend = await createPhone(world)
  const file = mediaType === 'ptt' ? voice : film
  const { status, body } = await postRequest('/send/media', { number: friend, type, file })
  expect([status, body.mediaType]).toEqual([200, mediaType])
  expect(await waitForMessage(friend, ({ id }) => id === body.messageid)).toMatchObject({
    ...seen,
    mediaSha256: hashSha256(Buffer.from(file, 'base64')),
  })
})

test('content has text, caption and URL of sent and received messages', async () => {
  const friend = await createPhone(world)
  const sent = (await postRequest('/send/text', { number: friend, text: 'good morning' })).body
  expect(sent.content).toEqual({ text: 'good morning' })
  const file = randomBytes(2000).toString('base64')
  const letter = { number: friend, type: 'document', file, text: 'the list' }
  const { content } = (await postRequest('/send/media', letter)).body
  expect(content).toMatchObject({ caption: 'the list', URL: expect.stringMatching(/^https:/) })

  const from = { from: friend, to: device.number }
  const { id } = await world.sim('POST', '/messages', { ...from, text: 'hello' })
  const event = await waitForEvent('messages', ({ message }) => message.messageid === id)
  expect(event.message.content).toEqual({ text: 'hello' })
  const picture = await world.sim('POST', '/messages', { ...from, document: file, caption: 'mine' })
  const seen = await waitForEvent('messages', ({ message }) => message.messageid === picture.id)
  expect(seen.message.content).toMatchObject({ caption: 'mine', URL: expect.stringMatching(/^https:/) })

  await world.sim('POST', `/messages/${id}/edit`, { by: friend, text: 'hello again' })
  await until(async () => (await findMessage(id as string)).content.text === 'hello again')
  await postRequest('/message/edit', { id: sent.messageid, text: 'good evening' })
  await until(async () => (await findMessage(sent.messageid)).content.text === 'good evening')
})

test('contextInfo contains the quoted message with its text, and the mentions', async () => {
  const friend = await createPhone(world)
  const first = (await postRequest('/send/text', { number: friend, text: 'when?' })).body.messageid
  const reply = { from: friend, to: device.number, text: 'at eight', quoted: first }
  const { id } = await world.sim('POST', '/messages', reply)
  const { message } = await waitForEvent('messages', (envelope) => envelope.message.messageid === id)
  expect(message.quoted).toBe(first)
  expect(message.content.contextInfo).toMatchObject({ stanzaID: first })
  const { body } = await postRequest('/send/text', {
    number: friend,
    text: 'good',
    replyid: id,
    mentions: [friend],
  })
  expect(body.content.contextInfo).toMatchObject({
    stanzaID: id,
    participant: expect.any(String),
    mentionedJID: [toPersonJid(friend)],
    quotedMessage: { extendedTextMessage: { text: 'at eight' } },
  })
})

test('a long text is in `text` only, and is not truncated', async () => {
  const [friend, text] = [await createPhone(world), 'é'.repeat(65_536)]
  const { body } = await postRequest('/send/text', { number: friend, text })
  expect([body.text.length, body.content, body.truncated]).toEqual([65_536, {}, false])
})
