// COMPATIBILITY=uazapi: the fields and types of events that public receivers of the API family read, one kind of event after another.

import { createServer } from 'node:http'
import { afterAll, expect, test } from 'vitest'
import { borrowWorld } from '../borrowed-world.ts'
import { createPlainCaller } from '../caller.ts'
import { createPhone, type LinkedDevice, linkDevice } from '../device.ts'
import { voice } from '../media-files.ts'
import { listenAtReserved } from '../reserved-ports.ts'
import type { Seen } from '../scene.ts'
import { until } from '../until.ts'

const posted: Seen[] = []
// Not the receiver of the other tests: that one compares with the document of the contract.
const server = createServer((request, response) => {
  let json = ''
  request.on('data', (chunk) => (json += chunk))
  request.on('end', () => {
    posted.push(JSON.parse(json))
    response.end()
  })
})
const place = await listenAtReserved(server)
const url = `http://${place}/hook`
const world = await borrowWorld({ COMPATIBILITY: 'uazapi', MCP: 'read' })
afterAll(async () => {
  await world.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const { body: made } = await world.admin.post('/instance/init', { name: 'Shop' })
const { token } = made
const caller = createPlainCaller(world.run.baseUrl, { token })
const post = (path: string, body: object) => caller.post(path, body)
await post('/webhook', { url, events: ['messages', 'messages_update', 'connection', 'groups'] })
const device: LinkedDevice = await linkDevice(world, { id: made.instance.id, token, caller })
const toDialectJid = (digits: string) => `${digits}@s.whatsapp.net`
const friend = await createPhone(world, 'Anna')
const text = expect.any(String)

const waitFor = (matches: (envelope: Seen) => boolean): Promise<Seen> => until(() => posted.find(matches))
const waitForMessage = (matches: (message: Seen) => boolean) =>
  waitFor(({ EventType, message }) => EventType === 'messages' && matches(message))

/** What a phone writes, as its receiver gets it. */
async function receive(message: object): Promise<Seen> {
  const { id } = await world.sim('POST', '/messages', { from: friend, to: device.number, ...message })
  return waitForMessage(({ messageid }) => messageid === id)
}

test('the connection has the QR code of the moment, then who is linked, then how and when it ended', async () => {
  const shown = await waitFor(
    ({ EventType, instance }) => EventType === 'connection' && instance.qrcode !== '',
  )
  expect(shown).toMatchObject({ type: '', token, owner: '', BaseUrl: world.run.baseUrl })
  expect(shown.instance).toMatchObject({ name: 'Shop', status: 'connecting', paircode: '' })
  const linked = await waitFor(({ instance }) => instance?.status === 'connected')
  expect(linked).toMatchObject({ type: 'Connected', owner: device.number, instance: { qrcode: '' } })

  const { body: second } = await world.admin.post('/instance/init', { name: 'Second' })
  const other = createPlainCaller(world.run.baseUrl, { token: second.token })
  await other.post('/webhook', { url, events: 'connection' })
  const { id } = second.instance
  const { number } = await linkDevice(world, { id, token: second.token, caller: other })
  await world.sim('POST', `/phones/${number}/unlink`, {})
  const ended = await waitFor(
    ({ instanceId, instance }) => instanceId === id && instance?.status === 'disconnected',
  )
  expect(ended).toMatchObject({
    type: 'LoggedOut',
    owner: number,
    instance: { lastDisconnectReason: 'logged_out' },
  })
  expect(Date.parse(ended.instance.lastDisconnect)).toBeGreaterThan(0)

  await other.post('/instance/connect', { phone: await createPhone(world) })
  const coded = await waitFor(({ instanceId, instance }) => instanceId === id && instance?.paircode)
  expect(coded.instance.paircode).toMatch(/^\w{4}-\w{4}$/)
  // Who may only read shall link no device.
  const { body: reader } = await world.admin.post('/v1/tokens', { name: 'Reader', scope: 'operate' })
  const asAdmin = createPlainCaller(world.run.baseUrl, { admintoken: reader.token })
  const { body: event } = await asAdmin.get(`/v1/events/${coded.eventId}`)
  expect(event.envelope).toMatchObject({ token: '', instance: { paircode: '', qrcode: '' } })
})

test('a text has its sender in three forms, its chat and the kind of the last message', async () => {
  const { message, chat, chatSource } = await receive({ text: 'Oi' })
  expect(message).toMatchObject({
    id: `${device.number}:${message.messageid}`,
    chatid: toDialectJid(friend),
    sender_pn: toDialectJid(friend),
    sender_lid: expect.stringMatching(/@lid$/),
    senderName: 'Anna',
    messageType: expect.stringMatching(/^(Conversation|ExtendedTextMessage)$/),
    type: 'text',
    mediaType: '',
    text: 'Oi',
    content: { text: 'Oi' },
    fromMe: false,
    isGroup: false,
    quoted: '',
    edited: '',
    reaction: '',
    vote: '',
    buttonOrListid: '',
    convertOptions: '',
    wasSentByApi: false,
    track_id: '',
    track_source: '',
    source: text,
    owner: device.number,
  })
  expect(message.messageTimestamp).toBeGreaterThan(1_600_000_000_000)
  expect(chat).toMatchObject({
    wa_lastMessageType: message.messageType,
    wa_lastMessageSender: message.sender,
    wa_lastMessageTextVote: 'Oi',
    owner: device.number,
  })
  expect(chatSource).toBe('updated')
})

test('a place and a contact are media with the fields of the network', async () => {
  const place = { latitude: -8.03, longitude: -34.89, name: 'Office' }
  const { message } = await receive({ location: place })
  expect(message).toMatchObject({
    type: 'media',
    mediaType: 'location',
    messageType: 'LocationMessage',
    content: { degreesLatitude: -8.03, degreesLongitude: -34.89, name: 'Office' },
  })
  const card = { number: friend, fullName: 'Andrei', phoneNumber: Number(friend) }
  const sent = (await post('/send/contact', card)).body
  const shown = await waitForMessage(({ messageid }) => messageid === sent.messageid)
  for (const record of [sent, shown.message])
    expect(record).toMatchObject({
      type: 'media',
      mediaType: 'vcard',
      messageType: 'ContactMessage',
      wasSentByApi: true,
      content: { displayName: 'Andrei', vcard: expect.stringContaining('BEGIN:VCARD') },
    })
})

test('a poll has its options, and a vote is a message that names the poll', async () => {
  const poll = {
    number: friend,
    type: 'poll',
    text: 'When?',
    choices: ['Today', 'Tomorrow'],
    selectableCount: 2,
  }
  const { messageid } = (await post('/send/menu', { ...poll, footerText: 'until six', listButton: 'Open' }))
    .body
  const asked = await waitForMessage((message) => message.messageid === messageid)
  const name = asked.message.messageType.replace(/^P/, 'p')
  expect(asked.message).toMatchObject({ type: 'poll', convertOptions: 'Today|Tomorrow' })
  expect(asked.message.content[name]).toEqual({
    name: 'When?',
    options: [{ optionName: 'Today' }, { optionName: 'Tomorrow' }],
    selectableOptionsCount: 2,
  })
  const vote = await world.sim('POST', `/messages/${messageid}/vote`, { by: friend, choices: poll.choices })
  const cast = await waitForMessage(({ messageType }) => messageType === 'PollUpdateMessage')
  expect(cast.message).toMatchObject({
    type: 'poll',
    vote: 'Today, Tomorrow',
    quoted: messageid,
    messageid: vote.id,
    fromMe: false,
    chatid: toDialectJid(friend),
    sender_pn: toDialectJid(friend),
    senderName: 'Anna',
    text: '',
    content: { pollCreationMessageKey: { ID: messageid, remoteJID: toDialectJid(friend) } },
  })
  expect(cast.chat).toMatchObject({ wa_chatid: toDialectJid(friend), wa_name: 'Anna' })
  const update = await waitFor(({ type }) => type === 'PollVote')
  expect(update.event).toMatchObject({ MessageIDs: [messageid], vote: poll.choices })
})

test('a reaction, a voice note and the answer to an advertisement have what receivers read of them', async () => {
  const { messageid } = (await post('/send/text', { number: Number(friend), text: 'like it?' })).body
  await until(async () => {
    const { messages } = await world.sim('GET', `/phones/${friend}/inbox`)
    return (messages as Seen[]).some(({ id }) => id === messageid)
  })
  await world.sim('POST', `/messages/${messageid}/react`, { by: friend, text: '❤️' })
  const reaction = await waitForMessage((message) => message.reaction === messageid)
  expect(reaction.message).toMatchObject({
    type: 'reaction',
    messageType: 'ReactionMessage',
    text: '❤️',
    content: { text: '❤️', key: { ID: messageid, remoteJID: toDialectJid(friend) } },
  })
  const note = (await post('/send/media', { number: friend, type: 'ptt', file: voice })).body
  expect(note).toMatchObject({
    type: 'media',
    mediaType: 'ptt',
    messageType: 'AudioMessage',
    content: { PTT: true },
  })
  const advertisement = { title: 'Lamps', sourceUrl: 'https://ads.example/7', ctwaClid: 'click-7' }
  const { message } = await receive({ text: 'I saw it', advertisement })
  expect(message.content.contextInfo.externalAdReply).toMatchObject({
    title: 'Lamps',
    sourceURL: 'https://ads.example/7',
    ctwaClid: 'click-7',
  })
})

test('a change of a group names who made it in every form that receivers read', async () => {
  const third = await createPhone(world, 'Carl')
  const { JID } = (await post('/group/create', { name: 'Us', participants: [friend] })).body
  await post('/group/updateParticipants', { groupjid: JID, action: 'add', participants: [third] })
  const change = await waitFor(
    ({ EventType, event }) => EventType === 'groups' && event.JID === JID && event.Join.length > 0,
  )
  expect(change).toMatchObject({ type: 'Group', token, owner: device.number })
  expect(change.event).toMatchObject({
    Join: [expect.stringMatching(/@(lid|s\.whatsapp\.net)$/)],
    SenderPN: toDialectJid(device.number),
    sender_pn: toDialectJid(device.number),
  })
})

test('tools of the mode name people as webhooks do', async () => {
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/call' }
  const params = { name: 'findMessages', arguments: { chatid: toDialectJid(friend), limit: 1 } }
  const response = await fetch(`${world.run.baseUrl}/mcp`, {
    method: 'POST',
    headers: { token, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ ...request, params }),
  })
  const answer = await response.text()
  expect(answer).toContain(toDialectJid(friend))
  expect(answer).not.toContain('@s.msgnet.net')
})
