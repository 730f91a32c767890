// The form of Evolution below its prefix: places, contacts, reactions and polls, and what programs ask of chats.

import { emptyMessage, type MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { expect, test } from 'vitest'
import { toEvolutionMessage } from '../../edge/evolution/evolution-message.ts'
import { createPlainCaller } from '../caller.ts'
import { borrowEvolution, NAME, nameIn, TOKEN, toOuter } from '../evolution-scene.ts'
import { kindSamples } from '../kind-samples.ts'
import type { Seen } from '../scene.ts'
import { until } from '../until.ts'

const { world, own, account, friend, created, place, posted, waitAt } = await borrowEvolution()
const send = (route: string, body: object) =>
  own.post(nameIn(`/message/${route}`), { number: friend, ...body })

test('a place, a contact and a poll are sent, and answered as the message of their kind', async () => {
  const place = await send('sendLocation', {
    latitude: -23.5,
    longitude: '-46.6',
    name: 'Shop',
    address: 'Street 1',
  })
  expect(place.status).toBe(201)
  expect(place.body).toMatchObject({
    messageType: 'locationMessage',
    message: {
      locationMessage: { degreesLatitude: -23.5, degreesLongitude: -46.6, name: 'Shop', address: 'Street 1' },
    },
  })
  const contact = { fullName: 'Ben', phoneNumber: '5511900000077', wuid: '5511900000077' }
  const card = await send('sendContact', { contact: [contact] })
  expect(card.body).toMatchObject({
    messageType: 'contactMessage',
    message: { contactMessage: { displayName: 'Ben', vcard: expect.stringContaining('5511900000077') } },
  })
  expect((await send('sendContact', { contact: [contact, contact] })).status).toBe(400)
  const poll = await send('sendPoll', { name: 'When?', selectableCount: 1, values: ['Today', 'Tomorrow'] })
  expect(Object.values(poll.body.message)).toEqual([
    {
      name: 'When?',
      options: [{ optionName: 'Today' }, { optionName: 'Tomorrow' }],
      selectableOptionsCount: 1,
    },
  ])
})

test('buttons and a list go as texts where the server sends none, and a number is the tap on one', async () => {
  const buttons = ['Today', 'Tomorrow'].map((displayText) => ({
    type: 'reply',
    displayText,
    id: `on-${displayText}`,
  }))
  const asked = await send('sendButtons', { title: 'Which day?', footer: 'Until six', buttons })
  expect([asked.status, asked.body.key.fromMe]).toEqual([201, true])
  const readInbox = (words: string): Promise<Seen> =>
    until(async () => {
      const { messages } = await world.sim('GET', `/phones/${friend}/inbox`)
      return (messages as Seen[]).find(({ text }) => text?.startsWith(words))
    })
  expect(await readInbox('Which day?')).toMatchObject({
    type: 'text',
    text: 'Which day?\n\n1. Today\n2. Tomorrow\nUntil six',
  })
  const answer = async (text: string) => {
    const { id } = await world.sim('POST', '/messages', { from: friend, to: account, text })
    return (await waitAt('/hook', ({ data }) => data.key?.id === id)).body.data
  }
  expect(await answer('2')).toMatchObject({
    messageType: 'buttonsResponseMessage',
    message: {
      buttonsResponseMessage: { selectedButtonId: 'on-Tomorrow', selectedDisplayText: 'Tomorrow' },
    },
  })
  const rows = [{ title: 'Brass', description: '30 cm', rowId: 'b1' }]
  const sections = [{ title: 'Lamps', rows }]
  expect((await send('sendList', { title: 'Which lamp?', buttonText: 'Lamps', sections })).status).toBe(201)
  await readInbox('Which lamp?')
  expect(await answer('1')).toMatchObject({
    messageType: 'listResponseMessage',
    message: { listResponseMessage: { title: 'Brass', singleSelectReply: { selectedRowId: 'b1' } } },
  })
})

test('a message is marked as read, and reacted to', async () => {
  await world.sim('POST', '/messages', { from: friend, to: account, text: 'look' })
  const { key } = (await waitAt('/hook', ({ data }) => data.message?.conversation === 'look')).body.data
  const read = await own.post(nameIn('/chat/markMessageAsRead'), { readMessages: [key] })
  expect([read.status, read.body]).toEqual([201, { message: 'Read messages', read: 'success' }])
  const reacted = await own.post(nameIn('/message/sendReaction'), { key, reaction: '👍' })
  expect(reacted.body).toMatchObject({
    messageType: 'reactionMessage',
    message: { reactionMessage: { key: { id: key.id, remoteJid: toOuter(friend) }, text: '👍' } },
  })
})

test('marking only messages that are unknown is 404, and one that is known among them is marked', async () => {
  await world.sim('POST', '/messages', { from: friend, to: account, text: 'read me' })
  const { key } = (await waitAt('/hook', ({ data }) => data.message?.conversation === 'read me')).body.data
  const unknown = { ...key, id: '3EB0NOTHING' }
  const markRead = (...readMessages: object[]) =>
    own.post(nameIn('/chat/markMessageAsRead'), { readMessages })
  expect((await markRead(unknown, unknown)).status).toBe(404)
  expect((await markRead(unknown, key)).status).toBe(201)
})

test('a group whose description is refused is there all the same, and its caller gets it without one', async () => {
  await world.sim('POST', '/faults', {
    kind: 'refuse',
    number: account,
    tag: 'description',
    code: 406,
    count: 1,
  })
  const group = { subject: 'Team', participants: [friend], description: 'What we do' }
  const made = await own.post(nameIn('/group/create'), group)
  expect(made).toMatchObject({ status: 201, body: { id: expect.stringMatching(/@g\.us$/), desc: '' } })
  const found = await own.get(`${nameIn('/group/findGroupInfos')}?groupJid=${made.body.id}`)
  expect(found.body).toMatchObject({ subject: 'Team', desc: '' })
  expect((await own.post(nameIn('/group/create'), group)).body).toMatchObject({ desc: 'What we do' })
})

test('a sent message is edited and deleted, and both are told', async () => {
  const { id } = (await send('sendText', { text: 'befor' })).body.key
  const edited = await own.post(nameIn('/chat/updateMessage'), {
    number: friend,
    text: 'before',
    key: { id },
  })
  expect(edited).toMatchObject({ status: 200, body: { key: { fromMe: true, remoteJid: toOuter(friend) } } })
  const told = await waitAt('/hook', ({ event, data }) => event === 'messages.edited' && data.key.id === id)
  expect(told.body.data).toMatchObject({ type: 'MESSAGE_EDIT', editedMessage: { conversation: 'before' } })
  const key = { id, remoteJid: toOuter(friend), fromMe: true }
  const deleted = await own.request('DELETE', nameIn('/chat/deleteMessageForEveryone'), key)
  expect([deleted.status, deleted.body.key]).toEqual([201, key])
  const gone = await waitAt('/hook', ({ event, data }) => event === 'messages.delete' && data.id === id)
  expect(gone.body.data).toMatchObject({ remoteJid: toOuter(friend), fromMe: true, status: 'DELETED' })
})

test('every kind of message has content in the field of its kind', () => {
  for (const [field, { record }] of Object.entries(kindSamples)) {
    if (!record) continue
    const own = { ...emptyMessage, messageType: field, ...record, mediaType: record.mediaType ?? '' }
    const { message, messageType } = toEvolutionMessage(own as MessageRecord, 'instance')
    expect([field, message[messageType]]).toEqual([field, expect.anything()])
  }
})

test('numbers are checked, and typing is shown', async () => {
  const numbers = [friend, '5511000000098']
  const checked = await own.post(nameIn('/chat/whatsappNumbers'), { numbers })
  expect(checked.status).toBe(200)
  expect(checked.body.map(({ exists, number }: Seen) => [number, exists])).toEqual([
    [friend, true],
    ['5511000000098', false],
  ])
  expect(checked.body[0]).toMatchObject({ jid: toOuter(friend) })
  const typing = { number: friend, presence: 'composing', delay: 1 }
  const shown = await own.post(nameIn('/chat/sendPresence'), typing)
  expect([shown.status, shown.body]).toEqual([201, { presence: 'composing' }])
})

test('what Evolution has and the gateway does not is 501', async () => {
  const call = await own.post(nameIn('/call/offer'), { number: friend })
  expect([call.status, call.body]).toEqual([
    501,
    { status: 501, error: 'Not Implemented', response: { message: ['POST /call/offer is not supported'] } },
  ])
})

test('what happens to a group is told in the events of its kind', async () => {
  const contract = createPlainCaller(world.run.baseUrl, { token: TOKEN })
  const { JID: id } = (await contract.post('/group/create', { name: 'Regulars', participants: [friend] }))
    .body
  const isAbout = (event: string) => (body: Seen) =>
    body.event === event && (body.data.id ?? body.data[0]?.id) === id
  await waitAt('/hook', isAbout('groups.upsert'))
  await contract.post('/group/updateName', { groupjid: id, name: 'Friends' })
  const renamed = await waitAt('/hook', isAbout('groups.update'))
  expect(renamed.body.data).toEqual([{ id, subject: 'Friends' }])
  await contract.post('/group/updateParticipants', { groupjid: id, action: 'remove', participants: [friend] })
  const left = await waitAt(
    '/hook',
    (body) => isAbout('group-participants.update')(body) && body.data.action === 'remove',
  )
  expect(left.body.data).toEqual({
    id,
    author: toOuter(account),
    participants: [toOuter(friend)],
    action: 'remove',
    participantsData: [{ jid: toOuter(friend), phoneNumber: toOuter(friend) }],
  })
})

test('what repeats another event comes to a webhook that names it, with ids of its own', async () => {
  const events = ['CHATS_UPSERT', 'CHATS_UPDATE', 'CONTACTS_UPDATE', 'SEND_MESSAGE_UPDATE']
  const ends = ['STATUS_INSTANCE', 'LOGOUT_INSTANCE']
  const repeated = /^(chats\.up|contacts\.update|send\.message\.update|status\.|logout\.)/
  expect(posted.filter(({ body }) => repeated.test(body.event))).toEqual([])
  const webhook = { url: `http://${place}/named`, enabled: true, events: [...events, ...ends] }
  expect((await own.post(nameIn('/webhook/set'), { webhook })).status).toBe(201)
  const wait = async (name: string) => (await waitAt('/named', ({ event }) => event === name)).body.data
  const { instanceId } = created.body.instance
  const remoteJid = toOuter(friend)
  await world.sim('POST', '/messages', { from: friend, to: account, text: 'named' })
  expect(await wait('contacts.update')).toEqual({
    remoteJid,
    pushName: 'Ana',
    profilePicUrl: null,
    instanceId,
  })
  expect(await wait('chats.upsert')).toEqual([{ remoteJid, name: 'Ana', instanceId }])
  expect(await wait('chats.update')).toEqual([{ remoteJid, instanceId }])
  const { id } = (await send('sendText', { text: 'befor' })).body.key
  await own.post(nameIn('/chat/updateMessage'), { number: friend, text: 'before', key: { id } })
  expect(await wait('send.message.update')).toMatchObject({ key: { id }, type: 'MESSAGE_EDIT' })
  await own.delete(nameIn('/instance/logout'))
  expect(await wait('status.instance')).toEqual({
    instance: NAME,
    status: 'closed',
    disconnectionAt: expect.stringMatching(/^\d{4}-.*Z$/),
    disconnectionReasonCode: 401,
  })
  expect(await wait('logout.instance')).toBeNull()
  const named = posted.filter(({ path }) => path === '/named')
  expect(named.every(({ body }) => repeated.test(body.event))).toBe(true)
  const ids = new Set(named.map(({ headers }) => headers['webhook-id']))
  expect(ids.size).toBe(new Set(named.map(({ raw }) => raw)).size)
})
