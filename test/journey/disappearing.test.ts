// Disappearing messages: the timer of a chat, whoever sets it, is carried by what is sent there.

import { expect, test } from 'vitest'
import { createPhone } from '../device.ts'
import { borrowScene, type Seen } from '../scene.ts'
import { until } from '../until.ts'
import { toPersonJid } from './endings/row.ts'

/** A PNG. */
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const { world, device, waitForEvent, waitForMessage } = await borrowScene()
const [DAY, WEEK] = [86_400, 604_800]

const post = (path: string, body: object) => device.caller.post(path, body)
const readChat = async (number: string): Promise<Seen> => (await post('/chat/details', { number })).body
const findStored = async (id: string): Promise<Seen> => (await post('/message/find', { id })).body.messages[0]

/** What the phone shows of the message, by the id of the answer. */
const send = async (number: string, path: string, body: object): Promise<Seen> => {
  const { body: sent } = await post(path, { number, ...body })
  return waitForMessage(number, ({ id }) => id === sent.messageid)
}
const sendText = (number: string) => send(number, '/send/text', { text: 'hello' })

async function receive(from: string, fields: object, kind = 'extendedTextMessage'): Promise<string> {
  const { id } = await world.sim('POST', '/messages', { from, to: device.number, kind, fields })
  return id as string
}
const waitForTimer = async (chatid: string, seconds: number): Promise<Seen> => {
  const isIt = ({ type, event }: Seen) =>
    type === 'ChatTimer' && event.chatid === chatid && event.seconds === seconds
  return (await waitForEvent('messages_update', isIt)).event
}
const waitForRecord = (id: string) => waitForEvent('messages', ({ message }) => message.messageid === id)

test('the timer of a chat is set, shown, and carried by every kind that is sent there', async () => {
  const anna = await createPhone(world, 'Anna')
  const asked = await receive(anna, { text: 'when do you open?' })
  await waitForRecord(asked)
  expect((await sendText(anna)).disappears).toBeUndefined()
  expect(await post('/chat/ephemeral', { number: anna, seconds: WEEK })).toMatchObject({
    status: 200,
    body: { response: 'Messages disappear' },
  })
  expect(await waitForMessage(anna, ({ type }) => type === 'timer')).toMatchObject({ seconds: WEEK })
  const update = await waitForEvent('messages_update', ({ type }) => type === 'ChatTimer')
  expect(update.event).toMatchObject({ chatid: toPersonJid(anna), seconds: WEEK, IsFromMe: true })
  expect((await readChat(anna)).ephemeral).toBe(WEEK)
  const { chats } = (await post('/chat/find', { wa_chatid: toPersonJid(anna) })).body
  expect(chats[0].ephemeral).toBe(WEEK)

  const file = Buffer.from('a file of some bytes').toString('base64')
  const kinds: [string, object][] = [
    ['/send/text', { text: 'hello' }],
    ['/send/text', { text: 'at nine', replyid: asked }],
    ['/send/text', { text: 'https://shop.example', linkPreviewTitle: 'The Shop' }],
    ['/send/media', { type: 'document', file, docName: 'prices.txt' }],
    ['/send/album', { files: [pixel, pixel].map((file) => ({ type: 'image', file })) }],
    ['/send/location', { latitude: -23.5, longitude: -46.6 }],
    ['/send/event', { name: 'Opening', startTime: 1_789_678_800_000 }],
    ['/send/contact', { fullName: 'Carla', phoneNumber: '5511988887777' }],
    ['/send/menu', { type: 'poll', text: 'When?', choices: ['Today', 'Tomorrow'] }],
    ['/message/forward', { id: asked }],
  ]
  for (const [path, body] of kinds)
    expect({ path, ...(await send(anna, path, body)) }).toMatchObject({ path, disappears: WEEK })
  const { messageid: id } = (await post('/send/text', { number: anna, text: 'befor' })).body
  const stored = await findStored(id)
  expect(stored.content.disappearsAt).toBe(stored.messageTimestamp + WEEK * 1000)

  expect((await post('/chat/ephemeral', { number: anna, seconds: 0 })).body.response).toBe('Messages stay')
  expect((await sendText(anna)).disappears).toBeUndefined()
  expect((await readChat(anna)).ephemeral).toBe(0)
})

test('a timer that the other person sets is carried, and one that only a message of theirs shows', async () => {
  const anna = await createPhone(world, 'Anna')
  const setting = { type: 'EPHEMERAL_SETTING', ephemeralExpiration: DAY }
  const id = await receive(anna, setting, 'protocolMessage')
  await waitForEvent(
    'messages_update',
    ({ type, event }) => type === 'ChatTimer' && event.MessageIDs[0] === id,
  )
  expect((await sendText(anna)).disappears).toBe(DAY)

  const bruno = await createPhone(world, 'Bruno')
  const since = Math.floor(Date.now() / 1000) - 60
  const fields = { text: 'hi', contextInfo: { expiration: WEEK, ephemeralSettingTimestamp: since } }
  const { message } = await waitForRecord(await receive(bruno, fields))
  expect(message.content.disappearsAt).toBe(message.messageTimestamp + WEEK * 1000)
  expect((await sendText(bruno)).disappears).toBe(WEEK)
  const older = { expiration: DAY, ephemeralSettingTimestamp: since - 60 }
  await waitForRecord(await receive(bruno, { text: 'late', contextInfo: older }))
  expect((await sendText(bruno)).disappears).toBe(WEEK)
})

test('a timer that the owner sets on the phone is carried', async () => {
  const anna = await createPhone(world, 'Anna')
  const fields = { type: 'EPHEMERAL_SETTING', ephemeralExpiration: WEEK }
  await world.sim('POST', '/messages', { from: device.number, to: anna, kind: 'protocolMessage', fields })
  await until(async () => (await readChat(anna)).ephemeral === WEEK)
  expect((await sendText(anna)).disappears).toBe(WEEK)
})

test('the timer of a group is carried, whether it is set here or by a member', async () => {
  const anna = await createPhone(world, 'Anna')
  const { jid } = await world.sim('POST', '/groups', {
    subject: 'Shop',
    owner: anna,
    participants: [device.number],
    admins: [device.number],
  })
  await waitForEvent('groups', ({ event }) => event.JID === jid)
  expect((await post('/chat/ephemeral', { number: jid, seconds: DAY })).status).toBe(200)
  expect(await world.sim('GET', `/groups/${jid}`)).toMatchObject({ ephemeral: DAY })
  expect(await waitForTimer(jid as string, DAY)).toMatchObject({
    IsFromMe: true,
    sender_pn: toPersonJid(device.number),
    sender_lid: expect.stringMatching(/@lid$/),
  })
  const { messageid } = (await post('/send/text', { number: jid, text: 'hello' })).body
  expect(await waitForMessage(anna, ({ id }) => id === messageid)).toMatchObject({ disappears: DAY })
  await world.sim('PATCH', `/groups/${jid}`, { by: anna, ephemeral: WEEK })
  expect(await waitForTimer(jid as string, WEEK)).toMatchObject({
    IsFromMe: false,
    sender_pn: toPersonJid(anna),
    sender_lid: expect.stringMatching(/@lid$/),
  })
  await until(async () => (await readChat(jid as string)).ephemeral === WEEK)
  const { messageid: later } = (await post('/send/text', { number: jid, text: 'hello' })).body
  expect(await waitForMessage(anna, ({ id }) => id === later)).toMatchObject({ disappears: WEEK })
})

test('the timers of chats that are older than the device come with the history', async () => {
  const anna = await createPhone(world, 'Anna')
  const chats = [{ with: anna, messages: 0, timer: WEEK }]
  await world.sim('POST', `/phones/${device.number}/history`, { type: 'recent', chats })
  await until(async () => (await readChat(anna)).ephemeral === WEEK)
  expect((await sendText(anna)).disappears).toBe(WEEK)
})

test('each file of an album carries the timer of its chat', async () => {
  const anna = await createPhone(world, 'Anna')
  await post('/chat/ephemeral', { number: anna, seconds: WEEK })
  const files = [pixel, pixel].map((file) => ({ type: 'image', file }))
  const { messages } = (await post('/send/album', { number: anna, files })).body
  expect(messages).toHaveLength(2)
  for (const { messageid } of messages)
    expect(await waitForMessage(anna, ({ id }) => id === messageid)).toMatchObject({ disappears: WEEK })
})
