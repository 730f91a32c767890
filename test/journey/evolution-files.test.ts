// Files in the webhooks of Evolution: with `base64` a message that has one comes with it.

import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { borrowEvolution, nameIn, PIXEL, TOKEN } from '../evolution-scene.ts'
import { createFlac } from '../flac-file.ts'
import type { Seen } from '../scene.ts'
import { until } from '../until.ts'

const MIB = 1024 * 1024
const { world, own, account, friend, place, posted, failing, waitAt } = await borrowEvolution({
  MEDIA: 'keep',
})
const url = `http://${place}/files`
await own.post(nameIn('/webhook/set'), { webhook: { enabled: true, url, base64: true } })

const receive = async (message: object): Promise<string> =>
  String((await world.sim('POST', '/messages', { from: friend, to: account, ...message })).id)
const receiveFile = (bytes: Buffer) =>
  receive({ document: bytes.toString('base64'), mimetype: 'text/plain', caption: 'look' })
const hasId =
  (id: string) =>
  ({ data }: Seen): boolean =>
    data.key?.id === id

test('each spelling of base64 is taken, and shown as it was chosen', async () => {
  const shapes = [
    { webhook: { enabled: true, url, base64: true } },
    { url, webhook_base64: true },
    { enabled: true, url, webhookBase64: true },
  ]
  for (const shape of shapes) {
    const { status, body } = await own.post(nameIn('/webhook/set'), shape)
    expect([status, body.webhookBase64]).toEqual([201, true])
  }
  expect((await own.get(nameIn('/webhook/find'))).body).toMatchObject({ url, webhookBase64: true })
})

test('a received file comes in its message, between the messages before and after it', async () => {
  const file = randomBytes(200_001)
  const before = await receive({ text: 'before' })
  const id = await receiveFile(file)
  const after = await receive({ text: 'after' })
  await waitAt('/files', hasId(after))
  const texts = posted.filter(({ body }) => [before, id, after].includes(body.data.key?.id))
  expect(texts.map(({ body }) => body.data.key.id)).toEqual([before, id, after])
  const { message, messageType } = texts[1]?.body.data ?? {}
  expect(messageType).toBe('documentMessage')
  expect(message.documentMessage).toMatchObject({ caption: 'look', fileLength: String(file.length) })
  expect(Buffer.from(message.base64, 'base64').equals(file)).toBe(true)
  expect(message.mediaUrl).toMatch(/^http/)
  expect(texts[0]?.body.data.message).toEqual({ conversation: 'before' })
})

test('a file that is refused comes again with the same bytes', async () => {
  failing.add('/files')
  const id = await receiveFile(Buffer.from('the same, each time'))
  await waitAt('/files', hasId(id))
  failing.delete('/files')
  const tries = await until(() => {
    const found = posted.filter(({ body }) => hasId(id)(body))
    return found.length > 1 && found
  })
  expect(new Set(tries.map(({ raw }) => raw)).size).toBe(1)
  expect(new Set(tries.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  expect(tries[0]?.body.data.message.base64).toBe(Buffer.from('the same, each time').toString('base64'))
})

test('a file over 16 MiB is left out', async () => {
  const id = await receiveFile(randomBytes(16 * MIB + 1))
  const got = await until(() => posted.find(({ body }) => hasId(id)(body)), { within: 50_000 })
  expect(got.body.data.messageType).toBe('documentMessage')
  expect(got.body.data.message).not.toHaveProperty('base64')
})

test('what was deleted before it could be delivered comes without its file', async () => {
  failing.add('/files')
  const id = await receiveFile(Buffer.from('gone'))
  await waitAt('/files', hasId(id))
  await world.sim('POST', `/messages/${id}/revoke`, { by: friend })
  await until(async () => {
    const found = await own.post(nameIn('/chat/findMessages'), { where: { key: { id } } })
    return found.body.messages.records[0]?.status === 'DELETED'
  })
  failing.delete('/files')
  const last = await until(() => posted.filter(({ body }) => hasId(id)(body))[1])
  expect(last.body.data.message).not.toHaveProperty('base64')
})

test('a webhook without base64 gets the link alone', async () => {
  expect((await own.post(nameIn('/webhook/set'), { url, webhook_base64: false })).status).toBe(201)
  const id = await receiveFile(Buffer.from('by its link'))
  const { message } = (await waitAt('/files', hasId(id))).body.data
  expect(message).not.toHaveProperty('base64')
  expect(await (await fetch(message.mediaUrl)).text()).toBe('by its link')
})

/** As programs send a file: in a form, with the fields as texts. */
async function sendForm(route: string, fields: Record<string, string>, file?: File, key?: string) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  if (file) form.append('file', file)
  const headers = { apikey: TOKEN, ...(key && { 'idempotency-key': key }) }
  const request = { method: 'POST', headers, body: form }
  const response = await fetch(`${world.run.baseUrl}/evolution${nameIn(`/message/${route}`)}`, request)
  return { status: response.status, body: (await response.json()) as Seen }
}

const readInbox = async (id: string): Promise<Seen> =>
  until(async () => {
    const { messages } = (await world.sim('GET', `/phones/${friend}/inbox`)) as Seen
    return messages.find((message: Seen) => message.id === id)
  })

test('a file is sent as a part of a form, with its name, its type and the fields beside it', async () => {
  const quoted = await receive({ text: 'have you got it?' })
  await until(async () => {
    const found = await own.post(nameIn('/chat/findMessages'), { where: { key: { id: quoted } } })
    return found.body.messages.records.length
  })
  const bytes = randomBytes(300_001)
  const sent = await sendForm(
    'sendMedia',
    {
      number: friend,
      mediatype: 'document',
      caption: '{"a":1}',
      delay: '1',
      quoted: JSON.stringify({ key: { id: quoted } }),
    },
    new File([bytes], 'price list.csv', { type: 'text/csv' }),
  )
  expect(sent).toMatchObject({
    status: 201,
    body: {
      contextInfo: { stanzaId: quoted },
      message: { documentMessage: { caption: '{"a":1}', fileName: 'price list.csv', mimetype: 'text/csv' } },
    },
  })
  const { body } = await own.post(nameIn('/chat/getBase64FromMediaMessage'), {
    message: { key: { id: sent.body.key.id } },
  })
  expect(Buffer.from(body.base64, 'base64').equals(bytes)).toBe(true)
})

test('a sticker and a sound are sent by a form too', async () => {
  const picture = new File([Buffer.from(PIXEL, 'base64')], 'a.png', { type: 'image/png' })
  const sticker = await sendForm('sendSticker', { number: friend }, picture)
  expect([sticker.status, sticker.body.messageType]).toEqual([201, 'stickerMessage'])
  const sound = new File([createFlac({ rate: 16_000, samples: 16_000 })], 'a.flac', { type: 'audio/flac' })
  const spoken = await sendForm('sendWhatsAppAudio', { number: friend, encoding: 'false' }, sound)
  expect([spoken.status, spoken.body.messageType]).toEqual([201, 'audioMessage'])
  expect((await readInbox(spoken.body.key.id)).id).toBe(spoken.body.key.id)
})

test('a form repeated with its Idempotency-Key sends nothing more, and another file with that key is refused', async () => {
  const fields = { number: friend, mediatype: 'document' }
  const key = crypto.randomUUID()
  const file = (words: string) => new File([words], 'a.txt', { type: 'text/plain' })
  const first = await sendForm('sendMedia', fields, file('one'), key)
  const again = await sendForm('sendMedia', fields, file('one'), key)
  expect([first.status, again.status, again.body.key.id]).toEqual([201, 201, first.body.key.id])
  expect((await sendForm('sendMedia', fields, file('two'), key)).status).toBe(422)
})

test('a form without a file, with an empty one or one over 16 MiB is refused', async () => {
  const fields = { number: friend, mediatype: 'document' }
  const without = await sendForm('sendMedia', fields)
  expect([without.status, without.body.response.message]).toEqual([
    400,
    [['instance requires property "media"']],
  ])
  expect((await sendForm('sendMedia', fields, new File([], 'a.txt'))).status).toBe(400)
  const large = new File([new Uint8Array(16 * MIB + 1)], 'a.bin')
  expect((await sendForm('sendMedia', fields, large)).status).toBe(413)
  expect((await sendForm('sendText', { number: friend, text: 'hi' })).status).toBe(415)
})

test('a status is posted by a form, with a file or with words, and a file where words are wanted is refused', async () => {
  const added = await fetch(`${world.run.baseUrl}/contact/add`, {
    method: 'POST',
    headers: { token: TOKEN, 'content-type': 'application/json' },
    body: JSON.stringify({ phone: friend, name: 'Ann' }),
  })
  expect(added.status).toBe(200)
  const picture = new File([Buffer.from(PIXEL, 'base64')], 'a.png', { type: 'image/png' })
  const posted = await sendForm('sendStatus', { type: 'image', allContacts: 'true' }, picture)
  expect([posted.status, posted.body.messageType]).toEqual([201, 'imageMessage'])
  const told = await sendForm('sendStatus', { type: 'text', content: 'open', allContacts: 'true' })
  expect([told.status, told.body.messageType]).toEqual([201, 'conversation'])
  const wrong = await sendForm('sendStatus', { type: 'text', allContacts: 'true' }, picture)
  expect([wrong.status, wrong.body.response.message.flat()]).toEqual([
    400,
    [expect.stringContaining('instance.content must be a text')],
  ])
})

test('fields in another order are the same request', async () => {
  const key = crypto.randomUUID()
  const file = new File(['one'], 'a.txt', { type: 'text/plain' })
  const first = await sendForm('sendMedia', { number: friend, mediatype: 'document' }, file, key)
  const again = await sendForm('sendMedia', { mediatype: 'document', number: friend }, file, key)
  expect([again.status, again.body.key.id]).toEqual([201, first.body.key.id])
})

const CRLF = '\r\n'
const createPart = (name: string, value: string) =>
  `--b${CRLF}content-disposition: form-data; name="${name}"${CRLF}${CRLF}${value}${CRLF}`

test.each([
  [
    'more parts than a form has',
    createPart('mentioned', '1').repeat(201),
    400,
    'must have at most 200 parts',
  ],
  ['a hundred thousand parts', createPart('mentioned', '1').repeat(100_000), 400, 'at most 200 parts'],
  ['a large field', createPart('caption', 'x'.repeat(65 * 1024)), 413, 'fields beside the file are larger'],
  [
    'a field of fewer characters than bytes',
    createPart('caption', '漢'.repeat(22 * 1024)),
    413,
    'fields beside the file are larger',
  ],
  [
    'a field with a long name',
    createPart('x'.repeat(65 * 1024), ''),
    413,
    'fields beside the file are larger',
  ],
  ['a deep field', createPart('quoted', '['.repeat(1000)), 400, 'nested deeper than 32 levels'],
])('a form with %s is refused', async (_, parts, status, words) => {
  const response = await fetch(`${world.run.baseUrl}/evolution${nameIn('/message/sendMedia')}`, {
    method: 'POST',
    headers: { apikey: TOKEN, 'content-type': 'multipart/form-data; boundary=b' },
    body: `${parts}--b--${CRLF}`,
  })
  expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(words)])
})

test('two hundred parts are read', async () => {
  const form = new FormData()
  for (let n = 0; n < 198; n++) form.append('mentioned', friend)
  form.append('number', friend)
  form.append('mediatype', 'document')
  const request = { method: 'POST', headers: { apikey: TOKEN }, body: form }
  const response = await fetch(`${world.run.baseUrl}/evolution${nameIn('/message/sendMedia')}`, request)
  expect(await response.text()).toContain('property \\"media\\"')
})
