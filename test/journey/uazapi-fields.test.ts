// Fields that clients of the API family read and write beyond the contract's own words: available to every caller.

import { afterAll, expect, test } from 'vitest'
import { createDevice, createPhone, createQuietPhone } from '../device.ts'
import { voice } from '../media-files.ts'
import { borrowScene } from '../scene.ts'
import { until } from '../until.ts'

const { world, device, waitForEvent, waitForMessage } = await borrowScene()
const disconnected = { connected: false, loggedIn: false, jid: null }

afterAll(() => world.sim('DELETE', '/faults'))

test('init has the token and the state at the top level too', async () => {
  const { body } = await world.admin.post('/instance/init', { name: 'Family' })
  expect(body).toMatchObject({
    response: expect.stringMatching(/./),
    name: 'Family',
    connected: false,
    loggedIn: false,
    token: body.instance.token,
  })
})

test('status contains whether the instance is logged in, and its account', async () => {
  const fresh = await createDevice(world)
  expect((await fresh.caller.get('/instance/status')).body.status).toEqual(disconnected)
  const { body } = await fresh.caller.post('/instance/connect')
  const waiting = await until(async () => {
    const now = (await fresh.caller.get('/instance/status')).body
    return now.pairing && now.connected ? now : undefined
  })
  expect([body.status, waiting.status]).toEqual([disconnected, disconnected])
  const jid = { user: device.number, agent: 0, device: 0, server: 's.msgnet.net' }
  const linked = { connected: true, loggedIn: true, jid }
  expect((await device.caller.get('/instance/status')).body.status).toEqual(linked)
  expect((await device.caller.post('/instance/restart')).body.status.jid).toEqual(jid)
  await until(async () => (await device.caller.get('/instance/status')).body.status.connected)
  expect((await fresh.caller.post('/instance/disconnect')).body.status).toEqual(disconnected)
})

test('updates name the chat and the state in the words of the API family', async () => {
  const friend = await createQuietPhone(world)
  const { messageid, chatid } = (await device.caller.post('/send/text', { number: friend, text: 'read me' }))
    .body
  await waitForMessage(friend, ({ id }) => id === messageid)
  for (const [type, word] of [
    ['delivered', ''],
    ['read', 'read'],
  ]) {
    await world.sim('POST', `/messages/${messageid}/receipt`, { by: friend, type })
    const update = await waitForEvent(
      'messages_update',
      ({ event }) => event.MessageIDs.includes(messageid) && event.Type === word,
    )
    expect(update.event).toMatchObject({ Chat: chatid, chatid })
  }
  const note = await device.caller.post('/send/media', { number: friend, type: 'ptt', file: voice })
  const { messageid: played } = note.body
  await waitForMessage(friend, ({ id }) => id === played)
  await world.sim('POST', `/messages/${played}/receipt`, { by: friend, type: 'played' })
  await waitForEvent(
    'messages_update',
    ({ event }) => event.MessageIDs.includes(played) && event.Type === 'played',
  )

  await device.caller.post('/message/delete', { id: messageid })
  const gone = await waitForEvent(
    'messages_update',
    ({ event }) => event.MessageIDs.includes(messageid) && event.Type === 'Deleted',
  )
  expect(gone.event.Chat).toBe(chatid)
})

test('messages of all chats are found newest first, page by page, and by where their track id comes from', async () => {
  const [one, two] = [await createPhone(world), await createPhone(world)]
  const sendText = (number: string, text: string, more = {}) =>
    device.caller.post('/send/text', { number, text, ...more })
  await sendText(one, 'first', { track_source: 'shop' })
  await sendText(two, 'second')
  await sendText(one, 'third', { track_source: 'shop', track_id: 't-3' })
  const findMessages = async (query: object) => (await device.caller.post('/message/find', query)).body
  const all = await findMessages({ limit: 3 })
  expect(all).toMatchObject({
    messages: [{ text: 'third' }, { text: 'second' }, { text: 'first' }],
    returnedMessages: 3,
    nextOffset: 3,
  })
  expect((await findMessages({ limit: 1, offset: 1 })).messages).toMatchObject([{ text: 'second' }])
  expect((await findMessages({ track_source: 'shop' })).messages).toMatchObject([
    { text: 'third' },
    { text: 'first' },
  ])
  expect((await findMessages({ track_source: 'shop', track_id: 't-3' })).messages).toMatchObject([
    { text: 'third' },
  ])
  expect((await findMessages({ track_source: 'elsewhere' })).messages).toEqual([])

  const { id } = await world.sim('POST', '/messages', { from: two, to: device.number, text: 'fourth' })
  await waitForEvent('messages', ({ message }) => message.messageid === id)
  const listTexts = async (query: object) =>
    (await findMessages(query)).messages.map(({ text }: { text: string }) => text)
  expect(await listTexts({ fromMe: false })).toEqual(['fourth'])
  expect(await listTexts({ fromMe: true, sort: '-messageTimestamp', limit: 2 })).toEqual(['third', 'second'])
  const chatid = `${one}@s.msgnet.net`
  expect(await listTexts({ chatid, sort: 'messageTimestamp' })).toEqual(['first', 'third'])
  expect(await listTexts({ chatid, messageType: 'ImageMessage' })).toEqual([])
  expect(await listTexts({ chatid, messageType: 'ExtendedTextMessage', fromMe: true })).toEqual([
    'third',
    'first',
  ])
  expect(await listTexts({ id, fromMe: true })).toEqual([])
  expect(await listTexts({ id, messageType: 'Conversation' })).toEqual(['fourth'])
  expect(await listTexts({ track_source: 'shop', fromMe: false })).toEqual([])
  const wrong = await device.caller.post('/message/find', { sort: 'text' })
  expect([wrong.status, wrong.body.error]).toEqual([400, 'invalid_body'])
})

test('a contact may have several numbers, with commas', async () => {
  const friend = await createPhone(world)
  const phoneNumber = '+55 11 98888-7777, 5511977776666'
  const { status, body } = await device.caller.post('/send/contact', {
    number: friend,
    fullName: 'Ann',
    phoneNumber,
  })
  expect(status).toBe(200)
  const { vcard } = body.content.contacts[0]
  expect(vcard).toContain('waid=5511988887777:+5511988887777\n')
  expect(vcard).toContain('waid=5511977776666:+5511977776666\n')
  expect(await waitForMessage(friend, ({ type }) => type === 'contact')).toMatchObject({ id: body.messageid })
  const wrong = await device.caller.post('/send/contact', {
    number: friend,
    fullName: 'Ann',
    phoneNumber: '5511977776666,none',
  })
  expect([wrong.status, wrong.body.error]).toEqual([400, 'invalid_phone'])
})
