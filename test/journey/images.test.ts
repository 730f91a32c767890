// Pictures of groups: what callers may send, what the network gets, and what is refused before a request to it.

import sharp from 'sharp'
import { expect, test } from 'vitest'
import { createPhone } from '../device.ts'
import { startFileServer } from '../file-server.ts'
import { borrowScene } from '../scene.ts'

const files = await startFileServer()
const { world, device } = await borrowScene()
const founding = { name: 'Pictures', participants: [await createPhone(world)] }
const groupjid = (await device.caller.post('/group/create', founding)).body.JID

const createBlank = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#3366cc' }, limitInputPixels: false })
const createNoise = (width: number, height: number) =>
  sharp(Buffer.from(Array.from({ length: width * height * 3 }, (_, at) => (at * 2_654_435_761) >>> 24)), {
    raw: { width, height, channels: 3 },
  })
const updateImage = (image: string) => device.caller.post('/group/updateImage', { groupjid, image })
/** Dots of one pixel, each a frame, on a sheet of 40x30. */
function createAnimation(frames: number): Buffer {
  const sheet = Buffer.from('474946383961 2800 1e00 80 00 00 000000 ffffff'.replaceAll(' ', ''), 'hex')
  const frame = Buffer.from('21f904040a000000 2c000000000100010000 02024401 00'.replaceAll(' ', ''), 'hex')
  return Buffer.concat([sheet, ...Array.from({ length: frames }, () => frame), Buffer.from(';')])
}
const readPicture = async (): Promise<{ id: string; sha256: string; width: number; height: number } | null> =>
  (await world.sim('GET', `/groups/${groupjid}`)).picture as never

test.each(['jpeg', 'png', 'gif'] as const)('a %s becomes a picture of at most 640x640', async (format) => {
  const image = await createBlank(1600, 1200).toFormat(format).toBuffer()
  const response = await updateImage(`data:image/${format};base64,${image.toString('base64')}`)
  expect(response.status).toBe(200)
  expect(response.body).toMatchObject({ needs_refresh: true, pictureId: expect.stringMatching(/^\d+$/) })
  expect(await readPicture()).toMatchObject({ id: response.body.pictureId, width: 640, height: 480 })
})

test('bare base64 is accepted, a small image stays small, and rotated images are turned upright', async () => {
  const image = await createBlank(30, 10)
    .withExif({ IFD3: { GPSLatitudeRef: 'N' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
  expect((await updateImage(image.toString('base64'))).status).toBe(200)
  expect(await readPicture()).toMatchObject({ width: 10, height: 30 })
})

test('an allowed URL is fetched, and other URLs, redirects and missing files are refused', async () => {
  const logo = files.serveFile('/logo.png', await createBlank(700, 700).png().toBuffer(), 'image/png')
  expect((await updateImage(logo)).status).toBe(200)
  expect(await readPicture()).toMatchObject({ width: 640, height: 640 })
  for (const url of ['http://127.0.0.1:1/x.png', 'file:///etc/passwd', 'https://10.0.0.1/x.png']) {
    expect(await updateImage(url)).toMatchObject({ status: 400, body: { error: 'invalid_url' } })
  }
  for (const path of ['/away', '/nothing']) {
    expect(await updateImage(`http://${files.place}${path}`)).toMatchObject({
      status: 502,
      body: { error: 'media_unavailable' },
    })
  }
  const huge = files.serveFile('/huge.png', Buffer.alloc(8 * 1024 * 1024 + 1, 255), 'image/png')
  expect(await updateImage(huge)).toMatchObject({
    status: 413,
    body: { error: 'image_too_large' },
  })
})

test('a picture is removed by either word', async () => {
  for (const word of ['remove', 'delete']) {
    await updateImage((await createBlank(8, 8).png().toBuffer()).toString('base64'))
    expect(await readPicture()).not.toBeNull()
    const removed = await updateImage(word)
    expect(removed.body).toEqual({ response: expect.any(String), needs_refresh: true })
    expect(await readPicture()).toBeNull()
  }
})

test('an image that is not JPEG, PNG or GIF by its first bytes, or does not decode, is 415', async () => {
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
  const webp = await createBlank(9, 9).webp().toBuffer()
  const tiff = await createBlank(9, 9).tiff().toBuffer()
  const torn = (await createNoise(64, 64).png().toBuffer()).subarray(0, 200)
  for (const bytes of [svg, webp, tiff, torn, Buffer.from('hello, world')]) {
    const refused = await updateImage(`data:image/jpeg;base64,${bytes.toString('base64')}`)
    expect(refused).toMatchObject({ status: 415, body: { error: 'invalid_image' } })
  }
})

test('broken base64 is 400', async () => {
  for (const image of [
    'not base64!',
    'data:image/png;base64,@@@',
    'data:image/png,plain',
    '/etc/passwd',
    'abc',
  ]) {
    expect(await updateImage(image)).toMatchObject({ status: 400, body: { error: 'invalid_image' } })
  }
})

test('8 MiB are accepted, and one byte more or 50 megapixels are refused', async () => {
  const max = 8 * 1024 * 1024
  const small = await createBlank(8, 8).jpeg().toBuffer()
  const exactly = Buffer.concat([small, Buffer.alloc(max - small.length)])
  expect((await updateImage(exactly.toString('base64'))).status).toBe(200)
  const over = Buffer.concat([exactly, Buffer.alloc(1)])
  expect(await updateImage(over.toString('base64'))).toMatchObject({
    status: 413,
    body: { error: 'image_too_large' },
  })
  const vast = await createBlank(16_000, 16_000).png().toBuffer()
  expect(await updateImage(vast.toString('base64'))).toMatchObject({
    status: 413,
    body: { error: 'image_too_large' },
  })
  const body = { groupjid, image: 'A'.repeat(12 * 1024 * 1024) }
  const huge = await device.caller.post('/group/updateImage', body)
  expect(huge.status).toBe(413)
  expect((await readPicture())?.width).toBe(8)
})

test('only the first frame of an animation of 5,000 frames is used', async () => {
  const response = await updateImage(createAnimation(5000).toString('base64'))
  expect(response.status, response.text).toBe(200)
  expect(await readPicture()).toMatchObject({ width: 40, height: 30 })
})

test('metadata of a camera does not reach the network', async () => {
  const plain = createNoise(64, 48)
  const place = { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 0/1' }
  await updateImage((await plain.clone().jpeg().toBuffer()).toString('base64'))
  const without = await readPicture()
  const result = await plain
    .clone()
    .withExif({ IFD0: { Artist: 'Somebody' }, IFD3: place })
    .jpeg()
    .toBuffer()
  expect(result.includes('Somebody')).toBe(true)
  await updateImage(result.toString('base64'))
  const withIt = await readPicture()
  expect(withIt?.id).not.toBe(without?.id)
  expect(withIt?.sha256).toBe(without?.sha256)
})

test('a host answers other requests while it checks the worst images', async () => {
  const largest = await createNoise(1700, 1600).png({ compressionLevel: 0 }).toBuffer()
  const worst = [
    await createBlank(16_000, 16_000).png().toBuffer(),
    await createBlank(7000, 7000).png().toBuffer(),
  ]
  const candidates = [...worst, largest, createAnimation(5000)].map((one) => one.toString('base64'))
  const friend = await createPhone(world)
  const statuses: number[] = []
  async function countWhileChecking(request: () => Promise<{ status: number }>): Promise<number> {
    let count = 0
    while (statuses.length < candidates.length) {
      expect((await request()).status).toBe(200)
      count += 1
    }
    return count
  }
  async function checkAll() {
    for (const image of candidates) statuses.push((await updateImage(image)).status)
  }
  const [, ...others] = await Promise.all([
    checkAll(),
    countWhileChecking(() => device.caller.post('/send/text', { number: friend, text: 'meanwhile' })),
    countWhileChecking(() => device.caller.get('/group/list')),
    countWhileChecking(() => device.caller.post('/message/find', { chatid: friend })),
  ])
  console.log(
    `${others} texts, lists and searches were answered while ${candidates.length} images were judged`,
  )
  expect(statuses).toEqual([413, 200, 200, 200])
  expect(others.reduce((sum, count) => sum + count)).toBeGreaterThan(candidates.length)
})

test('the picture of a group that we are not in cannot be changed', async () => {
  const wish = {
    subject: 'Foreign',
    owner: await createPhone(world),
    participants: [await createPhone(world)],
  }
  const { jid } = await world.sim('POST', '/groups', wish)
  const refused = await device.caller.post('/group/updateImage', { groupjid: jid, image: 'remove' })
  expect(refused).toMatchObject({ status: 403, body: { error: 'not_in_group' } })
})
