// Options of a send beside its message: mentions, view once, and options that are refused by their names.

import sharp from 'sharp'
import { expect, test } from 'vitest'
import { createPhone } from '../device.ts'
import { borrowScene } from '../scene.ts'

const { world, device, waitForMessage, readInbox } = await borrowScene()

const picture = sharp({ create: { width: 20, height: 20, channels: 3, background: 'teal' } })
const jpeg = (await picture.clone().jpeg().toBuffer()).toString('base64')
const png = (await picture.clone().png().toBuffer()).toString('base64')
const webp = (await picture.clone().webp().toBuffer()).toString('base64')
const gif = (await picture.clone().gif().toBuffer()).toString('base64')
const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>').toString('base64')

test('mentions are a list or one text with commas, and `all` mentions the group without naming a member', async () => {
  const [friend, other] = [await createPhone(world), await createPhone(world)]
  const founded = await device.caller.post('/group/create', { name: 'Team', participants: [friend, other] })
  const number = founded.body.JID
  const sendMentions = async (text: string, mentions: unknown) => {
    const { status, body } = await device.caller.post('/send/text', { number, text, mentions })
    expect(status).toBe(200)
    const seen = await waitForMessage(friend, (message) => message.id === body.messageid)
    return { named: (seen.mentions ?? []).length, all: seen.mentionsAll === true }
  }
  expect(await sendMentions('one', [friend])).toEqual({ named: 1, all: false })
  expect(await sendMentions('two', `${friend}, ${other}`)).toEqual({ named: 2, all: false })
  expect(await sendMentions('everybody', 'all')).toEqual({ named: 0, all: true })
  expect(await sendMentions('nobody', '')).toEqual({ named: 0, all: false })

  const alone = await device.caller.post('/send/text', { number: friend, text: 'x', mentions: 'all' })
  expect(alone).toMatchObject({ status: 400, body: { error: 'invalid_body' } })
  expect(alone.body.message).toContain('mentions')
})

test('a view-once file is sent as such, for the kinds that support it', async () => {
  const number = await createPhone(world)
  const once = { number, type: 'image', file: jpeg, viewOnce: true }
  const sent = await device.caller.post('/send/media', once)
  expect(sent).toMatchObject({ status: 200, body: { mediaType: 'image' } })
  const isSameFile = ({ id }: { id: string }) => id === sent.body.messageid
  expect(await waitForMessage(number, isSameFile)).toMatchObject({ type: 'image', viewOnce: true })
  const refused = await device.caller.post('/send/media', { ...once, type: 'document' })
  expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_body' } })
})

test.each([
  ['image', 'a JPEG', jpeg, 200],
  ['image', 'a PNG', png, 200],
  ['image', 'a WebP', webp, 200],
  ['image', 'a GIF', gif, 415],
  ['image', 'an SVG', svg, 415],
  ['image', 'one byte', 'AA==', 415],
  ['sticker', 'a WebP', webp, 200],
  ['sticker', 'a PNG', png, 200],
  ['sticker', 'an SVG', svg, 415],
  ['document', 'an SVG', svg, 200],
])('sending %s %s is %4$i by its first bytes', async (type, _, file, status) => {
  const number = await createPhone(world)
  const response = await device.caller.post('/send/media', { number, type, file, mimetype: 'image/jpeg' })
  expect(response.status).toBe(status)
  if (status === 415) {
    expect(response.body.error).toBe('unsupported_media_type')
    expect(await readInbox(number)).toEqual([])
  } else if (type !== 'document') {
    const mimetype = { [jpeg]: 'image/jpeg', [png]: 'image/png', [webp]: 'image/webp' }[file]
    expect(response.body.content.mimetype).toBe(type === 'sticker' ? 'image/webp' : mimetype)
  }
})

const number = '5511999999999'
const media = { number, type: 'image', file: jpeg }
test.each([
  ['/send/text', { number, text: 'x', linkPreviewLarge: true }, 'linkPreviewLarge'],
  ['/send/text', { number, text: 'x', async: 'true' }, 'async'],
  ['/send/text', { number, text: 'x', viewOnce: true }, 'viewOnce'],
  ['/send/location', { number, latitude: 1, longitude: 1, viewOnce: true }, 'viewOnce'],
  ['/send/contact', { number, fullName: 'A', phoneNumber: number, viewOnce: true }, 'viewOnce'],
  ['/send/menu', { number, type: 'poll', text: 'x', choices: ['a', 'b'], viewOnce: true }, 'viewOnce'],
  ['/send/status', { type: 'text', text: 'x', viewOnce: true }, 'viewOnce'],
  ['/send/location', { number, latitude: 1, longitude: 1, linkPreviewImage: jpeg }, 'linkPreviewImage'],
  [
    '/send/contact',
    { number, fullName: 'A', phoneNumber: number, linkPreviewLarge: true },
    'linkPreviewLarge',
  ],
  ['/send/media', { ...media, thumbnail: jpeg }, 'thumbnail'],
  ['/message/download', { id: 'X', transcribe: true }, 'transcribe'],
  ['/chat/find', { lead_status: 'x' }, 'lead_status'],
])('POST %s refuses an unsupported field by its name: %j', async (path, body, name) => {
  const refused = await device.caller.post(path, body)
  expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_body' } })
  expect(refused.body.message).toContain(name)
})

test('an unsupported field without a value is accepted', async () => {
  const number = await createPhone(world)
  const empty = { forward: false, readmessages: null, linkPreviewTitle: '', linkPreview: true }
  const sent = await device.caller.post('/send/text', { number, text: 'plain', ...empty })
  expect(sent.status).toBe(200)
})
