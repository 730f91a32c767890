// Messages both ways through every part: what the phone decrypted, what the receiver verified.

import { expect, test } from 'vitest'
import { createPhone, SECRET } from '../device.ts'
import { voice } from '../media-files.ts'
import { verifyDelivery } from '../receiver.ts'
import { borrowScene } from '../scene.ts'
import { until } from '../until.ts'

const { world, receiver, device, waitForEvent, readInbox, waitForMessage } = await borrowScene()

const hasText = (text: string) => (envelope: { EventType: string; message?: unknown }) =>
  envelope.EventType === 'messages' && (envelope.message as { text: string }).text === text

test.each(['pn', 'lid'])('a message in %s addressing is one signed messages event', async (addressing) => {
  const friend = await createPhone(world, 'Bruno')
  const text = `hello by ${addressing}`
  const { id } = await world.sim('POST', '/messages', { from: friend, to: device.number, text, addressing })
  const delivery = await receiver.waitForDelivery(hasText(text))
  expect(verifyDelivery(delivery, SECRET)).toMatchObject({
    EventType: 'messages',
    instanceId: device.id,
    instanceName: 'Shop',
    owner: device.number,
    chat: { isGroup: false },
    message: {
      id: `${device.number}:${id}`,
      messageid: id,
      text,
      fromMe: false,
      wasSentByApi: false,
      isGroup: false,
      sender_pn: `${friend}@s.msgnet.net`,
    },
  })
  expect(delivery.headers['webhook-id']).toBe(delivery.envelope.eventId)
  expect(delivery.headers['user-agent']).toMatch(/^msgnet-gateway\/\d/)
  expect(delivery.headers['content-type']).toMatch(/^application\/json/)
  expect(receiver.deliveries.filter(({ envelope }) => hasText(text)(envelope))).toHaveLength(1)
})

test('the phone decrypts a sent text, and its read receipt is an event', async () => {
  const friend = await createPhone(world)
  const sent = await device.caller.post('/send/text', {
    number: friend,
    text: 'good morning',
    track_id: 'order-7',
  })
  expect(sent.status).toBe(200)
  expect(sent.body).toMatchObject({
    fromMe: true,
    wasSentByApi: true,
    text: 'good morning',
    chatid: `${friend}@s.msgnet.net`,
    track_id: 'order-7',
    owner: device.number,
  })
  expect(sent.body.id).toBe(`${device.number}:${sent.body.messageid}`)
  expect(['Sent', 'Delivered']).toContain(sent.body.status)

  const [message] = await until(async () => {
    const messages = await readInbox(friend)
    return messages.length > 0 && messages
  })
  expect(message).toMatchObject({ id: sent.body.messageid, type: 'text', text: 'good morning' })

  await world.sim('POST', `/messages/${sent.body.messageid}/receipt`, { by: friend, type: 'read' })
  const read = await receiver.waitForDelivery(({ EventType, state, event }) => {
    const ids = (event as { MessageIDs?: string[] } | undefined)?.MessageIDs ?? []
    return EventType === 'messages_update' && state === 'Read' && ids.includes(sent.body.messageid)
  })
  expect(verifyDelivery(read, SECRET)).toMatchObject({
    type: 'ReadReceipt',
    event: { chatid: `${friend}@s.msgnet.net` },
  })
})

test('a reply names its quoted message and a mention its person, on the phone too', async () => {
  const [friend, other] = [await createPhone(world), await createPhone(world)]
  const { id } = await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'shall we?' })
  await receiver.waitForDelivery(hasText('shall we?'))
  const reply = { number: friend, text: 'we shall', replyid: `${device.number}:${id}`, mentions: [other] }
  const sent = await device.caller.post('/send/text', reply)
  expect(sent.body).toMatchObject({ quoted: id, text: 'we shall' })
  const seen = await waitForMessage(friend, ({ text }) => text === 'we shall')
  expect(seen).toMatchObject({ quoted: id, mentions: [expect.stringContaining(other)] })

  const astray = await device.caller.post('/send/text', { ...reply, replyid: 'NOTHING' })
  expect(astray).toMatchObject({ status: 404, body: { error: 'message_not_found' } })
})

test('a delay shows typing first, and readchat marks the chat read', async () => {
  const friend = await createPhone(world)
  const { id } = await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'hurry' })
  await receiver.waitForDelivery(hasText('hurry'))
  const wish = { number: friend, text: 'coming', delay: 50, readchat: true }
  const sent = await device.caller.post('/send/text', wish)
  expect(sent.status).toBe(200)
  const { entries } = await world.sim('GET', `/log?number=${device.number}`)
  const seen = (entries as { what: string; state?: string; ids?: string[]; type?: string; id?: string }[])
    .filter(
      ({ what, type, id: message }) =>
        what === 'chatstate' || type === 'read' || message === sent.body.messageid,
    )
    .map(({ what, state }) => state ?? what)
  expect(seen.slice(-4)).toEqual(['composing', 'paused', 'message', 'receipt'])
  const { receipts } = await world.sim('GET', `/receipts?number=${device.number}`)
  expect((receipts as { type: string; ids: string[] }[]).at(-1)).toMatchObject({ type: 'read', ids: [id] })
})

test('a voice note that was listened to is Played', async () => {
  const friend = await createPhone(world)
  const sent = await device.caller.post('/send/media', { number: friend, type: 'ptt', file: voice })
  await waitForMessage(friend, ({ id }) => id === sent.body.messageid)
  await world.sim('POST', `/messages/${sent.body.messageid}/receipt`, { by: friend, type: 'played' })
  const update = await waitForEvent('messages_update', ({ state, event }) => {
    return state === 'Played' && event.MessageIDs.includes(sent.body.messageid)
  })
  expect(update).toMatchObject({
    type: 'ReadReceipt',
    event: { Sender: `${friend}@s.msgnet.net`, IsFromMe: false },
  })
})

test('a message sent through the API is reported once, as sent by the API', async () => {
  const friend = await createPhone(world)
  await device.caller.post('/send/text', { number: friend, text: 'only once' })
  const delivery = await receiver.waitForDelivery(hasText('only once'))
  expect(delivery.envelope.message).toMatchObject({ fromMe: true, wasSentByApi: true })
  await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'a later one' })
  await receiver.waitForDelivery(hasText('a later one'))
  expect(receiver.deliveries.filter(({ envelope }) => hasText('only once')(envelope))).toHaveLength(1)
})

test('a message written on the phone is reported as fromMe and not as sent by the API', async () => {
  const friend = await createPhone(world)
  await world.sim('POST', '/messages', { from: device.number, to: friend, text: 'by thumb' })
  const delivery = await receiver.waitForDelivery(hasText('by thumb'))
  expect(delivery.envelope.message).toMatchObject({
    fromMe: true,
    wasSentByApi: false,
    chatid: `${friend}@s.msgnet.net`,
  })
})

test('chat/read sends one read receipt for each unread message', async () => {
  const friend = await createPhone(world)
  const { ids } = await world.sim('POST', '/messages', {
    from: friend,
    to: device.number,
    text: 'unread',
    count: 3,
  })
  await until(() => receiver.deliveries.filter(({ envelope }) => hasText('unread')(envelope)).length === 3)

  expect((await device.caller.post('/chat/read', { number: friend })).body).toMatchObject({
    success: true,
    marked: 3,
  })
  const { receipts } = await world.sim('GET', `/receipts?number=${device.number}`)
  const read = (receipts as { ids: string[]; type: string; chat: string }[]).filter(
    ({ type, chat }) => type === 'read' && chat === `${friend}@s.msgnet.net`,
  )
  expect(read.flatMap((receipt) => receipt.ids).sort()).toEqual([...(ids as string[])].sort())
  expect((await device.caller.post('/chat/read', { number: friend })).body).toMatchObject({
    success: true,
    marked: 0,
  })
})

test('chat/read with read:false marks nothing and returns the reason', async () => {
  const friend = await createPhone(world)
  const response = await device.caller.post('/chat/read', { number: friend, read: false })
  expect(response.body).toEqual({ success: true, marked: 0, note: expect.any(String) })
})

test('a number without an account is 422 not_on_network, and nothing is sent', async () => {
  const response = await device.caller.post('/send/text', { number: '5511900000001', text: 'anybody?' })
  expect(response.status).toBe(422)
  expect(response.body.error).toBe('not_on_network')
})

test('the same Idempotency-Key sends once and returns the same bytes', async () => {
  const friend = await createPhone(world)
  const key = { 'idempotency-key': 'send-1' }
  const first = await device.caller.post('/send/text', { number: friend, text: 'one effect' }, key)
  const second = await device.caller.post('/send/text', { number: friend, text: 'one effect' }, key)
  expect(second.text).toBe(first.text)
  expect(second.headers.get('idempotency-replayed')).toBe('true')
  expect(first.headers.get('idempotency-replayed')).toBeNull()
  expect(await readInbox(friend)).toHaveLength(1)
})

test('events are listed newest first, without gaps, and delivered once the receiver has them', async () => {
  const { body } = await device.caller.get('/v1/events?limit=200')
  const seqs = (body.events as { seq: number }[]).map(({ seq }) => seq)
  expect(seqs).toEqual(Array.from(seqs, (_, index) => seqs.length - index))
  await until(async () => (await device.caller.get('/v1/events?status=pending')).body.events.length === 0)
})

test('events after afterSeq are listed oldest first, each with its status', async () => {
  const { body } = await device.caller.get('/v1/events?afterSeq=1&limit=3&status=delivered')
  expect(body.status).toBe('delivered')
  const events = body.events as { seq: number; status: string; attempts: number }[]
  expect(events.map(({ seq }) => seq)).toEqual([...events.map(({ seq }) => seq)].sort((a, b) => a - b))
  expect(events).toHaveLength(3)
  for (const event of events) expect(event).toMatchObject({ status: 'delivered', attempts: 1 })
  expect((await device.caller.get('/v1/events')).body.events.length).toBeLessThanOrEqual(50)
})

test('chat/read marks a hundred of a hundred and twenty unread messages, and the rest the next time', async () => {
  const friend = await createPhone(world)
  const many = { from: friend, to: device.number, text: 'many', count: 120 }
  await world.sim('POST', '/messages', many)
  await until(() => receiver.deliveries.filter(({ envelope }) => hasText('many')(envelope)).length === 120)
  expect((await device.caller.post('/chat/read', { number: friend })).body.marked).toBe(100)
  expect((await device.caller.post('/chat/read', { number: friend })).body.marked).toBe(20)
})

test('the simulated network knew every request', async () => {
  expect((await world.sim('GET', '/unknown')).requests).toEqual([])
})
