// False claims of a message about itself, its file or its id are detected and harm no other message.

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { createPhone } from '../device.ts'
import { type Seen, startScene } from '../scene.ts'
import { until } from '../until.ts'
import { Client } from '../wire/client.ts'

const MIB = 1024 * 1024
const { world, receiver, device, waitForEvent } = await startScene()

/** Receives a file whose message makes false claims about it; returns the id of the message. */
async function receiveWithClaims(bytes: Buffer, claims: object): Promise<string> {
  const from = await createPhone(world)
  const body = { from, to: device.number, document: bytes.toString('base64'), mimetype: 'application/pdf' }
  const { id } = await world.sim('POST', '/messages', body)
  await receiver.waitForDelivery(({ message }) => (message as Seen)?.messageid === id)
  // The simulated phones make no false claims: they are written into the stored message.
  const store = new DatabaseSync(join(world.dataDir, 'host', 'host.db'), { timeout: 5000 })
  const { record } = store.prepare('SELECT record FROM messages WHERE messageid = ?').get(String(id)) as {
    record: string
  }
  const parsed = JSON.parse(record)
  Object.assign(parsed.content, claims)
  store.prepare('UPDATE messages SET record = ? WHERE messageid = ?').run(JSON.stringify(parsed), String(id))
  store.close()
  return String(id)
}

test('the host stops a file that is longer than it claims, where its base64 would be too long', async () => {
  const id = await receiveWithClaims(randomBytes(17 * MIB), { fileLength: 10 })
  const response = await device.caller.post('/message/download', { id, return_base64: true })
  expect([response.status, response.body.error]).toEqual([413, 'body_too_large'])
  const readHostLog = () => readFileSync(join(world.dataDir, 'logs', 'host.log'), 'utf8')
  await until(() =>
    /"action":"message.download","outcome":"refused","why":"body_too_large"/.test(readHostLog()),
  )
  const { body } = await device.caller.post('/message/download', { id })
  expect((await (await fetch(body.fileURL)).arrayBuffer()).byteLength).toBe(17 * MIB)
})

test('a type and a name that would break a header are left out', async () => {
  const bytes = randomBytes(1000)
  const claims = { mimetype: 'text/html\r\nset-cookie: a=b', fileName: 'half \ud800 "a"\r\n.pdf' }
  const id = await receiveWithClaims(bytes, claims)
  const { body } = await device.caller.post('/message/download', { id })
  const response = await fetch(body.fileURL)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/octet-stream')
  expect(response.headers.get('set-cookie')).toBeNull()
  expect(response.headers.get('content-disposition')).toBe(
    `attachment; filename="half _ _a_.pdf"; filename*=UTF-8''half%20%EF%BF%BD%20%22a%22.pdf`,
  )
  expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true)
})

test('a data URI without an end of its head is refused for its head', async () => {
  const number = await createPhone(world)
  const file = `data:${';'.repeat(1_000_000)},AAAA`
  const response = await device.caller.post('/send/media', { number, type: 'document', file })
  expect([response.status, response.body.error]).toEqual([400, 'invalid_body'])
  expect(response.body.message).toMatch(/^file must/)
})

type Content = Parameters<Client['socket']['sendMessage']>[1]

/** A stranger who writes with a program, which chooses each id. */
async function connectLibrary(): Promise<(content: Content, id?: string) => Promise<void>> {
  // The library writes to the number that it is given.
  const number = await createPhone(world, 'Somebody', { lidMigrated: false })
  const { url } = await world.sim('GET', '/network')
  const client = new Client(() => String(url))
  onTestFinished(() => client.end())
  client.connect()
  await world.sim('POST', `/phones/${number}/scan`, { qr: await client.waitForQr() })
  await client.waitForClose()
  await client.goOnline()
  return async (content, id) => {
    await client.socket.sendMessage(ours, content, id === undefined ? {} : { messageId: id })
  }
}
const ours = `${device.number}@s.whatsapp.net`
const createId = () => `3EB0${randomBytes(9).toString('hex').toUpperCase()}`
const hasText = (text: string) => waitForEvent('messages', ({ message }) => message.text === text)

test('a deletion by a stranger before a message arrives does not hide the message of a friend', async () => {
  const [stranger, friend] = [await connectLibrary(), await connectLibrary()]
  const id = createId()
  await stranger({ delete: { remoteJid: ours, fromMe: true, id } })
  await stranger({ text: 'behind the deletion' })
  await hasText('behind the deletion')
  await friend({ text: 'not to be hidden' }, id)
  expect((await hasText('not to be hidden')).message.messageid).toBe(id)
  const { messages } = (await device.caller.post('/message/find', { id })).body
  expect(messages).toMatchObject([{ messageid: id, text: 'not to be hidden', status: '' }])
})

test('a stranger who uses the id of a message first does not hide that message', async () => {
  const [stranger, friend] = [await connectLibrary(), await connectLibrary()]
  const id = createId()
  await stranger({ text: 'the first of this id' }, id)
  const first = (await hasText('the first of this id')).message
  await friend({ text: 'the second of this id' }, id)
  const second = (await hasText('the second of this id')).message
  expect(second.messageid).not.toBe(first.messageid)
  expect(second.chatid).not.toBe(first.chatid)
  for (const { messageid, text } of [first, second])
    expect((await device.caller.post('/message/find', { id: messageid })).body.messages).toMatchObject([
      { text },
    ])
})
