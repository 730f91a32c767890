// Status posts through the whole gateway: what phones show of them, and which phones.

import { HOUR } from '@msgnet/shared/date-time.ts'
import sharp from 'sharp'
import { afterAll, describe, expect, test } from 'vitest'
import { createPhone, createQuietPhone } from '../device.ts'
import { readMediaFile } from '../media-files.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { borrowScene, type Seen } from '../scene.ts'
import { until } from '../until.ts'
import { hashSha256 } from './endings/row.ts'

const { world, receiver, device, waitForEvent, waitForMessage, readInbox } = await borrowScene()

const postRequest = (path: string, body: object) => device.caller.post(path, body)
const postStatus = (body: object) => postRequest('/send/status', body)
const chat = 'status@broadcast'

async function addContact(name: string): Promise<string> {
  const phone = await createQuietPhone(world)
  expect((await postRequest('/contact/add', { phone, name })).status).toBe(200)
  return phone
}
const setAudience = (type: string, ...numbers: string[]) =>
  world.sim('PATCH', `/phones/${device.number}/profile`, { statusAudience: { type, numbers } })

test('a status post without contacts is refused', async () => {
  const { status, body } = await postStatus({ type: 'text', text: 'hello?' })
  expect([status, body.error]).toEqual([422, 'operation_refused'])
  expect(body.message).toContain('no contacts')
})

test('a text reaches the contacts in its colors and no stranger, and viewers are reported', async () => {
  const [ann, stranger] = [await addContact('Ann'), await createPhone(world)]
  const { status, body } = await postStatus({
    type: 'text',
    text: 'Open until 8',
    background_color: '#336699',
    font: 2,
    track_id: 's-1',
  })
  expect(status).toBe(200)
  expect(body).toMatchObject({ chatid: chat, isGroup: false, type: 'text', status: 'Sent', track_id: 's-1' })
  expect(body.content).toMatchObject({ backgroundColor: '#336699', font: 2 })
  expect(await waitForMessage(ann, ({ id }) => id === body.messageid)).toMatchObject({
    chat,
    type: 'text',
    text: 'Open until 8',
    background: '#336699',
    font: 2,
  })
  expect(await waitForMessage(device.number, ({ id }) => id === body.messageid)).toMatchObject({ chat })
  expect(
    (await waitForEvent('messages', ({ message }) => message.messageid === body.messageid)).chat.id,
  ).toBe(chat)
  await world.sim('POST', `/messages/${body.messageid}/receipt`, { by: ann, type: 'read' })
  const seen = await waitForEvent(
    'messages_update',
    ({ state, event }) => state === 'Read' && event.MessageIDs.includes(body.messageid),
  )
  const { lid } = await world.sim('GET', `/phones/${ann}`)
  expect(seen.event).toMatchObject({ chatid: chat, sender_lid: lid, IsGroup: false })
  expect(await readInbox(stranger)).toEqual([])
  expect((await postRequest('/chat/find', {})).body.chats.map(({ id }: { id: string }) => id)).not.toContain(
    chat,
  )
})

test('the color may be one of the numbers of the API family', async () => {
  const ben = await addContact('Ben')
  const { body } = await postStatus({ type: 'text', text: 'blue', background_color: 7 })
  expect((await waitForMessage(ben, ({ id }) => id === body.messageid)).background).toBe('#3498db')
  for (const background_color of [0, 20, '20', 'red', '#12345'])
    expect((await postStatus({ type: 'text', text: 'x', background_color })).body.error).toBe('invalid_body')
})

test.each([
  ['image', 'image'],
  ['video', 'video'],
  ['audio', 'audio'],
] as const)('%s is posted with its file', async (type, shownAs) => {
  const cleo = await addContact('Cleo')
  const bytes = {
    image: await drawPng(),
    video: readMediaFile('film.mp4'),
    audio: readMediaFile('voice.ogg'),
  }[type]
  const { status, body } = await postStatus({ type, file: bytes.toString('base64'), text: 'look' })
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body).toMatchObject({ chatid: chat, type: 'media', mediaType: type === 'audio' ? 'ptt' : type })
  const seen = await waitForMessage(cleo, ({ id }) => id === body.messageid)
  expect(seen).toMatchObject({ chat, type: shownAs, mediaSha256: hashSha256(bytes) })
  if (type !== 'audio') expect(seen.caption).toBe('look')
})

test('a status post goes to the audience that the phone is set to', async () => {
  const [dora, eva] = [await addContact('Dora'), await addContact('Eva')]
  await setAudience('blacklist', dora)
  const first = (await postStatus({ type: 'text', text: 'not for Dora' })).body
  await waitForMessage(eva, ({ id }) => id === first.messageid)
  await setAudience('whitelist', dora)
  const second = (await postStatus({ type: 'text', text: 'for Dora only' })).body
  await waitForMessage(dora, ({ id }) => id === second.messageid)
  await setAudience('contacts')
  const last = (await postStatus({ type: 'text', text: 'for all' })).body
  for (const one of [dora, eva]) await waitForMessage(one, ({ id }) => id === last.messageid)
  expect((await readInbox(dora)).map(({ text }) => text)).toEqual(['for Dora only', 'for all'])
  expect((await readInbox(eva)).map(({ text }) => text)).toEqual(['not for Dora', 'for all'])
})

test('a post can be deleted, and not edited', async () => {
  const fay = await addContact('Fay')
  const { messageid } = (await postStatus({ type: 'text', text: 'wrong day' })).body
  await waitForMessage(fay, ({ id }) => id === messageid)
  const edited = await postRequest('/message/edit', { id: messageid, text: 'right day' })
  expect([edited.status, edited.body.error]).toEqual([400, 'invalid_message'])
  expect((await postRequest('/message/delete', { id: messageid })).status).toBe(200)
  await waitForMessage(fay, ({ type, target }) => type === 'revoke' && target === messageid)
  await until(async () => {
    const { messages } = (await postRequest('/message/find', { id: messageid })).body
    return messages[0].status === 'Deleted'
  })
})

test.each([
  [{ type: 'text' }, 'text'],
  [{ type: 'text', text: 'x', file: 'aGk=' }, 'file'],
  [{ type: 'image', text: 'x' }, 'file'],
  [{ type: 'document', file: 'aGk=' }, 'type'],
  [{ type: 'text', text: 'x', font: 11 }, 'font'],
])('%j is refused with the name of its field', async (body, field) => {
  const response = await postStatus(body)
  expect([response.status, response.body.error]).toEqual([400, 'invalid_body'])
  expect(response.body.message).toMatch(new RegExp(`^${field} must`))
})

const drawPng = () =>
  sharp({ create: { width: 9, height: 9, channels: 3, background: 'teal' } })
    .png()
    .toBuffer()

describe('posts of contacts', async () => {
  const named = await startReceiver()
  afterAll(() => named.close())
  const listPosted = ({ deliveries }: Receiver, id: string) =>
    deliveries.filter(({ body }) => body.includes(id)).map(({ envelope }) => envelope as Seen)
  const addWebhook = async (events: string[]) => {
    const { status, body } = await postRequest('/v1/webhooks', { url: named.url, events })
    expect([status, body.webhook.events, body.webhook.ignoredEvents]).toEqual([200, events, []])
    return body.webhook.id as string
  }
  const post = async (from: string, content: object) =>
    (await world.sim('POST', '/messages', { from, to: chat, viewers: [device.number], ...content }))
      .id as string
  /** What comes after it has been reported everywhere. */
  const writeAfter = async (from: string) => {
    const after = await world.sim('POST', '/messages', { from, to: device.number, text: 'afterwards' })
    await waitForEvent('messages', ({ message }) => message.messageid === after.id)
  }

  test.each([
    ['text', async () => ({ text: 'Closed on Monday' }), { type: 'text', text: 'Closed on Monday' }],
    [
      'image',
      async () => ({ image: (await drawPng()).toString('base64'), mimetype: 'image/png', caption: 'new' }),
      { type: 'media', mediaType: 'image', text: 'new', fileURL: '' },
    ],
    [
      'video',
      async () => ({ video: readMediaFile('film.mp4').toString('base64') }),
      { type: 'media', mediaType: 'video', fileURL: '' },
    ],
    [
      'audio',
      async () => ({ audio: readMediaFile('voice.ogg').toString('base64') }),
      { type: 'media', fileURL: '' },
    ],
    ['an album', async () => ({ kind: 'albumMessage', fields: {} }), { messageType: 'albumMessage' }],
  ])(
    '%s comes as a message to the webhook that names status_posts, and to no other',
    async (_, create, expected) => {
      const webhook = await addWebhook(['status_posts'])
      const gil = await createPhone(world, 'Gil')
      const id = await post(gil, await create())
      const { envelope } = await named.waitForDelivery((one) => (one as Seen).message?.messageid === id)
      expect(envelope).toMatchObject({
        EventType: 'messages',
        chat: { id: chat, isGroup: false },
        message: {
          chatid: chat,
          sender_pn: `${gil}@s.msgnet.net`,
          senderName: 'Gil',
          fromMe: false,
          isGroup: false,
          ...expected,
        },
      })
      await writeAfter(gil)
      expect(listPosted(receiver, id)).toEqual([])
      await device.caller.request('DELETE', `/v1/webhooks/${webhook}`)
    },
  )

  test('a post is in no chat, no list of messages, no search and no count of unread ones, and is found by its chat', async () => {
    const hal = await createPhone(world, 'Hal')
    const id = await post(hal, { text: 'Zanzibar in spring' })
    const before = Date.now()
    await writeAfter(hal)
    const find = async (body: object) => (await postRequest('/message/find', body)).body.messages as Seen[]
    const listIds = async (body: object) => (await find(body)).map(({ messageid }) => messageid)
    expect(await listIds({})).not.toContain(id)
    expect(await listIds({ search: 'Zanzibar' })).toEqual([])
    expect(await listIds({ chatid: chat })).toContain(id)
    expect(await listIds({ chatid: chat, search: 'Zanzibar' })).toEqual([id])
    const [found] = await find({ id })
    expect(found.content.disappearsAt).toBeGreaterThan(before + 23 * HOUR)
    const { chats } = (await postRequest('/chat/find', {})).body
    expect(chats.map((one: Seen) => one.id)).not.toContain(chat)
    expect(chats.find((one: Seen) => one.name === 'Hal').unreadCount).toBe(1)
    const { events } = (await device.caller.get(`/v1/events?messageid=${id}`)).body
    expect(events).toEqual([])
  })

  test('a post that is taken back is deleted here too, and only who gets posts is notified', async () => {
    const webhook = await addWebhook(['messages_update', 'status_posts'])
    const ida = await createPhone(world, 'Ida')
    const id = await post(ida, { text: 'too early' })
    await named.waitForDelivery((one) => (one as Seen).message?.messageid === id)
    const key = { id, remoteJid: chat, participant: `${ida}@s.whatsapp.net` }
    await post(ida, { kind: 'protocolMessage', fields: { type: 'REVOKE', key } })
    const { envelope } = await named.waitForDelivery((one) => one.type === 'DeletedMessage')
    expect(envelope).toMatchObject({
      EventType: 'messages_update',
      event: { MessageIDs: [id], chatid: chat },
    })
    const [found] = (await postRequest('/message/find', { id })).body.messages
    expect(found).toMatchObject({ status: 'Deleted', text: '' })
    await writeAfter(ida)
    expect(listPosted(receiver, id)).toEqual([])
    await device.caller.request('DELETE', `/v1/webhooks/${webhook}`)
  })

  test('the simulated network says how a post is changed, whose viewers it does not know', async () => {
    const kim = await createPhone(world, 'Kim')
    const id = await post(kim, { text: 'as it is' })
    for (const [change, more] of [
      ['edit', { text: 'otherwise' }],
      ['react', { text: '👍' }],
      ['revoke', {}],
    ] as const)
      await expect(
        world.sim('POST', `/messages/${id}/${change}`, { by: kim, ...more }),
        change,
      ).rejects.toThrow('viewers')
  })

  test('who gets some chats only gets nothing of status posts, neither the post nor its end', async () => {
    const jon = await createPhone(world, 'Jon')
    const { webhook } = (
      await postRequest('/v1/webhooks', {
        url: named.url,
        events: ['messages', 'messages_update', 'status_posts'],
        chats: [jon],
      })
    ).body
    const { token } = (await postRequest('/instance/tokens', { name: 'Jon', scope: 'read', chats: [jon] }))
      .body
    const all = await addWebhook(['status_posts'])
    const id = await post(jon, { text: 'for a minute' })
    const key = { id, remoteJid: chat, participant: `${jon}@s.whatsapp.net` }
    await post(jon, { kind: 'protocolMessage', fields: { type: 'REVOKE', key } })
    await named.waitForDelivery((one) => (one as Seen).event?.MessageIDs?.includes(id))
    const after = await world.sim('POST', '/messages', { from: jon, to: device.number, text: 'afterwards' })
    await named.waitForDelivery((one) => (one as Seen).message?.messageid === after.id)
    expect(listPosted(named, id).map(({ EventType }) => EventType)).toEqual(['messages', 'messages_update'])
    const { events } = (await world.callAs(token).get(`/v1/events?limit=200`)).body
    expect(JSON.stringify(events)).toContain(after.id)
    expect(JSON.stringify(events)).not.toContain(id)
    await device.caller.request('DELETE', `/v1/webhooks/${all}`)
    await postRequest('/v1/events/replay', { fromSeq: 0, webhookId: webhook.id })
    await until(() => listPosted(named, String(after.id)).length > 1)
    expect(listPosted(named, id)).toHaveLength(2)
    await device.caller.request('DELETE', `/v1/webhooks/${webhook.id}`)
  })
})
