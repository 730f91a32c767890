// Actions on existing messages, and sends other than texts: what the phones decrypted, and the events for the receiver.

import { expect, test } from 'vitest'
import { createPhone } from '../device.ts'
import { borrowScene, type Seen } from '../scene.ts'
import { until } from '../until.ts'

const { world, receiver, device, waitForEvent, waitForMessage, causeFault, endFaults } = await borrowScene({
  ACTION_TIMEOUT_MS: '4000',
})

const sendText = async (number: string, text: string): Promise<string> =>
  (await device.caller.post('/send/text', { number, text })).body.messageid
const receiveText = async (from: string, text: string): Promise<string> => {
  const { id } = await world.sim('POST', '/messages', { from, to: device.number, text })
  await waitForEvent('messages', ({ message }) => message.messageid === id)
  return id as string
}
const findMessage = async (id: string): Promise<Seen> =>
  (await device.caller.post('/message/find', { id })).body.messages[0]

test('the phone shows the event that was sent, and who comes arrives with its answer', async () => {
  const friend = await createPhone(world)
  const event = {
    name: 'Opening',
    description: 'With music',
    startTime: 1_789_678_800_000,
    endTime: 1_789_686_000_000,
    joinLink: 'https://call.example.com/1',
  }
  const place = { locationName: 'The Shop', address: 'Augusta 7' }
  const sent = await device.caller.post('/send/event', { number: friend, ...event, ...place })
  expect(sent.status).toBe(200)
  const { name, ...told } = event
  const location = { name: 'The Shop', address: 'Augusta 7' }
  expect(sent.body).toMatchObject({ messageType: 'eventMessage', text: name, content: { ...told, location } })
  const { messageid } = sent.body
  expect(await waitForMessage(friend, ({ type }) => type === 'event')).toMatchObject({
    id: messageid,
    text: 'Opening',
  })
  await world.sim('POST', `/messages/${messageid}/answer`, { by: friend, response: 'going' })
  const answered = await waitForEvent('messages', ({ message }) => message.content.answer === 'going')
  expect(answered.message).toMatchObject({ messageType: 'encEventResponseMessage', fromMe: false })
})

test('an event may be called off', async () => {
  const friend = await createPhone(world)
  const event = { number: friend, name: 'Opening', startTime: 1_789_678_800_000, cancelled: true }
  expect((await device.caller.post('/send/event', event)).body.content).toMatchObject({ cancelled: true })
})

test('the phone shows the location and the contact card that were sent', async () => {
  const friend = await createPhone(world)
  const place = {
    number: friend,
    latitude: -23.55,
    longitude: -46.63,
    name: 'The Shop',
    address: 'Augusta 7',
  }
  const sent = await device.caller.post('/send/location', place)
  expect(sent.status).toBe(200)
  expect(sent.body).toMatchObject({
    type: 'location',
    content: { latitude: -23.55, longitude: -46.63, name: 'The Shop' },
  })
  expect(await waitForMessage(friend, ({ type }) => type === 'location')).toMatchObject({
    id: sent.body.messageid,
  })

  const card = {
    number: friend,
    fullName: 'Bruno; Alves',
    phoneNumber: '+55 11 98888-7777',
    organization: 'A,B',
  }
  const contact = await device.caller.post('/send/contact', card)
  expect(contact.body.content.contacts[0].vcard).toContain('FN:Bruno\\; Alves')
  expect(contact.body.content.contacts[0].vcard).toContain('waid=5511988887777:+5511988887777')
  expect(await waitForMessage(friend, ({ type }) => type === 'contact')).toMatchObject({
    text: 'Bruno; Alves',
  })
})

test('an edit is reported with its target, stored, and shown on the phone', async () => {
  const friend = await createPhone(world)
  const id = await sendText(friend, 'at eight')
  const edit = await device.caller.post('/message/edit', { id: `${device.number}:${id}`, text: 'at nine' })
  expect(edit.status).toBe(200)
  expect(edit.body).toMatchObject({ edited: id, text: 'at nine', wasSentByApi: true, type: 'edit' })
  expect(await waitForMessage(friend, ({ type }) => type === 'edit')).toMatchObject({
    target: id,
    text: 'at nine',
  })
  expect(await findMessage(id)).toMatchObject({ messageid: id, text: 'at nine', type: 'text' })
  const { event } = await waitForEvent('messages_edit', (envelope) => envelope.event.messageid === id)
  expect(event).toMatchObject({ text: 'at nine', chatid: `${friend}@s.msgnet.net` })

  const again = await device.caller.request('PUT', '/message/edit', { id, text: 'at ten' })
  expect(again.status).toBe(200)
  await waitForMessage(friend, ({ type, text }) => type === 'edit' && text === 'at ten')
})

test('a deletion removes the message from the phone and its text from the store', async () => {
  const friend = await createPhone(world)
  const id = await sendText(friend, 'a slip')
  const gone = await device.caller.post('/message/delete', { id })
  expect(gone.body).toEqual({ id: `${device.number}:${id}`, timestamp: expect.any(Number) })
  expect(await waitForMessage(friend, ({ type }) => type === 'revoke')).toMatchObject({ target: id })
  expect(await findMessage(id)).toMatchObject({ status: 'Deleted', text: '' })
  const update = await waitForEvent('messages_update', ({ state }) => state === 'Deleted')
  expect(update).toMatchObject({ type: 'DeletedMessage', event: { MessageIDs: [id], IsFromMe: true } })
  expect(await device.caller.post('/message/delete', { id })).toMatchObject({ status: 200, body: gone.body })
})

test('a reaction names its target and is removed by the empty string', async () => {
  const friend = await createPhone(world)
  const id = await receiveText(friend, 'do you like it?')
  const sent = await device.caller.post('/message/react', { id, number: friend, text: '👍' })
  expect(sent.body).toMatchObject({ type: 'reaction', reaction: id, text: '👍' })
  expect(await waitForMessage(friend, ({ type }) => type === 'reaction')).toMatchObject({
    target: id,
    text: '👍',
  })
  expect((await findMessage(id)).content.reactions).toMatchObject([{ text: '👍' }])

  expect((await device.caller.post('/message/react', { id, number: friend, text: '' })).status).toBe(200)
  await waitForMessage(friend, ({ type, text }) => type === 'reaction' && text === '')
  expect((await findMessage(id)).content.reactions).toEqual([])

  const other = await createPhone(world)
  const astray = await device.caller.post('/message/react', { id, number: other, text: '👍' })
  expect(astray).toMatchObject({ status: 400, body: { error: 'invalid_message' } })
})

test('a forwarded message is a new message with the same text', async () => {
  const friend = await createPhone(world)
  const other = await createPhone(world)
  const id = await receiveText(friend, 'pass it on')
  const sent = await device.caller.post('/message/forward', { id, number: other })
  expect(sent.body).toMatchObject({ text: 'pass it on', chatid: `${other}@s.msgnet.net`, fromMe: true })
  expect(sent.body.messageid).not.toBe(id)
  expect(await waitForMessage(other, ({ type }) => type === 'text')).toMatchObject({ text: 'pass it on' })
})

test('edits, deletions and reactions of others are reported and stored', async () => {
  const friend = await createPhone(world)
  const id = await receiveText(friend, 'tomorrow')
  await world.sim('POST', `/messages/${id}/edit`, { by: friend, text: 'today' })
  const edit = await waitForEvent('messages_edit', (envelope) => envelope.event.messageid === id)
  expect(edit.event).toMatchObject({ text: 'today', chatid: `${friend}@s.msgnet.net` })
  expect(await findMessage(id)).toMatchObject({ text: 'today' })

  await world.sim('POST', `/messages/${id}/react`, { by: friend, text: '🎉' })
  const reaction = await waitForEvent('messages', ({ message }) => message.reaction === id)
  expect(reaction.message).toMatchObject({ type: 'reaction', text: '🎉', fromMe: false })

  await world.sim('POST', `/messages/${id}/revoke`, { by: friend })
  const gone = await waitForEvent('messages_update', (envelope) => envelope.event.MessageIDs?.includes(id))
  expect(gone).toMatchObject({ type: 'DeletedMessage', state: 'Deleted', event: { IsFromMe: false } })
  expect(await findMessage(id)).toMatchObject({ status: 'Deleted', text: '' })
})

test('only existing messages of this account can be edited and deleted', async () => {
  const friend = await createPhone(world)
  const otherId = await receiveText(friend, 'mine')
  for (const path of ['/message/edit', '/message/delete']) {
    const refused = await device.caller.post(path, { id: otherId, text: 'yours' })
    expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_message' } })
    const missing = await device.caller.post(path, { id: '3EB0NOTHING', text: 'lost' })
    expect(missing).toMatchObject({ status: 404, body: { error: 'message_not_found' } })
  }
  const missing = await device.caller.post('/message/forward', { id: '3EB0NOTHING', number: friend })
  expect(missing.status).toBe(404)
})

test('messages of a chat are found newest first and page by page, by any id of the chat or by their track id', async () => {
  const friend = await createPhone(world, 'Carla')
  for (const text of ['one', 'two']) await receiveText(friend, text)
  await device.caller.post('/send/text', { number: friend, text: 'three', track_id: 'order-9' })
  const page = await device.caller.post('/message/find', { chatid: friend, limit: 2 })
  expect(page.body).toMatchObject({ limit: 2, offset: 0, nextOffset: 2, hasMore: true })
  expect(page.body.messages.map(({ text }: Seen) => text)).toContain('three')
  const rest = await device.caller.post('/message/find', { chatid: friend, limit: 2, offset: 2 })
  expect(rest.body).toMatchObject({ hasMore: false, nextOffset: 3 })
  const tracked = await device.caller.post('/message/find', { track_id: 'order-9' })
  expect(tracked.body.messages).toMatchObject([{ text: 'three', track_id: 'order-9' }])

  const { body } = await device.caller.post('/chat/find', { unread: true, limit: 100 })
  const chat = body.chats.find(({ id }: Seen) => id === `${friend}@s.msgnet.net`)
  expect(chat).toMatchObject({ name: 'Carla', unreadCount: 2, isGroup: false })
  await device.caller.post('/chat/read', { number: friend })
  const read = await device.caller.post('/chat/find', { unread: true, limit: 100 })
  expect(read.body.chats.map(({ id }: Seen) => id)).not.toContain(`${friend}@s.msgnet.net`)
})

test('many numbers are checked at once, with one result for each', async () => {
  const friend = await createPhone(world)
  const { body } = await device.caller.post('/chat/check', {
    numbers: [friend, '5511900000001', 'nobody', `+${friend}`, '98765432101234@lid'],
  })
  expect(body).toMatchObject([
    { query: friend, jid: `${friend}@s.msgnet.net`, isInMsgnet: true, error: '' },
    { query: '5511900000001', isInMsgnet: false, error: '' },
    { query: 'nobody', isInMsgnet: false, error: 'invalid_number' },
    { query: `+${friend}`, isInMsgnet: true },
    // Nothing is inferred from a LID that the network has never put beside a number.
    { query: '98765432101234@lid', jid: '', lid: '98765432101234@lid', isInMsgnet: false },
  ])
  expect(body[0].lid).toMatch(/@lid$/)
})

test('presence is set, and an unknown value is refused', async () => {
  const friend = await createPhone(world)
  const shown = await device.caller.post('/message/presence', { number: friend, presence: 'recording' })
  expect(shown.body).toEqual({ response: expect.any(String) })
  expect((await device.caller.post('/message/presence', { number: friend, presence: 'away' })).status).toBe(
    400,
  )
})

test('typing with a delay ends by itself, and a message to the chat ends it sooner', async () => {
  const [patient, hasty] = [await createPhone(world), await createPhone(world)]
  const type = (number: string, delay: number) =>
    device.caller.post('/message/presence', { number, presence: 'composing', delay })
  const listStates = async (number: string) => {
    const { entries } = await world.sim('GET', `/log?number=${device.number}`)
    const ofChat = (entries as Seen[]).filter(({ what, to }) => what === 'chatstate' && to.startsWith(number))
    return ofChat.map(({ state }) => state)
  }
  expect([(await type(hasty, 400)).status, (await type(patient, 500)).status]).toEqual([200, 200])
  await device.caller.post('/send/text', { number: hasty, text: 'here it is' })
  await until(async () => (await listStates(patient)).join() === 'composing,paused')
  expect(await listStates(hasty)).toEqual(['composing'])
  expect((await type(patient, 0)).status).toBe(200)
  expect((await type(patient, 60_001)).status).toBe(400)
})

test('an unreadable message is reported only if its sender does not send it again', async () => {
  const friend = await createPhone(world)
  await causeFault('garble', { count: 1 })
  const { id } = await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'repaired' })
  await waitForEvent('messages', ({ message }) => message.messageid === id && message.text === 'repaired')

  await causeFault('garble')
  const missing = await world.sim('POST', '/messages', {
    from: friend,
    to: device.number,
    text: 'never read',
  })
  const { event } = await waitForEvent('undecryptable', (envelope) => envelope.event.messageid === missing.id)
  expect(event).toMatchObject({ chatid: `${friend}@s.msgnet.net`, reason: expect.any(String) })
  await endFaults()
  const reported = receiver.deliveries.filter(({ envelope }) => envelope.EventType === 'undecryptable')
  expect(reported.map(({ envelope }: Seen) => envelope.event.messageid)).not.toContain(id)
})

test('a message whose id has colons is named by it, with the prefix and without, and is no other message', async () => {
  const friend = await createPhone(world)
  const own = await sendText(friend, 'ours')
  const id = `NAMED:${own}`
  await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'theirs', id })
  await waitForEvent('messages', ({ message }) => message.messageid === id)
  for (const name of [id, `${device.number}:${id}`]) {
    expect((await findMessage(name)).text).toBe('theirs')
    const refused = await device.caller.post('/message/delete', { id: name })
    expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_message' } })
    expect((await device.caller.post('/message/markread', { id: [name] })).body.results).toMatchObject([
      { message_id: name, status: 'success' },
    ])
  }
  const reply = await device.caller.post('/send/text', { number: friend, text: 'to that', replyid: id })
  expect(reply.body).toMatchObject({ quoted: id })
  expect((await findMessage(own)).text).toBe('ours')
  expect((await device.caller.post('/message/find', { id: `${device.number}:` })).status).toBe(400)
})

test('a message is found by its id in its own chat alone, by any id of that', async () => {
  const [friend, other] = [await createPhone(world), await createPhone(world)]
  const id = await receiveText(friend, 'here')
  const { chatid, chatlid } = await findMessage(id)
  for (const own of [friend, chatid, chatlid].filter(Boolean))
    expect((await device.caller.post('/message/find', { id, chatid: own })).body.messages).toHaveLength(1)
  expect((await device.caller.post('/message/find', { id, chatid: other })).body.messages).toEqual([])
})

test('the simulated network knew every request', async () => {
  expect((await world.sim('GET', '/unknown')).requests).toEqual([])
})
