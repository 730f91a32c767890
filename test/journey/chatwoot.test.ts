// The bridge to Chatwoot: what each side sends to the other, through failures of both and kills of the bridge.
// @module-tag slow

import { expect, test } from 'vitest'
import { startBridgeStage } from '../bridge-programs.ts'
import { addContact, createPicture, runChatwoot } from '../chatwoot-bridge.ts'
import { CALLBACK_SECRET } from '../chatwoot-callbacks.ts'
import { createPhone, linkWithPast } from '../device.ts'
import { startForwarder } from '../forwarder.ts'
import { createWav, voice } from '../media-files.ts'
import type { Seen } from '../scene.ts'
import { until } from '../until.ts'

const stage = await startBridgeStage(7)
const { world } = stage

async function startChat() {
  const bridge = await runChatwoot(stage, { env: { SIGNATURE: 'on' } })
  const { number: anna, write, change } = await addContact(stage, bridge)
  return { ...bridge, anna, write, change }
}

test('what a contact writes is in Chatwoot once: files, voice notes, replies, edits, reactions and deletions', async () => {
  const { server, writeText, write, change, waitForSource, findOne, anna } = await startChat()
  const person = `${anna}@s.msgnet.net`
  await world.sim('PATCH', `/phones/${anna}/profile`, { picture: (await createPicture()).toString('base64') })
  const first = await writeText(anna, 'is it *open*?')
  const asked = await waitForSource(first)
  expect(asked).toMatchObject({ content: 'is it **open**?', message_type: 'incoming' })
  const named = await waitForSource(await write({ text: `ask @${anna}`, mentions: [anna] }))
  expect(named.content).toBe('ask @Anna')
  const { conversation } = asked
  expect(conversation.contact).toMatchObject({ identifier: person, name: 'Anna', phone_number: `+${anna}` })
  await until(() => conversation.contact.thumbnail)
  const note = await write({ audio: voice, quoted: first })
  const heard = await waitForSource(note)
  expect(heard.files).toMatchObject([{ file_type: 'audio', bytes: Buffer.from(voice, 'base64') }])
  expect(heard.content_attributes).toMatchObject({ in_reply_to: asked.id })
  const document = Buffer.from('the plan').toString('base64')
  const plan = await waitForSource(
    await write({ document, fileName: 'plan.txt', mimetype: 'text/plain', caption: 'look' }),
  )
  expect(plan).toMatchObject({ content: 'look', files: [{ name: 'plan.txt', type: 'text/plain' }] })
  server.maxFileBytes = 4
  const large = await waitForSource(await write({ document, fileName: 'large.txt', mimetype: 'text/plain' }))
  expect(large).toMatchObject({
    content: expect.stringContaining('large.txt: Chatwoot does not take'),
    files: [],
  })
  server.maxFileBytes = 1e6
  const place = await waitForSource(
    await write({ location: { latitude: 1.5, longitude: 2.5, name: 'Shop' } }),
  )
  expect(place.content).toBe('Shop\nhttps://www.google.com/maps?q=1.5,2.5')
  await change(first, 'edit', { text: 'is it open today?' })
  const edited = await findOne(({ content }) => content === '✏️ is it open today?')
  expect(edited).toMatchObject({ message_type: 'incoming', content_attributes: { in_reply_to: asked.id } })
  await change(first, 'react', { text: '👍' })
  await findOne(
    ({ content, content_attributes: { in_reply_to } }) => content === '👍' && in_reply_to === asked.id,
  )
  await change(first, 'revoke', {})
  await until(() => asked.content_attributes.deleted)
})

test('Chatwoot has the chats of the phone: agents, groups, replies, receipts and deletions, each message once and without an echo', {
  timeout: 120_000,
}, async () => {
  const { server, device, anna, write, waitForSource, waitForStatus, waitForMessage } = await startChat()
  const note = await write({ text: 'is it open?' })
  const heard = await waitForSource(note)
  const { conversation } = heard
  const answer = server.writeAsAgent(conversation, 'Until **eight**.', { replyTo: heard.id })
  const got = await waitForMessage(anna, ({ text }) => text === '*Clara:*\nUntil *eight*.')
  expect(got.quoted).toBe(note)
  server.writeAsAgent(conversation, 'a note', { private: true })
  await world.sim('POST', `/messages/${got.id}/receipt`, { by: anna, type: 'read' })
  await waitForStatus(answer, 'read')
  expect((await device.caller.post('/message/find', { id: got.id })).body.messages).toMatchObject([
    { track_source: 'chatwoot', track_id: `${answer.id}.0.0` },
  ])
  server.writeAsAgent(conversation, 'ours', {
    files: [
      ['window.jpg', 'image/jpeg', await createPicture()],
      ['Recording.wav', 'audio/wav', createWav(1)],
      ['price list.pdf', 'application/pdf', Buffer.from('%PDF-1.4 prices')],
    ],
  })
  await waitForMessage(anna, ({ type, caption }) => type === 'image' && caption === '*Clara:*\nours')
  await waitForMessage(anna, ({ type, file }) => type === 'audio' && file?.voice)
  await waitForMessage(anna, ({ type }) => type === 'document')
  const reply = await waitForSource(await write({ text: 'good', quoted: got.id }))
  expect(reply.content_attributes).toMatchObject({ in_reply_to: answer.id })
  server.deleteMessage(answer)
  await waitForMessage(anna, ({ type, target }) => type === 'revoke' && target === got.id)

  const own = (await world.sim('POST', '/messages', { from: device.number, to: anna, text: 'by hand' })).id
  expect(await waitForSource(own as string)).toMatchObject({
    message_type: 'outgoing',
    conversation: { id: conversation.id },
  })
  const group = { subject: 'Team', owner: anna, participants: [device.number] }
  const { jid } = (await world.sim('POST', '/groups', group)) as { jid: string }
  const said = await waitForSource(await write({ to: jid, text: 'hello all' }))
  expect(said.content).toBe(`**Anna (+${anna})**\n\nhello all`)
  expect(said.conversation.contact).toMatchObject({ identifier: jid, name: 'Team', phone_number: null })
  server.writeAsAgent(said.conversation, 'hello you')
  await waitForMessage(anna, ({ text }) => text === '*Clara:*\nhello you')
  await world.sim('PATCH', `/groups/${jid}`, { by: anna, subject: 'The team' })
  await until(() => said.conversation.contact.name === 'The team')

  expect(server.conversations).toHaveLength(2)
  const sources = server.messages.flatMap(({ source_id }) => source_id ?? [])
  expect(sources).toHaveLength(new Set(sources).size)
  const { messages } = await world.sim('GET', `/phones/${anna}/inbox`)
  const texts = (messages as Seen[]).flatMap(({ type, text }) => (type === 'text' ? text : []))
  expect(texts).toEqual(['*Clara:*\nUntil *eight*.', 'by hand', '*Clara:*\nhello you'])
  expect(server.callbacks.filter(({ outcome }) => outcome !== '204')).toEqual([])
})

test('an agent learns why a message failed, tries it again, begins chats, and nobody else calls the bridge', async () => {
  const { server, service, write, waitForSource, waitForStatus, waitForMessage } = await startChat()
  const nobody = server.createConversation(server.createContact('Nobody', null, '+5511000000001'))
  const lost = server.writeAsAgent(nobody, 'are you there?')
  await waitForStatus(lost, 'failed')
  expect(lost.content_attributes.external_error).toMatch(/not_on_network/)
  await world.sim('POST', '/phones', { number: '5511000000001', name: 'Late' })
  server.retryAsAgent(lost)
  await waitForMessage('5511000000001', ({ text }) => text === '*Clara:*\nare you there?')
  const late = await waitForSource(await write({ from: '5511000000001', text: 'now I am' }))
  expect(late.conversation.id).toBe(nobody.id)
  // Its identifier is of another program.
  await world.sim('POST', '/phones', { number: '5511000000002', name: 'Buyer' })
  server.writeAsAgent(
    server.createConversation(server.createContact('Buyer', 'crm-17', '+5511000000002')),
    'welcome',
  )
  await waitForMessage('5511000000002', ({ text }) => text === '*Clara:*\nwelcome')
  const plan = server.writeAsAgent(nobody, '', { files: [['plan.txt', 'text/plain', Buffer.from('plan')]] })
  // Chatwoot has it no more when the bridge asks for it.
  plan.files = []
  await waitForStatus(plan, 'failed')
  expect(plan.content_attributes.external_error).toMatch(/file \d+ of Chatwoot was answered with 404/)
  expect((await service.post('/service', { event: 'message_created' })).status).toBe(401)
  expect((await service.post('/service?secret=no', { event: 'message_created' })).status).toBe(401)
  server.isSigning = false
  server.callbackUrl += `?secret=${CALLBACK_SECRET}`
  server.writeAsAgent(nobody, 'unsigned')
  await waitForMessage('5511000000001', ({ text }) => text === '*Clara:*\nunsigned')
})

test('a bridge that is killed before and after each of its requests puts nothing into Chatwoot twice and sends nothing twice', {
  timeout: 400_000,
}, async () => {
  const killed = new Set<string>()
  const killOnce = async (moment: string) => {
    // The request that is repeated after the kill passes.
    if (killed.has(moment)) return false
    killed.add(moment)
    await restart()
    return true
  }
  const { url: GATEWAY, close } = await startForwarder(world.run.baseUrl, {
    onResponse: async (request) =>
      void (request.startsWith('POST /send/') && (await killOnce(`after ${request}`))),
  })
  stage.endings.push(close)
  const { server, restart, writeText, waitForMessage, findOne } = await runChatwoot(stage, {
    env: { GATEWAY },
  })
  server.watch = (moment, request) => killOnce(`${moment} ${request}`)
  const ben = await createPhone(world, 'Ben')
  const document = Buffer.from('a file').toString('base64')
  const ids = [await writeText(ben, 'one'), await writeText(ben, 'two')]
  const { conversation: to } = await findOne(({ source_id }) => source_id === ids[1], 120_000)
  expect(to.contact.identifier).toBe(`${ben}@s.msgnet.net`)
  server.writeAsAgent(to, 'three', {
    files: [['a.txt', 'text/plain', Buffer.from(document, 'base64')]],
  })
  const got = await waitForMessage(ben, ({ type }) => type === 'document', 120_000)
  await world.sim('POST', `/messages/${got.id}/receipt`, { by: ben, type: 'read' })
  await until(() => killed.has('after PATCH /conversations/:id/messages/:id'), { within: 120_000 })
  await restart()
  const last = await writeText(ben, 'four')
  await until(() => server.messages.some(({ source_id }) => source_id === last), { within: 120_000 })
  expect(server.contacts).toHaveLength(1)
  expect(server.conversations).toHaveLength(1)
  expect(server.messages.map(({ source_id }) => source_id)).toEqual([...ids, null, last])
  const { messages } = await world.sim('GET', `/phones/${ben}/inbox`)
  expect((messages as Seen[]).filter(({ type }) => type === 'document')).toHaveLength(1)
  expect(killed).toContain('before GET file')
  expect(killed).toContain('after POST /contacts')
  expect(killed).toContain('after POST /conversations')
  expect(killed).toContain('after POST /conversations/:id/messages')
  expect(killed).toContain('after POST /send/media')
})

test('the messages of the last days are taken over once, in their order, into conversations that nobody has to answer', {
  timeout: 120_000,
}, async () => {
  const past = { chats: 3, messages: 12, days: 10 }
  const { server, device, restart } = await runChatwoot(stage, {
    env: { HISTORY_DAYS: '30' },
    link: (on, fresh) => linkWithPast(on, fresh, past),
  })
  await until(
    () =>
      server.conversations.length === 3 && server.conversations.every(({ status }) => status === 'resolved'),
    { within: 60_000 },
  )
  const stored: Seen[] = (await device.caller.post('/message/find', { limit: 100 })).body.messages
  await restart()
  const expected = stored.map(({ messageid }) => messageid).sort()
  expect(expected.length).toBeGreaterThan(5)
  const listOwn = () => server.messages.filter(({ message_type }) => message_type !== 'activity')
  expect(
    listOwn()
      .map(({ source_id }) => source_id)
      .sort(),
  ).toEqual(expected)
  for (const conversation of server.conversations) {
    const own = listOwn().filter((one) => one.conversation === conversation)
    const times = own.map(({ content_attributes }) => Number(content_attributes.external_created_at))
    expect(times).toEqual([...times].sort((a, b) => a - b))
  }
})

test('greetings, surveys, bots and automations do not write to people whose messages were only taken over', {
  timeout: 120_000,
}, async () => {
  const bridge = await runChatwoot(stage, {
    env: { HISTORY_DAYS: '30' },
    setUp(server) {
      Object.assign(server, { greeting: 'Welcome!', survey: 'How was it?' })
    },
    link: (on, fresh) => linkWithPast(on, fresh, { chats: 2, messages: 8 }),
  })
  const { server, device, waitForMessage, waitForSource } = bridge
  const old = await until(() => {
    const all = server.conversations
    return all.length === 2 && all.every(({ status }) => status === 'resolved') && [...all]
  })
  for (const conversation of old) {
    server.writeAsBot(conversation, 'by a bot')
    server.writeAsAutomation(conversation, 'by an automation')
  }
  const { number: anna, write } = await addContact(stage, bridge)
  const { conversation } = await waitForSource(await write({ text: 'hello' }))
  await waitForMessage(anna, ({ text }) => text === 'Welcome!')
  server.writeAsBot(conversation, 'by a bot to Anna')
  await waitForMessage(anna, ({ text }) => text === 'by a bot to Anna')
  const templates = server.messages.filter(({ message_type }) => message_type === 'template')
  expect(templates.filter(({ content }) => content === 'How was it?')).toHaveLength(2)
  const { messages } = (await device.caller.post('/message/find', { limit: 100, fromMe: true })).body
  const sent = (messages as Seen[]).filter(({ track_source }) => track_source === 'chatwoot')
  expect(sent.map(({ text }) => text).sort()).toEqual(['Welcome!', 'by a bot to Anna'])
})

test('a file that comes while Chatwoot takes no more messages of a chat comes later, and whole', async () => {
  const bridge = await runChatwoot(stage)
  const { server, waitForSource } = bridge
  const { write } = await addContact(stage, bridge)
  await waitForSource(await write({ text: 'first' }))
  server.maxMessagesPerMinute = 1
  server.watch = async (moment, request) => {
    // As soon as it has refused one.
    if (moment === 'after' && request === 'POST /conversations/:id/messages')
      server.maxMessagesPerMinute = 200
    return false
  }
  const document = Buffer.from('the plan').toString('base64')
  const source = await write({ document, fileName: 'plan.txt', mimetype: 'text/plain' })
  expect(await waitForSource(source)).toMatchObject({ files: [{ name: 'plan.txt' }], content: '' })
  expect(server.maxMessagesPerMinute).toBe(200)
})
