// Albums: pictures and videos that are sent as one, and what is told of one that ends half-way.

import sharp from 'sharp'
import { expect, test } from 'vitest'
import { createPhone, createQuietPhone, waitUntilConnected } from '../device.ts'
import { startFileServer } from '../file-server.ts'
import { film } from '../media-files.ts'
import { borrowScene, type Seen } from '../scene.ts'
import { until } from '../until.ts'

const server = await startFileServer()
const { world, device, readInbox, waitForEvent, waitForMessage, causeFault, endFaults } = await borrowScene()

/** The phone may be quicker than the response. */
const WENT = expect.stringMatching(/^(Sent|Delivered)$/)
const drawPicture = (background: string) =>
  sharp({ create: { width: 40, height: 30, channels: 3, background } })
    .jpeg()
    .toBuffer()
const [red, blue] = [await drawPicture('#cc0000'), await drawPicture('#0000cc')]
const url = server.serveFile('/red.jpg', red, 'image/jpeg')
const pictures = [
  { type: 'image', file: url, text: 'The first' },
  { type: 'image', file: blue.toString('base64') },
]
const sendAlbum = (number: string, files: object[], fields: object = {}, key?: string) =>
  device.caller.post('/send/album', { number, files, ...fields }, key ? { 'idempotency-key': key } : {})
/** What the phone shows once it has so many messages. */
async function readAll(number: string, count: number): Promise<Seen[]> {
  await until(async () => (await readInbox(number)).length >= count)
  return readInbox(number)
}

test('the words of an album are those of its files, as text or as caption, and no others are dropped', async () => {
  const number = await createPhone(world)
  const picture = { type: 'image', file: blue.toString('base64') }
  const { status, body } = await sendAlbum(number, [
    { ...picture, text: 'The first' },
    { ...picture, caption: 'The second' },
  ])
  expect([status, body.messages.map(({ text }: Seen) => text)]).toEqual([200, ['The first', 'The second']])
  const both = await sendAlbum(number, [{ ...picture, text: 'These', caption: 'Others' }, picture])
  expect([both.status, both.body]).toEqual([
    400,
    { error: 'invalid_body', message: 'files[0].caption is the same field as text: give one of them.' },
  ])
  for (const field of ['text', 'caption']) {
    const { body: refused } = await sendAlbum(number, [picture, picture], { [field]: 'For all' })
    expect(refused).toMatchObject({ error: 'invalid_body', message: `${field} is not supported.` })
  }
})

test('the phone shows an album with its files in their order, and the record names them all', async () => {
  const number = await createPhone(world)
  const files = [...pictures, { type: 'video', file: film, text: 'A film' }]
  const { status, body } = await sendAlbum(number, files, { track_id: 'album-1' })
  expect([status, body.message]).toEqual([200, undefined])
  const { messageid: album } = body
  expect(body).toMatchObject({
    messageType: 'albumMessage',
    content: { images: 2, videos: 1 },
    sent: 3,
    unsent: 0,
    messages: [
      { mediaType: 'image', text: 'The first', status: WENT, content: { album, mimetype: 'image/jpeg' } },
      { mediaType: 'image', text: '', status: WENT, content: { album } },
      { mediaType: 'video', text: 'A film', status: WENT, content: { album } },
    ],
  })
  expect(await readAll(number, 4)).toMatchObject([
    { id: album, type: 'album', images: 2, videos: 1 },
    { type: 'image', album, caption: 'The first' },
    { type: 'image', album },
    { type: 'video', album, caption: 'A film' },
  ])
  const found = await device.caller.post('/message/find', { track_id: 'album-1' })
  expect(found.body.messages).toHaveLength(4)
})

test('the files of an album go to a group as its members see them, as replies with mentions', async () => {
  const [anna, bia] = [await createPhone(world), await createPhone(world)]
  const group = (await device.caller.post('/group/create', { name: 'Album', participants: [anna, bia] })).body
  const asked = await world.sim('POST', '/messages', { from: anna, to: group.JID, text: 'Photos?' })
  await waitForEvent('messages', ({ message }) => message.messageid === asked.id)
  const { body } = await sendAlbum(group.JID, pictures, { replyid: asked.id, mentions: [bia] })
  expect(body).toMatchObject({ isGroup: true, sent: 2, quoted: asked.id })
  const shown = (await readAll(bia, 3)).filter(({ type }) => type === 'image')
  expect(shown).toMatchObject([{ album: body.messageid, quoted: asked.id }, { album: body.messageid }])
})

test('an album that ends half-way says what went and what did not, and its key repeats nothing', async () => {
  const number = await createPhone(world)
  await causeFault('ack_error', { code: 479, count: 1, skip: 2 })
  const first = await sendAlbum(number, [...pictures, ...pictures], {}, 'album-half')
  await endFaults()
  expect(first.status).toBe(200)
  expect(first.body).toMatchObject({
    status: WENT,
    sent: 1,
    unsent: 2,
    messages: [{ status: WENT }, { status: 'Failed', error: expect.stringContaining('479') }],
  })
  const again = await sendAlbum(number, [...pictures, ...pictures], {}, 'album-half')
  expect(again.body).toEqual(first.body)
  expect((await readAll(number, 2)).map(({ type }) => type)).toEqual(['album', 'image'])
  expect(server.requests.filter((path) => path === '/red.jpg').length).toBeLessThanOrEqual(4)
})

test('a file that is refused is an error, and nothing of the album is sent', async () => {
  const number = await createPhone(world)
  const [good] = pictures
  const refused: [object, number, string][] = [
    [{ type: 'image', file: 'AAAA' }, 415, 'unsupported_media_type'],
    [{ type: 'image', file: `http://${server.place}/none` }, 502, 'media_unavailable'],
    [{ type: 'image', file: 'http://10.0.0.1/x' }, 400, 'invalid_url'],
    [{ type: 'video', file: blue.toString('base64') }, 415, 'unsupported_media_type'],
  ]
  for (const [bad, status, error] of refused) {
    const { body, ...answer } = await sendAlbum(number, [good, bad] as object[])
    expect([answer.status, body.error]).toEqual([status, error])
    if (status === 415) expect(body.message).toMatch(/^files\[1\]\.file /)
  }
  expect(await readInbox(number)).toEqual([])
})

test('the album that a phone sends arrives with its files, which name it', async () => {
  const from = await createPhone(world)
  const send = (body: object) => world.sim('POST', '/messages', { from, to: device.number, ...body })
  const { id } = await send({ album: { images: 1, videos: 1 } })
  await send({ image: blue.toString('base64'), mimetype: 'image/jpeg', caption: 'mine', partOf: id })
  const album = await waitForEvent('messages', ({ message }) => message.messageid === id)
  expect(album.message).toMatchObject({ messageType: 'albumMessage', content: { images: 1, videos: 1 } })
  const part = await waitForEvent('messages', ({ message }) => message.text === 'mine')
  expect(part.message).toMatchObject({ mediaType: 'image', content: { album: id } })
})

test('a file whose acknowledgement is lost with the connection is pending, and those after it are not tried', async () => {
  const number = await createQuietPhone(world)
  await causeFault('lost_ack', { count: 1, skip: 1 })
  const sending = sendAlbum(number, pictures)
  await waitForMessage(number, ({ type }) => type === 'image')
  await causeFault('close')
  const { status, body } = await sending
  expect(status).toBe(200)
  expect(body).toMatchObject({ status: 'Sent', sent: 0, unsent: 1, messages: [{ status: 'Pending' }] })
  await waitUntilConnected(device)
  expect(await readInbox(number)).toHaveLength(2)
})
