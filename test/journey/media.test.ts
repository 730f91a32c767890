// Files with messages, both ways: what the phone decrypted, what a link and base64 hand out, and what is refused.
// @module-tag slow

import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DAY, MINUTE } from '@msgnet/shared/date-time.ts'
import { hashSha256 } from '@msgnet/shared/random-tokens.ts'
import { createSealer } from '@msgnet/shared/seal.ts'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { createDevice, createPhone, linkDevice } from '../device.ts'
import { startFileServer } from '../file-server.ts'
import { readMediaFile } from '../media-files.ts'
import { type Seen, startScene } from '../scene.ts'

const files = await startFileServer()
const scene = await startScene({ ACTION_TIMEOUT_MS: '20000' })
const { world, receiver, device, readInbox, endFaults } = scene

const hashBytes = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const waitForMessage = (number: string, id: string): Promise<Seen> =>
  scene.waitForMessage(number, (message) => message.id === id)
const sendMedia = (body: object, headers?: Record<string, string>) =>
  device.caller.post('/send/media', body, headers)

/** Receives a file; returns the id of its message. */
async function receiveMedia(kind: string, bytes: Buffer, mimetype: string): Promise<string> {
  const from = await createPhone(world)
  const body = { from, to: device.number, [kind]: bytes.toString('base64'), mimetype, caption: 'look' }
  const { id } = await world.sim('POST', '/messages', body)
  await receiver.waitForDelivery(({ message }) => (message as Seen)?.messageid === id)
  return id as string
}

test('the phone decrypts a picture with its caption, and its record contains its size', async () => {
  const friend = await createPhone(world)
  const image = await sharp({ create: { width: 80, height: 60, channels: 3, background: 'teal' } })
    .jpeg()
    .toBuffer()
  const file = `data:image/jpeg;base64,${image.toString('base64')}`
  const sent = await sendMedia({ number: friend, type: 'image', file, text: 'the window', track_id: 'w-1' })
  expect(sent.status).toBe(200)
  expect(sent.body).toMatchObject({
    type: 'media',
    mediaType: 'image',
    text: 'the window',
    track_id: 'w-1',
    content: { mimetype: 'image/jpeg', fileLength: image.length, width: 80, height: 60 },
  })
  expect(await waitForMessage(friend, sent.body.messageid)).toMatchObject({
    type: 'image',
    caption: 'the window',
    mediaSha256: hashBytes(image),
  })
})

test.each([
  ['video', readMediaFile('film.mp4')],
  ['audio', readMediaFile('voice.mp3')],
  ['ptt', readMediaFile('voice.ogg')],
  ['document', randomBytes(50_001)],
])('a %s arrives unchanged', async (type, bytes) => {
  const friend = await createPhone(world)
  const sent = await sendMedia({ number: friend, type, file: bytes.toString('base64'), docName: 'plan.pdf' })
  expect(sent.status).toBe(200)
  expect(sent.body.mediaType).toBe(type)
  const message = await waitForMessage(friend, sent.body.messageid)
  expect(message.mediaSha256).toBe(hashBytes(bytes))
})

test('a file by URL is streamed to the phone, with the type from its server', async () => {
  const friend = await createPhone(world)
  const bytes = randomBytes(20 * 1024 * 1024)
  const sent = await sendMedia({
    number: friend,
    type: 'document',
    file: files.serveFile('/plan.pdf', bytes, 'application/pdf'),
    docName: 'plan.pdf',
  })
  expect(sent.status).toBe(200)
  expect(sent.body.content).toMatchObject({
    mimetype: 'application/pdf',
    fileName: 'plan.pdf',
    fileLength: bytes.length,
  })
  expect((await waitForMessage(friend, sent.body.messageid)).mediaSha256).toBe(hashBytes(bytes))
  const asBase64 = { id: sent.body.messageid, return_base64: true }
  expect(await device.caller.post('/message/download', asBase64)).toMatchObject({
    status: 413,
    body: { error: 'body_too_large' },
  })
})

test('a file by URL over 100 MiB, or one that breaks off, is refused, and no part of it is sent', async () => {
  const number = await createPhone(world)
  const film = files.serveFile('/film', Buffer.alloc(100 * 1024 * 1024 + 1), 'video/mp4')
  expect(await sendMedia({ number, type: 'video', file: film })).toMatchObject({
    status: 413,
    body: { error: 'body_too_large' },
  })
  expect(await sendMedia({ number, type: 'document', file: `http://${files.place}/torn` })).toMatchObject({
    status: 502,
    body: { error: 'media_unavailable' },
  })
  expect(await readInbox(number)).toEqual([])
})

test('incomplete files on the disk end no session', async () => {
  const number = await createPhone(world)
  const torn = { number, type: 'document', file: `http://${files.place}/torn` }
  for (let round = 0; round < 10; round += 1) {
    const responses = await Promise.all([sendMedia(torn), sendMedia(torn), sendMedia(torn)])
    for (const { status, body } of responses) expect([status, body.error]).toEqual([502, 'media_unavailable'])
  }
  const log = readFileSync(join(world.dataDir, 'logs', 'host.log'), 'utf8')
  expect(log.match(/host started/g)).toHaveLength(1)
})

test('a received file is returned as base64, and by a link that needs no header', async () => {
  const bytes = randomBytes(300_000)
  const id = await receiveMedia('document', bytes, 'application/pdf')
  const both = await device.caller.post('/message/download', { id, return_base64: true, return_link: true })
  expect(both.status).toBe(200)
  expect(both.body.mimetype).toBe('application/pdf')
  expect(hashBytes(Buffer.from(both.body.base64Data, 'base64'))).toBe(hashBytes(bytes))
  expect(both.body.fileURL.startsWith(world.run.baseUrl)).toBe(true)

  const response = await fetch(both.body.fileURL)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/pdf')
  expect(response.headers.get('content-disposition')).toContain('attachment')
  expect(hashBytes(new Uint8Array(await response.arrayBuffer()))).toBe(hashBytes(bytes))
  const forged = await fetch(`${both.body.fileURL.slice(0, -4)}AAAA`)
  expect(forged.status).toBe(401)
})

test.each([
  ['text/html', 'page.html'],
  ['image/svg+xml', 'picture.svg'],
  ['application/javascript', 'x\u202efdp.js'],
])('a file that a browser could run is only saved: %s', async (mimetype, fileName) => {
  const from = await createPhone(world)
  const document = Buffer.from('<script>alert(1)</script>').toString('base64')
  const body = { from, to: device.number, document, mimetype, fileName }
  const { id } = await world.sim('POST', '/messages', body)
  await receiver.waitForDelivery(({ message }) => (message as Seen)?.messageid === id)
  const download = await device.caller.post('/message/download', { id })
  // The record says what its sender said.
  expect(download.body.mimetype).toBe(mimetype)
  const name = fileName.replace('\u202e', '')
  for (const method of ['GET', 'HEAD']) {
    const { status, headers } = await fetch(download.body.fileURL, {
      method,
      headers: { range: 'bytes=0-5' },
    })
    expect(status).toBe(200)
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="${name}"; filename*=UTF-8''${name}`,
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    })
  }
})

test.each([
  ['image', 'image/jpeg', 'jpg'],
  ['audio', 'audio/ogg; codecs=opus', 'ogg'],
  ['video', 'video/mp4', 'mp4'],
])(
  'a received %s of type %s, which has no name, is saved with the ending .%s',
  async (kind, type, ending) => {
    const id = await receiveMedia(kind, randomBytes(1000), type)
    const { body } = await device.caller.post('/message/download', { id })
    const { headers } = await fetch(body.fileURL, { method: 'HEAD' })
    expect(headers.get('content-disposition')).toContain(`filename="${id}.${ending}"`)
  },
)

test('a link is valid for one day', async () => {
  const bytes = randomBytes(1000)
  const id = await receiveMedia('document', bytes, 'application/pdf')
  const keys = readFileSync(join(world.dataDir, 'seal-keys'), 'utf8').trim()
  const sealer = await createSealer(keys, 'edge/media-link')
  const token = (await hashSha256(device.token)).slice(0, 16)
  const linkUntilReady = async (until: number) => {
    const facts = { instance: device.id, token, credential: 'instance', messageid: id, until }
    const link = Buffer.from(JSON.stringify(facts))
    const sealed = Buffer.from(await sealer.seal(new Uint8Array(link), 'media-link'))
    return fetch(`${world.run.baseUrl}/media?file=${sealed.toString('base64url')}`)
  }
  expect((await linkUntilReady(Date.now() + MINUTE)).status).toBe(200)
  expect((await linkUntilReady(Date.now() - 1)).status).toBe(401)

  const { body } = await device.caller.post('/message/download', { id })
  const fileKey = new URL(body.fileURL).searchParams.get('file') ?? ''
  const opened = await sealer.open(new Uint8Array(Buffer.from(fileKey, 'base64url')), 'media-link')
  const { until } = JSON.parse(Buffer.from(opened).toString())
  expect(Math.abs(until - Date.now() - DAY)).toBeLessThan(MINUTE)
})

test('a link ends when the token that requested it is renewed', async () => {
  const { caller, id } = await linkDevice(world, await createDevice(world))
  const sent = await caller.post('/send/media', {
    number: await createPhone(world),
    type: 'document',
    file: randomBytes(100).toString('base64'),
  })
  const file = { id: sent.body.messageid }
  const { fileURL } = (await caller.post('/message/download', file)).body
  expect((await fetch(fileURL)).status).toBe(200)
  const { token } = (await world.admin.post(`/v1/instances/${id}/token`)).body
  expect((await fetch(fileURL)).status).toBe(401)
  const { body } = await world.callAs(token).post('/message/download', file)
  expect((await fetch(body.fileURL)).status).toBe(200)
})

test('the default response is a link, and a received picture is reported with its caption', async () => {
  const image = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  const id = await receiveMedia('image', image, 'image/png')
  const delivery = await receiver.waitForDelivery(({ message }) => (message as Seen)?.messageid === id)
  expect(delivery.envelope.message).toMatchObject({ type: 'media', mediaType: 'image', text: 'look' })
  const { body } = await device.caller.post('/message/download', { id: `${device.number}:${id}` })
  expect(Object.keys(body).sort()).toEqual(['fileURL', 'mimetype'])
})

test('a file that only the phone still has is uploaded again by the phone, and its new location is stored', async () => {
  const file = randomBytes(500)
  const id = await receiveMedia('document', file, 'text/plain')
  const fetchFile = () => device.caller.post('/message/download', { id, return_base64: true })
  await world.sim('DELETE', `/messages/${id}/media`)
  expect((await fetchFile()).body.base64Data).toBe(file.toString('base64'))
  await world.sim('DELETE', `/messages/${id}/media`, { phone: 'lost' })
  expect(await fetchFile()).toMatchObject({
    status: 502,
    body: { error: 'media_unavailable', error_key: 'media_lost', error_source: 'gateway' },
  })
})

test('an own picture is downloaded too, and forwarding does not send it again', async () => {
  const [friend, other] = [await createPhone(world), await createPhone(world)]
  const bytes = randomBytes(1000)
  const sent = await sendMedia({ number: friend, type: 'document', file: bytes.toString('base64') })
  const { body } = await device.caller.post('/message/download', {
    id: sent.body.messageid,
    return_base64: true,
  })
  expect(Buffer.from(body.base64Data, 'base64').equals(bytes)).toBe(true)
  const forwarded = await device.caller.post('/message/forward', { id: sent.body.messageid, number: other })
  expect((await waitForMessage(other, forwarded.body.messageid)).mediaSha256).toBe(hashBytes(bytes))
})

test('an invalid file and a forbidden URL are refused before anything is sent', async () => {
  const number = await createPhone(world)
  const sendFile = (file: string) => sendMedia({ number, type: 'image', file })
  expect(await sendFile('no base64!')).toMatchObject({ status: 400, body: { error: 'invalid_body' } })
  for (const url of ['file:///etc/passwd', 'http://169.254.169.254/latest', 'http://127.0.0.1:1/x']) {
    expect(await sendFile(url)).toMatchObject({ status: 400, body: { error: 'invalid_url' } })
  }
  expect(await sendFile(`http://${files.place}/nothing`)).toMatchObject({
    status: 502,
    body: { error: 'media_unavailable' },
  })
  expect(await readInbox(number)).toEqual([])
})

test('a message without a file has none to download', async () => {
  const number = await createPhone(world)
  const { messageid } = (await device.caller.post('/send/text', { number, text: 'only words' })).body
  const refused = await device.caller.post('/message/download', { id: messageid })
  expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_message' } })
  expect((await device.caller.post('/message/download', { id: 'NOTHING' })).status).toBe(404)
})

test('a media host without a response is refused with nothing sent, and the key does not repeat the request', async () => {
  const other = await linkDevice(world, await createDevice(world))
  const number = await createPhone(world)
  await scene.causeFault('silent', { number: other.number, xmlns: 'w:m' })
  const file = randomBytes(10).toString('base64')
  const response = await other.caller.post('/send/media', { number, type: 'document', file })
  expect(response).toMatchObject({ status: 502, body: { error: 'msgnet_unreachable' } })
  await endFaults()
  expect(await readInbox(number)).toEqual([])
})

test('the simulated network knew every request', async () => {
  expect((await world.sim('GET', '/unknown')).requests).toEqual([])
})
