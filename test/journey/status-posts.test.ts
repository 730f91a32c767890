// Status posts through the whole gateway: what phones show of them, and which phones.

import sharp from 'sharp'
import { expect, test } from 'vitest'
import { createPhone, createQuietPhone } from '../device.ts'
import { readMediaFile } from '../media-files.ts'
import { borrowScene } from '../scene.ts'
import { until } from '../until.ts'
import { hashSha256 } from './endings/row.ts'

const { world, device, waitForEvent, waitForMessage, readInbox } = await borrowScene()

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
