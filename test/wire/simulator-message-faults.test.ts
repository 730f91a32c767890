// Faults of single messages, and sockets that stop responding.
// @module-tag slow
import { expect, test } from 'vitest'
import { until } from '../until.ts'
import type { Client } from './client.ts'
import { World } from './simulator-world.ts'

const GATEWAY = '491700000131'
const FRIEND = '491700000132'
const CHAT = `${FRIEND}@s.whatsapp.net`
const CIPHERTEXT = 2

async function openWorldWithGroup() {
  const world = await World.openWorld()
  const client = await world.linkClient(GATEWAY)
  await world.post('/phones', { number: FRIEND })
  const wish = { subject: 'Club', owner: FRIEND, participants: [GATEWAY] }
  const jid = String((await world.post('/groups', wish)).body.jid)
  return { world, client, jid }
}

async function sendFromPhone(world: World, to: string, text: string): Promise<string> {
  return String((await world.post('/messages', { from: FRIEND, to, text })).body.id)
}

function collectAcks(client: Client): Record<string, string>[] {
  const all: Record<string, string>[] = []
  client.socket.ws.on('CB:ack,class:message', ({ attrs }: { attrs: Record<string, string> }) =>
    all.push(attrs),
  )
  return all
}

test('a garbled message is requested again, and then read', async () => {
  const { world, client, jid } = await openWorldWithGroup()
  await client.waitForText(await sendFromPhone(world, GATEWAY, 'before'))
  await client.waitForText(await sendFromPhone(world, jid, 'before'))
  for (const to of [GATEWAY, jid]) {
    await world.post('/faults', { kind: 'garble', number: GATEWAY, count: 1 })
    const id = await sendFromPhone(world, to, 'garbled')
    expect((await client.waitForText(id)).message?.conversation).toBe('garbled')
    const stub = client.messages.find(
      ({ key, messageStubType }) => key.id === id && messageStubType === CIPHERTEXT,
    )
    expect(stub).toBeDefined()
  }
  const retries = (await world.readList(`/log?number=${GATEWAY}`, 'entries')).filter(
    ({ what }) => what === 'retry',
  )
  expect(retries).toHaveLength(2)
})

test('while messages are garbled none is read; those of other groups and numbers are', async () => {
  const { world, client, jid } = await openWorldWithGroup()
  const other = await world.linkClient('491700000133')
  await world.post('/faults', { kind: 'garble', number: GATEWAY, group: jid })
  const id = await sendFromPhone(world, jid, 'never read')
  await client.waitForText(await sendFromPhone(world, GATEWAY, 'read'))
  await other.waitForText(await sendFromPhone(world, '491700000133', 'read'))
  await until(() => client.messages.some(({ key }) => key.id === id))
  expect(client.messages.filter(({ key, message }) => key.id === id && message)).toEqual([])
})

test('a duplicated message is delivered twice and read once', async () => {
  const { world, client } = await openWorldWithGroup()
  let came = 0
  client.socket.ws.on('CB:message', () => {
    came += 1
  })
  await world.post('/faults', { kind: 'duplicate', number: GATEWAY, count: 1 })
  const id = await sendFromPhone(world, GATEWAY, 'twice')
  await client.waitForText(id)
  await client.waitForText(await sendFromPhone(world, GATEWAY, 'once'))
  expect(came).toBe(3)
  expect(client.messages.filter(({ key, message }) => key.id === id && message)).toHaveLength(1)
})

test('a message whose ack is lost is delivered, and so is its receipt', async () => {
  const { world, client } = await openWorldWithGroup()
  const acked = collectAcks(client)
  const receipts: unknown[] = []
  client.socket.ws.on('CB:receipt', (receipt) => receipts.push(receipt))
  await world.post('/faults', { kind: 'lost_ack', number: GATEWAY, count: 1 })
  await client.socket.sendMessage(CHAT, { text: 'lost' })
  await until(() => receipts.length === 1)
  expect(acked).toEqual([])
  expect(await world.readList(`/phones/${FRIEND}/inbox`, 'messages')).toHaveLength(1)
  await client.socket.sendMessage(CHAT, { text: 'found' })
  await until(() => acked.length === 1)
})

test.each([463, 479])('a message that is refused with %i is not delivered', async (code) => {
  const { world, client, jid } = await openWorldWithGroup()
  const acked = collectAcks(client)
  await world.post('/faults', { kind: 'ack_error', code, group: jid })
  const refused = await client.socket.sendMessage(jid, { text: 'refused' })
  const taken = await client.socket.sendMessage(CHAT, { text: 'taken' })
  await until(() => acked.length === 2)
  expect(acked.map(({ id, error }) => [id, error])).toEqual([
    [refused?.key.id, String(code)],
    [taken?.key.id, undefined],
  ])
  const inbox = await until(async () => {
    const messages = await world.readList(`/phones/${FRIEND}/inbox`, 'messages')
    return messages.length > 0 && messages
  })
  expect(inbox).toMatchObject([{ text: 'taken' }])
})

test('messages to one group are acknowledged late while others are not', async () => {
  const { world, client, jid } = await openWorldWithGroup()
  const acked = collectAcks(client)
  await world.post('/faults', { kind: 'slow', tag: 'message', group: jid, ms: 600_000 })
  await client.socket.sendMessage(jid, { text: 'late' })
  const sent = await client.socket.sendMessage(CHAT, { text: 'at once' })
  await until(() => acked.length > 0)
  expect(acked.map(({ id }) => id)).toEqual([sent?.key.id])
})

test('a half-open socket stays open without responses; the next one receives what it missed', async () => {
  const { world, client } = await openWorldWithGroup()
  await world.post('/faults', { kind: 'half_open', number: GATEWAY })
  const id = await sendFromPhone(world, GATEWAY, 'missed')
  const ping = { tag: 'iq', attrs: { to: '@s.whatsapp.net', xmlns: 'w:p', type: 'get' }, content: [] }
  const response = await client.socket
    .query({ ...ping, content: [{ tag: 'ping', attrs: {} }] }, 200)
    .catch(() => undefined)
  expect(response).toBeUndefined()
  expect(client.socket.ws.isOpen).toBe(true)
  client.end()
  await client.goOnline()
  expect((await client.waitForText(id)).message?.conversation).toBe('missed')
})

test('requests about one group fail while others succeed', async () => {
  const { world, client, jid } = await openWorldWithGroup()
  const wish = { subject: 'Other', owner: FRIEND, participants: [GATEWAY] }
  const other = String((await world.post('/groups', wish)).body.jid)
  await world.post('/faults', { kind: 'refuse', xmlns: 'w:g2', code: 429, group: jid })
  await expect(client.socket.groupMetadata(jid)).rejects.toMatchObject({ data: 429 })
  expect((await client.socket.groupMetadata(other)).subject).toBe('Other')
  const unknown = { kind: 'silent', group: '120363000000000000@g.us' }
  expect((await world.post('/faults', unknown)).status).toBe(404)
})
