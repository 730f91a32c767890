// The bytes of a request: what may stand before and around its JSON, and base64 in it, which is never repaired.

import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { borrowForFile } from '../borrowed-world.ts'
import type { ApiResponse } from '../caller.ts'
import { createDevice, type Device } from '../device.ts'

const world = await borrowForFile()
let device: Device

beforeAll(async () => {
  device = await createDevice(world)
})

const number = '5511999999999'
/** Well-formed, so that only the session is missing. */
const accepted = [409, 'not_connected']
const pickError = ({ status, body }: ApiResponse) => [status, body?.error]
const text = JSON.stringify({ number, text: 'x' })

async function postBytes(path: string, body: Uint8Array, headers: Record<string, string> = {}) {
  const response = await fetch(world.run.baseUrl + path, {
    method: 'POST',
    headers: { token: device.token, 'content-type': 'application/json', ...headers },
    body: body as Uint8Array<ArrayBuffer>,
  })
  const { error, message } = (await response.json()) as { error: string; message: string }
  return { status: response.status, error, message }
}

test.each([
  ['gzip', promisify(gzip)],
  ['br', promisify(brotliCompress)],
  ['zstd', async (bytes: string) => Buffer.from(bytes)],
])('a body with content-encoding %s is 415, which names it', async (encoding, encode) => {
  const { status, error, message } = await postBytes('/send/text', await encode(text), {
    'content-encoding': encoding,
  })
  expect([status, error]).toEqual([415, 'unsupported_media_type'])
  expect(message).toContain(encoding)
})

test('content-encoding identity is none, and one without a body is no matter', async () => {
  const identity = { 'content-encoding': 'identity' }
  expect(await postBytes('/send/text', Buffer.from(text), identity)).toMatchObject({ status: 409 })
  const restart = await device.caller.request('POST', '/instance/restart', undefined, {
    'content-encoding': 'gzip',
  })
  expect(pickError(restart)).toEqual(accepted)
})

test('a byte order mark before JSON is passed over, once and only there', async () => {
  const mark = Buffer.from([0xef, 0xbb, 0xbf])
  const marked = Buffer.concat([mark, Buffer.from(text)])
  expect(await postBytes('/send/text', marked)).toMatchObject({ status: 409, error: 'not_connected' })
  const large = JSON.stringify({ number, type: 'document', file: 'A'.repeat(80_000) })
  const file = Buffer.concat([mark, Buffer.from(large)])
  expect(await postBytes('/send/media', file)).toMatchObject({ status: 409, error: 'not_connected' })
  for (const wrong of [Buffer.concat([mark, marked]), Buffer.concat([Buffer.from(text), mark])])
    expect(await postBytes('/send/text', wrong)).toMatchObject({ status: 400, error: 'invalid_json' })
})

test('a field of a search that is not known is refused by its name', async () => {
  for (const field of ['words', 'afterId', 'query', 'number']) {
    const { status, body } = await device.caller.post('/message/find', { [field]: 'x', limit: 5 })
    expect([status, body.error, body.message.includes(field)]).toEqual([400, 'invalid_body', true])
  }
})

const sizes = [
  // With four plus signs, so that what is left without them is base64 too.
  ['a short text', Buffer.from('>>>'.repeat(4))],
  ['a long text', Buffer.alloc(90_000, '>>>~')],
] as const

test.each(sizes)('line breaks and tabs in base64 are passed over: %s', async (_, bytes) => {
  const lines = bytes.toString('base64').replace(/.{16}/g, '$&\r\n\t')
  for (const file of [lines, `data:application/pdf;base64,${lines}`, `data:;base64, ${lines}`])
    expect(pickError(await device.caller.post('/send/media', { number, type: 'document', file }))).toEqual(
      accepted,
    )
})

test.each(sizes)('base64 whose plus signs became blanks is 400 by its field: %s', async (_, bytes) => {
  const base64 = bytes.toString('base64')
  const expectRefusal = async (path: string, body: object, error: string, field: string) => {
    const response = await device.caller.post(path, body)
    expect([...pickError(response), response.body.message.split(' ')[0]]).toEqual([400, error, field])
  }
  for (const damaged of [base64.replaceAll('+', ' '), base64.replace('+', '    '), base64.replace('+', '\f')])
    for (const file of [damaged, `data:application/pdf;base64,${damaged}`]) {
      await expectRefusal('/send/media', { number, type: 'document', file }, 'invalid_body', 'file')
      await expectRefusal('/profile/image', { image: file }, 'invalid_image', 'image')
    }
})
