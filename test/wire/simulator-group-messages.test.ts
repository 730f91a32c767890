// Messages in groups over the simulated network, with sender keys both ways.
// @module-tag slow
import { expect, test } from 'vitest'
import { until } from '../until.ts'
import type { Client } from './client.ts'
import { World } from './simulator-world.ts'

const GATEWAY = '491700000111'
const ANNA = '491700000112'
const BERT = '491700000113'
const FAILED = 0

const toNeutral = (number: string) => `${number}@s.msgnet.net`

async function waitForInbox(world: World, number: string, count: number) {
  return until(async () => {
    const messages = await world.readList(`/phones/${number}/inbox`, 'messages')
    return messages.length >= count && messages
  })
}

async function openWorldWithGroup(body: object = {}) {
  const world = await World.openWorld()
  const client = await world.linkClient(GATEWAY)
  await world.post('/phones', { number: ANNA, name: 'Anna' })
  await world.post('/phones', { number: BERT })
  const wish = { subject: 'Club', owner: ANNA, participants: [GATEWAY, BERT], ...body }
  const jid = String((await world.post('/groups', wish)).body.jid)
  return { world, client, jid }
}

async function sendFromPhone(world: World, from: string, to: string, text: string): Promise<string> {
  return String((await world.post('/messages', { from, to, text })).body.id)
}

async function sendFromClient(client: Client, jid: string, text: string): Promise<string> {
  return (await client.socket.sendMessage(jid, { text }))?.key.id ?? ''
}

test.each(['lid', 'pn'] as const)('text goes both ways in a group of %s addresses', async (addressing) => {
  const { world, client, jid } = await openWorldWithGroup({ addressing })
  const { lid } = (await world.get(`/phones/${ANNA}`)).body
  const [author, other] =
    addressing === 'lid' ? [lid, `${ANNA}@s.whatsapp.net`] : [`${ANNA}@s.whatsapp.net`, lid]
  for (const text of ['one', 'two', 'three']) {
    const received = await client.waitForText(await sendFromPhone(world, ANNA, jid, text))
    expect(received.message?.conversation).toBe(text)
    expect(received.key).toMatchObject({
      remoteJid: jid,
      participant: author,
      participantAlt: other,
      fromMe: false,
    })
    await sendFromClient(client, jid, `${text} back`)
  }
  for (const number of [ANNA, BERT]) {
    const messages = await waitForInbox(world, number, 3)
    const replies = messages.filter(({ from }) => from === toNeutral(GATEWAY))
    expect(replies.map(({ text, chat }) => [text, chat])).toEqual([
      ['one back', jid],
      ['two back', jid],
      ['three back', jid],
    ])
  }
  expect(await world.readList('/unknown', 'requests')).toEqual([])
})

test('companions of all members and the own phone receive what one companion sends', async () => {
  const { world, client, jid } = await openWorldWithGroup()
  const sibling = await world.linkClient(GATEWAY)
  const reader = await world.linkClient(BERT)
  const id = await sendFromClient(client, jid, 'to all')
  expect((await reader.waitForText(id)).message?.extendedTextMessage?.text).toBe('to all')
  expect((await sibling.waitForText(id)).key).toMatchObject({ fromMe: true, remoteJid: jid })
  expect(await waitForInbox(world, GATEWAY, 1)).toMatchObject([{ id, chat: jid, from: toNeutral(GATEWAY) }])
  const again = await sendFromClient(reader, jid, 'answer')
  expect((await client.waitForText(again)).message?.extendedTextMessage?.text).toBe('answer')
})

test('receipts in a group name their sender', async () => {
  const { world, client, jid } = await openWorldWithGroup()
  // The library adds an update that follows a message at once to the message itself, without an event.
  const raw: Record<string, string>[] = []
  client.socket.ws.on('CB:receipt', ({ attrs }: { attrs: Record<string, string> }) => raw.push(attrs))
  const events: unknown[] = []
  const id = await sendFromClient(client, jid, 'read me')
  const lids = await Promise.all(
    [ANNA, BERT].map(async (number) => (await world.get(`/phones/${number}`)).body.lid),
  )
  await until(() => raw.length === 2)
  expect(raw.map((attrs) => [attrs.from, attrs.participant])).toEqual(lids.map((lid) => [jid, lid]))
  client.socket.ev.on('message-receipt.update', (updates) => events.push(...updates))
  await world.post(`/messages/${id}/receipt`, { by: BERT, type: 'read' })
  await until(() => events.length === 1)
  expect(events[0]).toMatchObject({
    key: { id, remoteJid: jid, fromMe: true },
    receipt: { userJid: lids[1] },
  })
  const received = await client.waitForText(await sendFromPhone(world, ANNA, jid, 'hello'))
  await client.socket.readMessages([received.key])
  await until(async () =>
    (await world.readList(`/receipts?number=${GATEWAY}`, 'receipts')).some(
      ({ type, chat }) => type === 'read' && chat === jid,
    ),
  )
})

test('a message without the right to send in the group is refused and not delivered', async () => {
  const { world, client, jid } = await openWorldWithGroup({ announce: true })
  await client.waitForStatus(await sendFromClient(client, jid, 'silence!'), FAILED)
  expect((await world.post('/messages', { from: BERT, to: jid, text: 'x' })).status).toBe(420)
  await world.post(`/groups/${jid}/participants`, { action: 'remove', by: ANNA, participants: [GATEWAY] })
  expect((await world.post('/messages', { from: GATEWAY, to: jid, text: 'x' })).status).toBe(403)
  expect(await world.readList(`/phones/${ANNA}/inbox`, 'messages')).toEqual([])
})

test('a new member reads the messages from then on', async () => {
  const { world, client, jid } = await openWorldWithGroup({ participants: [GATEWAY] })
  await sendFromClient(client, jid, 'before')
  await sendFromPhone(world, ANNA, jid, 'before')
  const late = await world.linkClient(BERT)
  await world.post(`/groups/${jid}/participants`, { action: 'add', by: ANNA, participants: [BERT] })
  const id = await sendFromClient(client, jid, 'after')
  expect((await late.waitForText(id)).message?.extendedTextMessage?.text).toBe('after')
  expect(
    (await late.waitForText(await sendFromPhone(world, ANNA, jid, 'welcome'))).message?.conversation,
  ).toBe('welcome')
  expect(await waitForInbox(world, BERT, 2)).toMatchObject([{ text: 'after' }, { text: 'welcome' }])
})

test('a companion without the sender key gets the message again', async () => {
  const { world, client, jid } = await openWorldWithGroup()
  await client.waitForText(await sendFromPhone(world, ANNA, jid, 'one'))
  const lid = String((await world.get(`/phones/${ANNA}`)).body.lid).split('@')[0]
  await client.auth.keys.set({ 'sender-key': { [`${jid}::${lid}_1::0`]: null } })
  expect((await client.waitForText(await sendFromPhone(world, ANNA, jid, 'two'))).message?.conversation).toBe(
    'two',
  )
  expect((await world.readList('/log', 'entries')).some((entry) => entry.what === 'retry')).toBe(true)
})

test('a phone that cannot decrypt requests a retry, and shows the message once', async () => {
  const { world, client, jid } = await openWorldWithGroup()
  await sendFromClient(client, jid, 'one')
  await waitForInbox(world, ANNA, 1)
  const lid = String((await world.get(`/phones/${GATEWAY}`)).body.lid).split('@')[0]
  // A new sender key that the library believes to have shared already.
  await client.auth.keys.set({ 'sender-key': { [`${jid}::${lid}_1::1`]: null } })
  await sendFromClient(client, jid, 'two')
  for (const number of [ANNA, BERT]) {
    expect((await waitForInbox(world, number, 2)).map(({ text }) => text)).toEqual(['one', 'two'])
  }
})

test('reactions, edits and deletions in a group name their target; an admin may delete', async () => {
  const { world, client, jid } = await openWorldWithGroup()
  const id = await sendFromClient(client, jid, 'original')
  await waitForInbox(world, ANNA, 1)
  const sealed = await world.post(`/messages/${id}/react`, { by: BERT, text: '👍' })
  const { encReactionMessage } = (await client.waitForText(String(sealed.body.id))).message ?? {}
  expect(encReactionMessage?.targetMessageKey).toMatchObject({ id, remoteJid: jid })
  const liked = await world.post(`/messages/${id}/react`, { by: BERT, text: '👍', form: 'plain' })
  const reaction = (await client.waitForText(String(liked.body.id))).message?.reactionMessage
  expect(reaction).toMatchObject({ text: '👍', key: { id, remoteJid: jid, fromMe: true } })
  expect((await world.post(`/messages/${id}/revoke`, { by: BERT })).status).toBe(400)
  const gone = await world.post(`/messages/${id}/revoke`, { by: ANNA })
  expect((await client.waitForText(String(gone.body.id))).message?.protocolMessage?.key?.id).toBe(id)
  const own = await sendFromClient(client, jid, 'draft')
  await client.socket.sendMessage(jid, { text: 'final', edit: { remoteJid: jid, id: own, fromMe: true } })
  const shown = await until(async () => {
    const all = await world.readList(`/phones/${BERT}/inbox`, 'messages')
    return all.find(({ type }) => type === 'edit')
  })
  expect(shown).toMatchObject({ text: 'final', target: own, chat: jid })
  const quoting = await world.post('/messages', { from: BERT, to: jid, text: 'yes', quoted: own })
  const quoted = (await client.waitForText(String(quoting.body.id))).message?.extendedTextMessage?.contextInfo
  expect(quoted?.stanzaId).toBe(own)
})

test('a phone writes by LID to an account known from a group of LIDs, until that has written by number', async () => {
  const { world, client, jid } = await openWorldWithGroup()
  const { lid } = (await world.get(`/phones/${ANNA}`)).body
  await sendFromClient(client, jid, 'hello all')
  await waitForInbox(world, ANNA, 1)
  const reply = await client.waitForText(await sendFromPhone(world, ANNA, GATEWAY, 'hello you'))
  expect(reply).toMatchObject({ key: { remoteJid: lid }, message: { conversation: 'hello you' } })
  const byNumber = `${BERT}@s.whatsapp.net`
  await sendFromClient(client, byNumber, 'hello Bert')
  await waitForInbox(world, BERT, 2)
  const second = await client.waitForText(await sendFromPhone(world, BERT, GATEWAY, 'hello'))
  expect(second.key.remoteJid).toBe(byNumber)
})

test('a message in the wrong form of addresses, or without its shared part, is refused', async () => {
  const { world, client, jid } = await openWorldWithGroup()
  const errors: (string | undefined)[] = []
  client.socket.ws.on('CB:ack,class:message', ({ attrs }: { attrs: Record<string, string> }) =>
    errors.push(attrs.error),
  )
  const buildEnc = (type: string) => ({ tag: 'enc', attrs: { v: '2', type }, content: Buffer.alloc(80, 1) })
  const postToGroup = (id: string, attrs: object, content: object[]) =>
    client.socket.sendNode({
      tag: 'message',
      attrs: { id, to: jid, type: 'text', ...attrs },
      content: content as [],
    })
  await postToGroup('A1', { addressing_mode: 'pn' }, [buildEnc('skmsg')])
  await postToGroup('A2', {}, [buildEnc('msg')])
  await postToGroup('A3', {}, [])
  await until(() => errors.length === 3)
  expect(errors).toEqual(['421', '479', '479'])
  // A forged message is requested again, and nothing is shown.
  await postToGroup('A4', {}, [buildEnc('skmsg')])
  await until(() => errors.length === 4)
  expect(await world.readList(`/phones/${ANNA}/inbox`, 'messages')).toEqual([])
})

test('the acknowledgement corrects an outdated list of devices of a group', async () => {
  const { client, jid } = await openWorldWithGroup()
  const acks: Record<string, string>[] = []
  client.socket.ws.on('CB:ack,class:message', ({ attrs }: { attrs: Record<string, string> }) =>
    acks.push(attrs),
  )
  const content = [{ tag: 'enc', attrs: { v: '2', type: 'skmsg' }, content: Buffer.alloc(80, 1) }]
  const postToGroup = (id: string, phash?: string) =>
    client.socket.sendNode({
      tag: 'message',
      attrs: { id, to: jid, type: 'text', ...(phash && { phash }) },
      content,
    })
  await postToGroup('B1', '2:wrong1')
  const phash = await until(() => acks[0]?.phash)
  await postToGroup('B2', phash)
  await until(() => acks.length === 2)
  expect(acks[1]?.phash).toBeUndefined()
})
