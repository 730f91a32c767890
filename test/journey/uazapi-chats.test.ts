// Chats as clients of the API family find and read them.

import { expect, test } from 'vitest'
import {
  createDevice,
  createNumber,
  createPhone,
  subscribeReceiver,
  waitUntilConnected,
  waitUntilReachable,
} from '../device.ts'
import { type Seen, startScene } from '../scene.ts'
import { until } from '../until.ts'
import { toPersonJid } from './endings/row.ts'

const { world, device, waitForEvent, receiver } = await startScene()

const postRequest = (path: string, body: object) => device.caller.post(path, body)
const findChats = async (query: object): Promise<Seen> => {
  const { status, body } = await postRequest('/chat/find', query)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}
const listNames = ({ chats }: Seen) => (chats as Seen[]).map(({ wa_name }) => wa_name)

async function startChat(name: string, text: string): Promise<string> {
  const number = await createPhone(world, name)
  const { id } = await world.sim('POST', '/messages', { from: number, to: device.number, text })
  await waitForEvent('messages', ({ message }) => message.messageid === id)
  return number
}

const anna = await startChat('Anna', 'from Anna')
const ben = await startChat('Ben', 'from Ben')
const cleo = await startChat('Cleo Shop', 'from Cleo')
const group = (await postRequest('/group/create', { name: 'The shop', participants: [anna] })).body
  .JID as string
await postRequest('/send/text', { number: group, text: 'to the shop' })

test('a chat has the fields that those clients read, equal to those on the phone and the network', async () => {
  await postRequest('/chat/archive', { number: anna, archive: true })
  await postRequest('/chat/pin', { number: anna, pin: true })
  await postRequest('/chat/mute', { number: anna, muteEndTime: -1 })
  await postRequest('/contact/add', { phone: anna, name: 'Anna of the Shop' })
  await postRequest('/chat/block', { number: anna, block: true })
  const { chats } = await findChats({ wa_chatid: toPersonJid(anna) })
  expect(chats).toHaveLength(1)
  expect(chats[0]).toMatchObject({
    id: toPersonJid(anna),
    wa_chatid: toPersonJid(anna),
    wa_fastid: `${device.number}:${toPersonJid(anna)}`,
    wa_chatlid: chats[0].lid,
    wa_name: 'Anna of the Shop',
    wa_contactName: 'Anna of the Shop',
    name: 'Anna',
    wa_isGroup: false,
    wa_unreadCount: 1,
    wa_lastMessageTextVote: 'from Anna',
    wa_lastMessageType: 'conversation',
    wa_lastMessageSender: toPersonJid(anna),
    wa_label: [],
    wa_lastMsgTimestamp: chats[0].lastMessageTimestamp,
    wa_archived: true,
    wa_isPinned: true,
    wa_muteEndTime: -1,
    wa_isBlocked: true,
    phone: `+${anna}`,
    image: '',
  })
  const [other] = (await findChats({ wa_chatid: toPersonJid(ben) })).chats
  expect(other).toMatchObject({
    wa_name: 'Ben',
    wa_contactName: '',
    wa_archived: false,
    wa_isPinned: false,
    wa_muteEndTime: 0,
    wa_isBlocked: false,
  })
  const [ours] = (await findChats({ wa_isGroup: true })).chats
  expect(ours).toMatchObject({ wa_chatid: group, phone: '', wa_lastMessageTextVote: 'to the shop' })
  expect((await postRequest('/chat/details', { number: anna })).body).toMatchObject({
    wa_archived: true,
    wa_isBlocked: true,
  })
})

test('a person unblocked on the phone is unblocked here too', async () => {
  await world.sim('PATCH', `/phones/${device.number}/profile`, { unblock: [anna] })
  await until(async () => (await findChats({ wa_isBlocked: true })).chats.length === 0)
  await world.sim('PATCH', `/phones/${device.number}/profile`, { block: [ben] })
  await until(async () => listNames(await findChats({ wa_isBlocked: true })).join() === 'Ben')
  expect(listNames(await findChats({ wa_isBlocked: false }))).toHaveLength(3)
})

test.each([
  [{ wa_isGroup: true }, ['The shop']],
  [{ wa_isGroup: false, sort: 'wa_name' }, ['Anna of the Shop', 'Ben', 'Cleo Shop']],
  [{ wa_archived: true }, ['Anna of the Shop']],
  [{ wa_isPinned: false, sort: 'wa_name' }, ['Ben', 'Cleo Shop', 'The shop']],
  [{ wa_name: 'Ben' }, ['Ben']],
  [{ wa_name: '~SHOP', sort: 'wa_name' }, ['Anna of the Shop', 'Cleo Shop', 'The shop']],
  [{ name: '~cleo' }, ['Cleo Shop']],
  [{ wa_isGroup: false, wa_name: '~shop', sort: '-name' }, ['Cleo Shop', 'Anna of the Shop']],
  [{ operator: 'OR', wa_isGroup: true, wa_name: 'Ben', sort: 'wa_name' }, ['Ben', 'The shop']],
  [{ sort: '-wa_lastMsgTimestamp', limit: 2 }, ['The shop', 'Cleo Shop']],
  [{ sort: 'wa_lastMsgTimestamp', limit: 1 }, ['Anna of the Shop']],
  [{ wa_name: '100%_' }, []],
  [{ wa_label: '', wa_isBlocked: null, wa_archived: true }, ['Anna of the Shop']],
  [{ wa_contactName: 'Anna of the Shop' }, ['Anna of the Shop']],
  [{ wa_fastid: `${device.number}:${toPersonJid(ben)}` }, ['Ben']],
  [{ wa_lastMessageTextVote: '~CLEO' }, ['Cleo Shop']],
  [{ wa_lastMessageSender: toPersonJid(cleo) }, ['Cleo Shop']],
  [
    { wa_lastMessageType: 'conversation', wa_isGroup: false, sort: 'wa_name', limit: 1 },
    ['Anna of the Shop'],
  ],
  [{ wa_label: 'vip' }, []],
  [{ wa_muteEndTime: -1 }, ['Anna of the Shop']],
  [{ wa_unreadCount: 0 }, ['The shop']],
  [{ wa_lastMsgTimestamp: 1 }, []],
  [{ phone: `+${ben}` }, ['Ben']],
  [{ wa_chatlid: '~@lid', wa_name: 'Ben' }, ['Ben']],
  [{ wa_isGroup_member: true }, ['The shop']],
  [{ wa_isGroup_admin: true }, ['The shop']],
  [{ wa_isGroup_announce: true }, []],
  [{ wa_isGroup_admin: false, wa_name: '~shop', sort: 'wa_name' }, ['Anna of the Shop', 'Cleo Shop']],
])('%j finds %j', async (query, names) => {
  expect(listNames(await findChats(query))).toEqual(names)
})

test('pages contain their position among all results', async () => {
  const whole = { totalRecords: 4, pageSize: 3, totalPages: 2, limit: 3 }
  expect((await findChats({ limit: 3 })).pagination).toEqual({
    ...whole,
    currentPage: 1,
    hasNextPage: true,
    hasPreviousPage: false,
    offset: 0,
  })
  const second = await findChats({ limit: 3, offset: 3 })
  expect(second.pagination).toEqual({
    ...whole,
    currentPage: 2,
    hasNextPage: false,
    hasPreviousPage: true,
    offset: 3,
  })
  expect([second.chats.length, second.hasMore, second.nextOffset]).toEqual([1, false, 4])
  expect((await findChats({ wa_name: '~shop', limit: 1 })).pagination.totalRecords).toBe(3)
})

test.each([
  [{ lead_tags: 'vip' }, /^lead_tags is not supported/],
  [{ lead_name: 'x' }, /^lead_name is not supported/],
  [{ wa_isGroup: 'yes' }, /^wa_isGroup must/],
  [{ operator: 'NOT' }, /^operator must/],
  [{ sort: 'phone' }, /^sort must be one of/],
])('%j is refused with the name of its field', async (query, sentence) => {
  const { status, body } = await postRequest('/chat/find', query)
  expect([status, body.error]).toEqual([400, 'invalid_body'])
  expect(body.message).toMatch(sentence)
})

test('without a link there are no chats and no blocked ones', async () => {
  const fresh = await createDevice(world)
  const { body } = await fresh.caller.post('/chat/find', {})
  expect([body.chats, body.pagination.totalRecords, body.pagination.totalPages]).toEqual([[], 0, 0])
  expect(cleo).toMatch(/^55/)
})

test('the chat of a webhook shows blocked as on the phone, after a start too', async () => {
  const dora = await startChat('Dora', 'from Dora')
  const isBlocked = async (): Promise<boolean> => {
    const { status, body } = await postRequest('/send/text', { number: dora, text: 'and now?' })
    expect(status).toBe(200)
    const { chat } = await waitForEvent('messages', ({ message }) => message.messageid === body.messageid)
    return chat.wa_isBlocked
  }
  const findOnPhone = (change: object) => world.sim('PATCH', `/phones/${device.number}/profile`, change)
  expect(await isBlocked()).toBe(false)
  await postRequest('/chat/block', { number: dora, block: true })
  expect(await isBlocked()).toBe(true)
  await findOnPhone({ unblock: [dora] })
  await until(async () => !(await isBlocked()))
  await findOnPhone({ block: [dora] })
  await until(isBlocked)
  await world.killAndRestart()
  await waitUntilReachable(device)
  expect(await isBlocked()).toBe(true)
})

test('people blocked before the device was linked are known without a request', async () => {
  const [owner, stranger] = [createNumber(), await createPhone(world, 'Stranger')]
  await world.sim('POST', '/phones', { number: owner, name: 'Owner' })
  await world.sim('PATCH', `/phones/${owner}/profile`, { block: [stranger] })
  const fresh = await createDevice(world)
  await subscribeReceiver(fresh, receiver)
  await fresh.caller.post('/instance/connect')
  const qr = await until(async () => (await fresh.caller.get('/instance/status')).body.pairing?.qr)
  await world.sim('POST', `/phones/${owner}/scan`, { qr })
  await waitUntilConnected(fresh)
  await until(async () => {
    const { body } = await fresh.caller.post('/send/text', { number: stranger, text: 'you again' })
    const { chat } = await waitForEvent('messages', ({ message }) => message.messageid === body.messageid)
    return chat.wa_isBlocked
  })
})

test('a search finds a name without its accents', async () => {
  await startChat('São José', 'hello')
  expect(listNames(await findChats({ search: 'sao jose' }))).toEqual(['São José'])
})

test.each([
  ['shop ANNA', ['Anna of the Shop']],
  ['anna', ['Anna of the Shop']],
  ['ÁNNA', ['Anna of the Shop']],
  [`+${cleo.slice(0, 2)} (${cleo.slice(2, 4)}) ${cleo.slice(4, 8)}-${cleo.slice(8)}`, ['Cleo Shop']],
  ['from Cleo', []],
])('the search for %j finds %j', async (search, names) => {
  const { chats, pagination } = await findChats({ search, sort: 'wa_name' })
  expect([chats.map(({ wa_name }: Seen) => wa_name), pagination.totalRecords]).toEqual([names, names.length])
})

test('a search has pages, and applies beside the other filters', async () => {
  const second = await findChats({ search: 'shop', sort: 'wa_name', limit: 2, offset: 1 })
  expect([listNames(second), second.hasMore, second.pagination.totalRecords]).toEqual([
    ['Cleo Shop', 'The shop'],
    false,
    3,
  ])
  expect(listNames(await findChats({ search: 'shop', wa_isGroup: true }))).toEqual(['The shop'])
})

test('a chat has what kind its last message is and who wrote it; an edited message says so', async () => {
  const [of] = (await findChats({ wa_chatid: toPersonJid(ben) })).chats
  expect(of.lastMessage).toMatchObject({ type: 'text', fromMe: false, senderName: 'Ben' })
  const sent = await postRequest('/send/text', { number: ben, text: 'at nien' })
  expect((await postRequest('/message/edit', { id: sent.body.messageid, text: 'at nine' })).status).toBe(200)
  const [after] = (await findChats({ wa_chatid: toPersonJid(ben) })).chats
  expect(after.lastMessage).toMatchObject({ type: 'text', fromMe: true, sender: toPersonJid(device.number) })
  const [stored] = (await postRequest('/message/find', { id: sent.body.messageid })).body.messages
  expect(stored).toMatchObject({ edited: sent.body.messageid, text: 'at nine' })
})
