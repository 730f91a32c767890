// Pictures of menus: what the phone decrypts above buttons and on cards, what is refused, and what received menus say of theirs.

import { createHash, randomBytes } from 'node:crypto'
import { SECOND } from '@msgnet/shared/date-time.ts'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { createDevice, createPhone, linkDevice } from '../device.ts'
import { startFileServer } from '../file-server.ts'
import { borrowScene } from '../scene.ts'
import { everyAction } from '../world.ts'

const MIB = 1024 * 1024

const files = await startFileServer()
const scene = await borrowScene(everyAction)
const { world, device, waitForEvent, waitForMessage, readInbox, causeFault, endFaults } = scene

const drawPicture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: 'teal' } })
    .jpeg()
    .toBuffer()
/** Too many bytes to be parsed with the rest of the body. */
const drawNoise = (side: number) =>
  sharp(randomBytes(side * side * 3), { raw: { width: side, height: side, channels: 3 } })
    .png()
    .toBuffer()
const lamp = await drawPicture(80, 60)
const noise = await drawNoise(300)
const toDataUri = (bytes: Buffer, type: string) => `data:image/${type};base64,${bytes.toString('base64')}`
const hashBytes = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const countRequests = (path: string) => files.requests.filter((one) => one === path).length

const sendMenu = (number: string, menu: object, headers?: Record<string, string>) =>
  device.caller.post('/send/menu', { number, ...menu }, headers)
const buttons = { type: 'button', text: 'This one?', choices: ['Yes|yes', 'No|no'] }
const carousel = (...pictures: string[]) => ({
  type: 'carousel',
  text: 'Our lamps',
  choices: pictures.flatMap((picture, card) => [`[Lamp ${card}]`, `{${picture}}`, `Take it|${card}`]),
})

test.each([
  ['by URL', files.serveFile('/lamp.jpg', lamp, 'image/jpeg'), lamp],
  ['as a data URI', toDataUri(noise, 'png'), noise],
  ['as base64', lamp.toString('base64'), lamp],
])('the phone shows a picture above buttons (%s)', async (_, imageButton, bytes) => {
  const anna = await createPhone(world, 'Anna')
  const { status, body } = await sendMenu(anna, { ...buttons, imageButton })
  expect([status, body.text]).toEqual([200, 'This one?\n\n1. Yes\n2. No'])
  const shown = await waitForMessage(anna, ({ id }) => id === body.messageid)
  const { width, height, format } = await sharp(bytes).metadata()
  const described = { mimetype: `image/${format}`, width, height }
  expect(shown).toMatchObject({ type: 'menu', text: body.text, options: [{ id: 'yes' }, { id: 'no' }] })
  expect(shown.pictures).toMatchObject([{ ...described, mediaSha256: hashBytes(bytes) }])
  expect(shown.pictures[0].thumbnail).toBeGreaterThan(0)
  expect(body.content.pictures).toEqual([{ ...described, fileLength: bytes.length }])
  await world.sim('POST', `/messages/${body.messageid}/tap`, { by: anna, choice: 'no' })
  const isAnswer = ({ message }: { message: { quoted: string } }) => message.quoted === body.messageid
  expect((await waitForEvent('messages', isAnswer)).message.buttonOrListid).toBe('no')
})

test('the phone shows the picture of each card; the same picture is fetched once', async () => {
  const anna = await createPhone(world, 'Anna')
  const url = files.serveFile('/twice.jpg', lamp, 'image/jpeg')
  const menu = carousel(url, toDataUri(noise, 'png'), url)
  const choices = [...menu.choices, '[Without a picture]', 'Take it|none']
  const { status, body } = await sendMenu(anna, { ...menu, choices })
  expect([status, body.text.split('\n')[0]]).toEqual([200, 'Our lamps'])
  expect(body.text).not.toMatch(/[{}]/)
  const shown = await waitForMessage(anna, ({ id }) => id === body.messageid)
  expect(shown.pictures).toMatchObject([
    { card: 0, mediaSha256: hashBytes(lamp), width: 80, height: 60 },
    { card: 1, mediaSha256: hashBytes(noise), width: 300, height: 300 },
    { card: 2, mediaSha256: hashBytes(lamp), width: 80, height: 60 },
  ])
  expect(shown.cards.map(({ picture }: { picture: boolean }) => picture)).toEqual([true, true, true, false])
  expect(body.content.pictures.map(({ card }: { card: number }) => card)).toEqual([0, 1, 2])
  expect(countRequests('/twice.jpg')).toBe(1)
})

const good = files.serveFile('/good.jpg', lamp, 'image/jpeg')
const half = Buffer.concat([lamp, Buffer.alloc(9 * MIB)])

test.each([
  ['that is missing', [good, `http://${files.place}/missing`], 502, 'media_unavailable'],
  ['that breaks off', [good, `http://${files.place}/torn`], 502, 'media_unavailable'],
  ['of a private address', [good, 'https://127.0.0.1/x.jpg'], 400, 'invalid_url'],
  ['of another scheme', [good, 'ftp://files.example/x.jpg'], 400, 'invalid_url'],
  ['that is neither URL nor base64', [good, 'no base64!'], 400, 'invalid_body'],
  ['that is no picture', [good, toDataUri(Buffer.from('words'), 'jpeg')], 415, 'unsupported_media_type'],
  [
    'over 16 MiB with those before it',
    [files.serveFile('/half.jpg', half, 'image/jpeg'), files.serveFile('/rest.jpg', half, 'image/jpeg')],
    413,
    'body_too_large',
  ],
])(
  'a picture %s is refused by the place of its choice, and nothing is sent',
  async (_, pictures, code, error) => {
    const anna = await createPhone(world, 'Anna')
    const { status, body } = await sendMenu(anna, carousel(...pictures))
    expect([status, body.error]).toEqual([code, error])
    expect(body.message).toMatch(/^choices\[4\] /)
    expect(await readInbox(anna)).toEqual([])
    expect((await device.caller.post('/message/find', { chatid: anna })).body.messages).toEqual([])
  },
)

test('a picture that cannot be fetched leaves the key free, and a repeat fetches nothing', async () => {
  const anna = await createPhone(world, 'Anna')
  const key = { 'idempotency-key': crypto.randomUUID() }
  const menu = { ...buttons, imageButton: `http://${files.place}/later.jpg` }
  const failed = await sendMenu(anna, menu, key)
  expect([failed.status, failed.body.error]).toEqual([502, 'media_unavailable'])
  expect(failed.body.message).toBe('imageButton could not be fetched: its server answered 404.')
  files.serveFile('/later.jpg', lamp, 'image/jpeg')
  const [first, again] = [await sendMenu(anna, menu, key), await sendMenu(anna, menu, key)]
  expect([first.status, again.body.messageid]).toEqual([200, first.body.messageid])
  expect(countRequests('/later.jpg')).toBe(2)
  await waitForMessage(anna, ({ id }) => id === first.body.messageid)
  expect(await readInbox(anna)).toHaveLength(1)
})

test('a picture that the network does not take is refused, and nothing is sent', async () => {
  const [anna, other] = [await createPhone(world, 'Anna'), await linkDevice(world, await createDevice(world))]
  await causeFault('refuse', { number: other.number, xmlns: 'w:m', code: 500 })
  const menu = { number: anna, ...carousel(good, toDataUri(noise, 'png')) }
  const { status, body } = await other.caller.post('/send/menu', menu)
  expect([status, body.error]).toEqual([502, 'media_unavailable'])
  await endFaults()
  expect(await readInbox(anna)).toEqual([])
})

test('without a waiting caller a menu with a picture is answered as pending, and its outcome is an event', async () => {
  const anna = await createPhone(world, 'Anna')
  const { status, body } = await sendMenu(anna, { ...buttons, imageButton: good, async: true })
  expect([status, body.status]).toEqual([200, 'Pending'])
  await waitForEvent(
    'messages_update',
    ({ event }) => event.Type === 'sent' && event.MessageIDs.includes(body.messageid),
  )
  const shown = await waitForMessage(anna, ({ id }) => id === body.messageid)
  expect(shown.pictures).toMatchObject([{ mediaSha256: hashBytes(lamp) }])
})

test('a scheduled carousel has the pictures as they were when it was scheduled', async () => {
  const anna = await createPhone(world, 'Anna')
  const url = files.serveFile('/today.jpg', lamp, 'image/jpeg')
  const sendAt = new Date(Date.now() + 2 * SECOND).toISOString()
  const { status, body } = await sendMenu(anna, { ...carousel(url, toDataUri(noise, 'png')), sendAt })
  expect([status, body.status]).toEqual([200, 'Scheduled'])
  files.serveFile('/today.jpg', await drawPicture(10, 10), 'image/jpeg')
  const shown = await waitForMessage(anna, ({ id }) => id === body.messageid)
  expect(shown.pictures).toMatchObject([
    { card: 0, mediaSha256: hashBytes(lamp) },
    { card: 1, mediaSha256: hashBytes(noise) },
  ])
  expect(countRequests('/today.jpg')).toBe(1)
})

test.each([
  ['buttons', {}],
  ['template', {}],
  ['interactive', {}],
  ['carousel', { card: 0 }],
])('a received menu (%s) says what picture it has', async (form, place) => {
  const shop = await createPhone(world, 'Shop of another')
  const choices = [{ id: 'a', text: 'Lamp' }]
  const menu = { form, text: 'Which?', picture: lamp.toString('base64'), choices }
  const { id } = await world.sim('POST', '/messages', { from: shop, to: device.number, menu })
  const { message } = await waitForEvent('messages', (envelope) => envelope.message.messageid === id)
  const picture = { mimetype: 'image/jpeg', fileLength: lamp.length, width: 80, height: 60 }
  expect(message.content.pictures).toEqual([{ ...place, ...picture }])
})

test('the simulated network knew every request', async () => {
  expect((await world.sim('GET', '/unknown')).requests).toEqual([])
})
