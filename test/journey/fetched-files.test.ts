// Files by URL, read as HTTP says: encodings, redirects, names and types; and what is refused before anything is sent.

import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, deflate, deflateRaw, gzip, zstdCompress } from 'node:zlib'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { createPhone } from '../device.ts'
import { startFileServer } from '../file-server.ts'
import { borrowScene } from '../scene.ts'

const files = await startFileServer()
const scene = await borrowScene({ ACTION_TIMEOUT_MS: '20000' })
const { world, device, waitForMessage } = scene
const number = await createPhone(world)

const pdf = Buffer.from('%PDF-1.4 a small document that every test sends')
const zipped = Buffer.concat([Buffer.from('PK\u0003\u0004'), randomBytes(40)])
const encoders: Record<string, (bytes: Buffer) => Promise<Buffer>> = {
  gzip: promisify(gzip),
  deflate: promisify(deflate),
  br: promisify(brotliCompress),
  zstd: promisify(zstdCompress),
}

const send = (file: string, fields: object = {}) =>
  device.caller.post('/send/media', { number, type: 'document', file, ...fields })
const fetchSent = async (id: string): Promise<Buffer> => {
  const { body } = await device.caller.post('/message/download', { id, return_base64: true })
  return Buffer.from(body.base64Data, 'base64')
}
/** Sends the file and returns what its record says of it. */
async function sendAndLabel(file: string, fields: object = {}) {
  const { status, body } = await send(file, fields)
  expect([status, body.message]).toEqual([200, undefined])
  const { fileName, mimetype } = body.content
  return [fileName, mimetype]
}
async function expectUnavailable(file: string, why: string) {
  const { status, body } = await send(file)
  expect([status, body.error]).toEqual([502, 'media_unavailable'])
  expect(body.message).toContain(why)
}

test.each(Object.keys(encoders))(
  'a body with content-encoding %s arrives as the file it is',
  async (name) => {
    const encoded = (await encoders[name]?.(pdf)) ?? pdf
    const url = files.serveFile(`/${name}.pdf`, encoded, 'application/pdf', { 'content-encoding': name })
    const { status, body } = await send(url)
    expect([status, body.content.fileLength]).toEqual([200, pdf.length])
    expect(await fetchSent(body.messageid)).toEqual(pdf)
    expect(files.readHeaders(`/${name}.pdf`)['accept-encoding']).toBe('identity')
  },
)

test('deflate without its head is understood, as browsers do', async () => {
  const bytes = await promisify(deflateRaw)(pdf)
  const url = files.serveFile('/bare', bytes, 'application/pdf', { 'content-encoding': 'deflate' })
  expect(await fetchSent((await send(url)).body.messageid)).toEqual(pdf)
})

test('an encoding that is not known is refused by its name', async () => {
  for (const encoding of ['compress', 'gzip, gzip']) {
    const url = files.serveFile('/odd', pdf, 'application/pdf', { 'content-encoding': encoding })
    await expectUnavailable(url, `content-encoding ${encoding}`)
  }
})

test('a body that breaks its encoding is refused, and nothing is sent', async () => {
  const whole = await promisify(gzip)(randomBytes(5000))
  for (const bytes of [whole.subarray(0, 3000), pdf]) {
    const url = files.serveFile('/broken', bytes, 'application/pdf', { 'content-encoding': 'gzip' })
    await expectUnavailable(url, 'gzip')
  }
})

test('the limit is on what comes out of an encoding', async () => {
  const bomb = await promisify(gzip)(Buffer.alloc(8 * 1024 * 1024 + 1))
  const url = files.serveFile('/bomb', bomb, 'image/png', { 'content-encoding': 'gzip' })
  const { status, body } = await device.caller.post('/profile/image', { image: url })
  expect([bomb.length < 10_000, status, body.error]).toEqual([true, 413, 'image_too_large'])
})

test('three redirects are followed, and no fourth', async () => {
  files.serveFile('/end.pdf', pdf, 'application/pdf')
  files.redirect('/one', '/end.pdf', 301)
  files.redirect('/two', `//${files.place}/one`, 307)
  const three = files.redirect('/three', 'two', 303)
  expect(await fetchSent((await send(three)).body.messageid)).toEqual(pdf)
  await expectUnavailable(files.redirect('/four', '/three', 308), 'more than 3')
  await expectUnavailable(files.redirect('/circle', '/circle'), 'more than 3')
})

test('the target of a redirect is judged as the URL itself', async () => {
  const targets = [
    'http://127.0.0.1:1/',
    'https://10.0.0.1/x',
    'https://[::1]/x',
    'http://example.com/x',
    'file:///etc/passwd',
    'data:text/plain,x',
    `http://user:secret@${files.place}/end.pdf`,
  ]
  for (const target of targets) await expectUnavailable(files.redirect('/leads', target), 'redirects to')
})

test('an empty file is refused', async () => {
  await expectUnavailable(files.serveFile('/empty', Buffer.alloc(0), 'application/pdf'), 'no bytes')
  const empty = await promisify(gzip)(Buffer.alloc(0))
  const url = files.serveFile('/empty.gz', empty, 'application/pdf', { 'content-encoding': 'gzip' })
  await expectUnavailable(url, 'no bytes')
})

test.each([
  ['attachment; filename="plan b.pdf"', 'plan b.pdf'],
  ['attachment; filename=plain.pdf', 'plain.pdf'],
  [`attachment; filename="x.pdf"; filename*=UTF-8''or%C3%A7amento%20%E2%82%AC.pdf`, 'orçamento €.pdf'],
  [`attachment; filename*=ISO-8859-1'en'caf%E9.pdf`, 'café.pdf'],
  ['inline; filename="a\\"b;c.pdf"', 'a"b;c.pdf'],
  ['attachment; filename="../../etc/plan.pdf"', 'plan.pdf'],
  [Buffer.from('attachment; filename="maçã.pdf"').toString('latin1'), 'maçã.pdf'],
  ['attachment', 'from-path.pdf'],
])('a document has the name of its content-disposition: %s', async (disposition, name) => {
  const headers = { 'content-disposition': disposition }
  const url = files.serveFile('/files/from-path.pdf', pdf, 'application/pdf', headers)
  expect(await sendAndLabel(url)).toEqual([name, 'application/pdf'])
  expect(await sendAndLabel(url, { docName: 'own.pdf' })).toEqual(['own.pdf', 'application/pdf'])
})

test('else the last part of the path, else file with the ending of its type', async () => {
  const serve = (path: string, mimetype = 'application/pdf') => files.serveFile(path, pdf, mimetype)
  expect(await sendAndLabel(serve('/a/Or%C3%A7amento%201.pdf?v=2'))).toEqual([
    'Orçamento 1.pdf',
    'application/pdf',
  ])
  expect(await sendAndLabel(serve('/a/'))).toEqual(['file.pdf', 'application/pdf'])
  expect(await sendAndLabel(serve('/b/', 'text/csv; charset=utf-8'))).toEqual(['file.csv', 'text/csv'])
  expect(await sendAndLabel(serve('/b/', 'application/x-own'))).toEqual(['file', 'application/x-own'])
  expect(await sendAndLabel(serve('/a/50%.pdf'))).toEqual(['50%.pdf', 'application/pdf'])
  serve('/blobs/7f3a')
  expect(await sendAndLabel(files.redirect('/blobs/redirect/invoice.pdf', '/blobs/7f3a'))).toEqual([
    'invoice.pdf',
    'application/pdf',
  ])
})

test('its type comes from the request, the response, its first bytes, the ending', async () => {
  const serve = (bytes: Uint8Array, mimetype = 'application/octet-stream') =>
    files.serveFile('/typed/sheet.xlsx', bytes, mimetype)
  const sheet = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
  expect(await sendAndLabel(serve(pdf))).toEqual(['sheet.xlsx', 'application/pdf'])
  expect(await sendAndLabel(serve(pdf, 'text/csv'))).toEqual(['sheet.xlsx', 'text/csv'])
  expect(await sendAndLabel(serve(pdf, 'text/csv'), { mimetype: 'text/x-own' })).toEqual([
    'sheet.xlsx',
    'text/x-own',
  ])
  expect(await sendAndLabel(serve(zipped))).toEqual(['sheet.xlsx', sheet])
  expect(await sendAndLabel(serve(randomBytes(30), ''))).toEqual(['sheet.xlsx', sheet])
})

test.each([
  ['mp4', 'video/mp4', '00000020 66747970 69736f6d 00000200'],
  ['mp4', 'video/mp4', '00000018 66747970 6d703432 00000000'],
  ['m4a', 'audio/mp4', '0000001c 66747970 4d344120 00000000'],
  ['mov', 'video/quicktime', '00000014 66747970 71742020 00000000'],
  ['heic', 'image/heic', '00000018 66747970 68656963 00000000'],
  ['avif', 'image/avif', '0000001c 66747970 61766966 00000000'],
  ['wav', 'audio/wav', '52494646 24080000 57415645 666d7420'],
  ['', 'application/octet-stream', '00000018 66747970 78787878 00000000'],
])('a document without name and type that begins as %s is %s', async (ending, mimetype, first) => {
  const bytes = Buffer.from(first.replaceAll(' ', '').padEnd(120, '0'), 'hex')
  expect(await sendAndLabel(bytes.toString('base64'))).toEqual([ending ? `file.${ending}` : 'file', mimetype])
})

test('a sound that begins as a video does is a sound by its name', async () => {
  const bytes = Buffer.from('00000018667479706d70343200000000'.padEnd(120, '0'), 'hex')
  const file = bytes.toString('base64')
  expect(await sendAndLabel(file, { docName: 'song.m4a' })).toEqual(['song.m4a', 'audio/mp4'])
  expect(await sendAndLabel(file, { docName: 'song.pdf' })).toEqual(['song.pdf', 'video/mp4'])
})

test('a document in the request itself has a name and a type too', async () => {
  const base64 = pdf.toString('base64')
  expect(await sendAndLabel(base64, { docName: 'a.pdf' })).toEqual(['a.pdf', 'application/pdf'])
  expect(await sendAndLabel(base64)).toEqual(['file.pdf', 'application/pdf'])
  const named = `data:application/pdf;name=Or%C3%A7amento%20b.pdf;base64,${base64}`
  expect(await sendAndLabel(named)).toEqual(['Orçamento b.pdf', 'application/pdf'])
  expect(await sendAndLabel(`data:;name=a.csv;base64,${randomBytes(30).toString('base64')}`)).toEqual([
    'a.csv',
    'text/csv',
  ])
})

test('pictures of menus, profiles and status posts are fetched in the same way', async () => {
  const picture = await sharp({ create: { width: 300, height: 300, channels: 3, background: 'teal' } })
    .png()
    .toBuffer()
  const encoded = await promisify(gzip)(picture)
  files.serveFile('/teal', encoded, 'image/png', { 'content-encoding': 'gzip' })
  const url = files.redirect('/colour', '/teal')
  expect((await device.caller.post('/profile/image', { image: url })).status).toBe(200)
  // Status posts go to contacts, and there is one.
  expect((await device.caller.post('/contact/add', { phone: number, name: 'Ana' })).status).toBe(200)
  const post = await device.caller.post('/send/status', { type: 'image', file: url })
  expect([post.status, post.body.content?.fileLength]).toEqual([200, picture.length])
  const sent = await send(url, { type: 'image' })
  expect(sent.body.content).toMatchObject({ mimetype: 'image/png', fileLength: picture.length })
  await waitForMessage(number, (message) => message.id === sent.body.messageid)
})
