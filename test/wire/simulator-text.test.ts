// Text between phones and linked companions, over the simulated network.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { until } from '../until.ts'
import { World } from './simulator-world.ts'

const GATEWAY = '491700000001'
const FRIEND = '491700000002'
const FAILED = 0

async function waitForInbox(world: World, number: string, count: number) {
  return until(async () => {
    const messages = await world.readList(`/phones/${number}/inbox`, 'messages')
    return messages.length >= count && messages
  })
}

async function openWorldWithFriend(lidMigrated = false) {
  const world = await World.openWorld()
  const client = await world.linkClient(GATEWAY, { lidMigrated })
  const { lid } = (await world.post('/phones', { number: FRIEND, name: 'Friend' })).body
  return { world, client, lid: String(lid) }
}

test.each(['pn', 'lid'] as const)('text goes both ways under %s addresses', async (addressing) => {
  const { world, client, lid } = await openWorldWithFriend(addressing === 'lid')
  const pn = `${FRIEND}@s.whatsapp.net`
  const [chat, other] = addressing === 'pn' ? [pn, lid] : [lid, pn]
  for (const text of ['one', 'two']) {
    const sent = await world.post('/messages', { from: FRIEND, to: GATEWAY, text, addressing })
    const received = await client.waitForText(String(sent.body.id))
    expect(received.message?.conversation).toBe(text)
    expect(received.pushName).toBe('Friend')
    expect(received.key).toMatchObject({ remoteJid: chat, remoteJidAlt: other, fromMe: false })
    await client.socket.sendMessage(chat, { text: `${text} back` })
  }
  expect(await waitForInbox(world, FRIEND, 2)).toMatchObject([
    { type: 'text', text: 'one back', from: `${GATEWAY}@s.msgnet.net`, chat: `${GATEWAY}@s.msgnet.net` },
    { type: 'text', text: 'two back' },
  ])
  expect(await world.readList('/unknown', 'requests')).toEqual([])
})

test('a stored session does not grow with each message of a conversation', async () => {
  const { world, client } = await openWorldWithFriend()
  const database = new DatabaseSync(join(world.dataDir, 'simulator', 'network.db'), { readOnly: true })
  const lengths: number[] = []
  for (let turn = 1; turn <= 30; turn++) {
    const sent = await world.post('/messages', { from: FRIEND, to: GATEWAY, text: `turn ${turn}` })
    await client.waitForText(String(sent.body.id))
    await client.socket.sendMessage(`${FRIEND}@s.whatsapp.net`, { text: `turn ${turn} back` })
    await waitForInbox(world, FRIEND, turn)
    const { longest } = database.prepare('select max(length(record)) as longest from sessions').get() ?? {}
    lengths.push(Number(longest))
  }
  database.close()
  expect(lengths.at(-1)).toBeLessThan(1.1 * (lengths[9] ?? 0))
})

test("a message of the owner's phone appears on the companion, in its chat", async () => {
  const { world, client, lid } = await openWorldWithFriend()
  for (const addressing of ['pn', 'lid']) {
    const body = { from: GATEWAY, to: FRIEND, text: 'from my phone', addressing }
    const own = await client.waitForText(String((await world.post('/messages', body)).body.id))
    const chat = addressing === 'pn' ? `${FRIEND}@s.whatsapp.net` : lid
    expect(own.key).toMatchObject({ fromMe: true, remoteJid: chat })
    expect(own.message?.conversation).toBe('from my phone')
  }
})

test('all companions of both sides receive the message, and the own phone its copy', async () => {
  const world = await World.openWorld()
  const sender = await world.linkClient(GATEWAY)
  const sibling = await world.linkClient(GATEWAY)
  const reader = await world.linkClient(FRIEND)
  const sent = await sender.socket.sendMessage(`${FRIEND}@s.whatsapp.net`, { text: 'to everybody' })
  const id = sent?.key.id ?? ''
  expect((await reader.waitForText(id)).message?.extendedTextMessage?.text).toBe('to everybody')
  const copy = await sibling.waitForText(id)
  expect(copy.key).toMatchObject({ fromMe: true, remoteJid: `${FRIEND}@s.whatsapp.net` })
  expect(await waitForInbox(world, FRIEND, 1)).toMatchObject([{ id, chat: `${GATEWAY}@s.msgnet.net` }])
  expect(await waitForInbox(world, GATEWAY, 1)).toMatchObject([{ id, chat: `${FRIEND}@s.msgnet.net` }])
})

test('messages for an offline companion wait in order, and are marked as offline', async () => {
  const { world, client } = await openWorldWithFriend()
  client.end()
  await until(async () => JSON.stringify((await world.get(`/phones/${GATEWAY}`)).body).includes('false'))
  const { ids } = (await world.post('/messages', { from: FRIEND, to: GATEWAY, text: 'later', count: 25 }))
    .body
  await client.goOnline()
  await client.waitForText(String((ids as string[]).at(-1)))
  expect(client.messages.map((message) => message.key.id)).toEqual(ids)
  client.end()
  client.messages.length = 0
  await client.goOnline()
  expect(client.messages).toEqual([])
})

test('the phone sends a message again if the companion has no session', async () => {
  const { world, client } = await openWorldWithFriend()
  const first = await world.post('/messages', { from: FRIEND, to: GATEWAY, text: 'first' })
  await client.waitForText(String(first.body.id))
  const friendLid = String((await world.get(`/phones/${FRIEND}`)).body.lid).split('@')[0]
  await client.auth.keys.set({ session: { [`${friendLid}_1.0`]: null } })
  await client.socket.sendMessage(`${FRIEND}@s.whatsapp.net`, { text: 'warm' })
  await waitForInbox(world, FRIEND, 1)
  await client.auth.keys.set({ session: { [`${friendLid}_1.0`]: null } })
  const second = await world.post('/messages', { from: FRIEND, to: GATEWAY, text: 'second' })
  expect((await client.waitForText(String(second.body.id))).message?.conversation).toBe('second')
  expect((await world.readList('/log', 'entries')).some((entry) => entry.what === 'retry')).toBe(true)
})

test('a message without an acknowledgement is delivered again at the next login', async () => {
  const { world, client } = await openWorldWithFriend()
  const crashed = new Promise<void>((resolve) => {
    // The process ends between the message's arrival and its receipt.
    client.socket.ws.removeAllListeners('CB:message')
    client.socket.ws.on('CB:message', () => resolve())
  })
  const sent = await world.post('/messages', { from: FRIEND, to: GATEWAY, text: 'do not lose me' })
  await crashed
  client.end()
  await client.goOnline()
  expect((await client.waitForText(String(sent.body.id))).message?.conversation).toBe('do not lose me')
})

test('a companion that is linked later is known to earlier chat partners', async () => {
  const { world, client } = await openWorldWithFriend()
  const chat = `${FRIEND}@s.whatsapp.net`
  await client.socket.sendMessage(chat, { text: 'to the phone alone' })
  await waitForInbox(world, FRIEND, 1)
  const notified = new Promise((resolve) => client.socket.ws.on('CB:notification,type:devices', resolve))
  const late = await world.linkClient(FRIEND)
  await notified
  // The notification came before the response to this.
  await client.socket.fetchBlocklist()
  const id = (await client.socket.sendMessage(chat, { text: 'to both' }))?.key.id ?? ''
  expect((await late.waitForText(id)).message?.extendedTextMessage?.text).toBe('to both')
})

test('a companion sends again what the phone could not decrypt, and the phone shows it once', async () => {
  const { world, client, lid } = await openWorldWithFriend()
  const chat = `${FRIEND}@s.whatsapp.net`
  const key = `${lid.split('@')[0]}_1.0`
  await client.socket.sendMessage(chat, { text: 'one' })
  const { [key]: old } = await client.auth.keys.get('session', [key])
  await client.socket.sendMessage(chat, { text: 'two' })
  await waitForInbox(world, FRIEND, 2)
  // With the restored session the next message is encrypted with a key that was used already.
  await client.auth.keys.set({ session: { [key]: old ?? null } })
  await client.socket.sendMessage(chat, { text: 'three' })
  expect((await waitForInbox(world, FRIEND, 3)).map((message) => message.text)).toEqual([
    'one',
    'two',
    'three',
  ])
})

test('a message that the library sends again in two forms at once is refused', async () => {
  const world = await World.openWorld()
  const sender = await world.linkClient(GATEWAY)
  const reader = await world.linkClient(FRIEND)
  const chat = `${FRIEND}@s.whatsapp.net`
  await reader.waitForText((await sender.socket.sendMessage(chat, { text: 'one' }))?.key.id ?? '')
  const lid = String((await world.get(`/phones/${GATEWAY}`)).body.lid).split('@')[0]
  const back = await reader.socket.sendMessage(`${GATEWAY}@s.whatsapp.net`, { text: 'both have a session' })
  await sender.waitForText(back?.key.id ?? '')
  await reader.auth.keys.set({ session: { [`${lid}_1.1`]: null } })
  const errors: (string | undefined)[] = []
  sender.socket.ws.on('CB:ack,class:message', ({ attrs }: { attrs: Record<string, string> }) =>
    errors.push(attrs.error),
  )
  await sender.socket.sendMessage(chat, { text: 'two' })
  await until(() => errors.length === 2)
  expect(errors).toEqual([undefined, '479'])
})

test('a reply quotes its target; a reaction, an edit and a deletion name theirs', async () => {
  const { world, client } = await openWorldWithFriend()
  const sent = await client.socket.sendMessage(`${FRIEND}@s.whatsapp.net`, { text: 'original' })
  const id = sent?.key.id ?? ''
  await waitForInbox(world, FRIEND, 1)
  const response = await world.post('/messages', { from: FRIEND, to: GATEWAY, text: 'yes', quoted: id })
  const received = await client.waitForText(String(response.body.id))
  expect(received.message?.extendedTextMessage?.contextInfo?.stanzaId).toBe(id)
  const liked = await world.post(`/messages/${id}/react`, { by: FRIEND, text: '👍' })
  expect((await client.waitForText(String(liked.body.id))).message?.reactionMessage).toMatchObject({
    text: '👍',
    key: { id },
  })
  expect((await world.post(`/messages/${id}/edit`, { by: FRIEND, text: 'x' })).status).toBe(400)
  const edit = { by: FRIEND, text: 'no' }
  const sealed = await world.post(`/messages/${response.body.id}/edit`, edit)
  const secretPart = (await client.waitForText(String(sealed.body.id))).message?.secretEncryptedMessage
  expect(secretPart).toMatchObject({ targetMessageKey: { id: response.body.id }, secretEncType: 2 })
  const edited = await world.post(`/messages/${response.body.id}/edit`, { ...edit, form: 'plain' })
  const envelope = (await client.waitForText(String(edited.body.id))).message?.editedMessage
  expect(envelope?.message?.protocolMessage?.key?.id).toBe(response.body.id)
  const gone = await world.post(`/messages/${response.body.id}/revoke`, { by: FRIEND })
  expect((await client.waitForText(String(gone.body.id))).message?.protocolMessage?.type).toBe(0)
})

test("a companion's changes of its messages are in the inbox with their target", async () => {
  const { world, client } = await openWorldWithFriend()
  const chat = `${FRIEND}@s.whatsapp.net`
  const sent = await client.socket.sendMessage(chat, { text: 'first words' })
  const key = sent?.key ?? {}
  await client.socket.sendMessage(chat, { react: { text: '🎉', key } })
  await client.socket.sendMessage(chat, { text: 'better words', edit: key })
  await client.socket.sendMessage(chat, { delete: key })
  const target = key.id ?? ''
  expect((await waitForInbox(world, FRIEND, 4)).slice(1)).toMatchObject([
    { type: 'reaction', text: '🎉', target },
    { type: 'edit', text: 'better words', target },
    { type: 'revoke', target },
  ])
  const after = await world.readList(`/phones/${FRIEND}/inbox?after=${target}`, 'messages')
  expect(after).toHaveLength(3)
})

test('a number without an account is unknown, and a message to it is refused', async () => {
  const { client } = await openWorldWithFriend()
  expect(await client.socket.onWhatsApp(FRIEND, '499999999999')).toEqual([
    { jid: `${FRIEND}@s.whatsapp.net`, exists: true },
  ])
  const sent = await client.socket.sendMessage('499999999999@s.whatsapp.net', { text: 'anybody?' })
  await client.waitForStatus(sent?.key.id ?? '', FAILED)
})
