// Usernames of people: where the network names them, where callers see them, and who has one.

import { expect, test } from 'vitest'
import { createDevice, createPhone, linkDevice } from '../device.ts'
import { borrowScene, type Seen } from '../scene.ts'
import { until } from '../until.ts'
import { toPersonJid } from './endings/row.ts'

const { world, device, waitForEvent, waitForMessage } = await borrowScene()

const post = (path: string, body: object) => device.caller.post(path, body)
const readLid = async (number: string) => (await world.sim('GET', `/phones/${number}`)).lid as string
const checkNumbers = async (...numbers: string[]): Promise<Seen[]> =>
  (await post('/chat/check', { numbers })).body

async function receiveText(from: string, wish: object = {}): Promise<Seen> {
  const { id } = await world.sim('POST', '/messages', { from, to: device.number, text: 'hello', ...wish })
  return (await waitForEvent('messages', ({ message }) => message.messageid === id)).message
}

test.each(['pn', 'lid'] as const)(
  'the record of a received message names the username of its sender, and later the chat and the ids do (%s)',
  async (addressing) => {
    const username = `ana.souza_${addressing}`
    const anna = await createPhone(world, 'Anna', { username })
    const record = await receiveText(anna, { addressing })
    expect(record).toMatchObject({ sender_pn: toPersonJid(anna), sender_username: username })
    expect((await post('/message/find', { id: record.messageid })).body.messages).toMatchObject([
      { sender_username: username },
    ])
    expect((await post('/chat/details', { number: anna })).body).toMatchObject({ username })
    const { chats } = (await post('/chat/find', { wa_chatid: toPersonJid(anna) })).body
    expect(chats).toMatchObject([{ username }])
    const resolved = await post('/v1/identity/resolve', { ids: [anna, await readLid(anna)] })
    expect(resolved.body).toMatchObject([{ username }, { username }])
    const exported = await world.admin.get(`/v1/instances/${device.id}/export`)
    expect(exported.text).toContain(`"username":"${username}"`)
  },
)

test('a person without a username has no such field anywhere', async () => {
  const ben = await createPhone(world, 'Ben')
  await world.sim('POST', `/phones/${device.number}/settings`, { action: 'contact', chat: ben, name: 'Ben' })
  const record = await receiveText(ben)
  expect(record).not.toHaveProperty('sender_username')
  expect((await post('/chat/details', { number: ben })).body).not.toHaveProperty('username')
  expect((await checkNumbers(ben))[0]).not.toHaveProperty('username')
  const contacts = await until(async () => {
    const { body } = await device.caller.get('/contacts')
    return (body as Seen[]).find(({ jid }) => jid === toPersonJid(ben))
  })
  expect(contacts).toEqual({ jid: toPersonJid(ben), contactName: 'Ben', contact_FirstName: 'Ben' })
})

test('the username of a member of a group is in the record', async () => {
  const owner = await createPhone(world, 'Olga', { username: 'olga' })
  const { jid } = await world.sim('POST', '/groups', {
    subject: 'Theirs',
    owner,
    participants: [device.number],
  })
  await waitForEvent('groups', ({ event }) => event.JID === jid)
  expect(await receiveText(owner, { to: jid })).toMatchObject({ isGroup: true, sender_username: 'olga' })
})

test("what the phone writes names the other person's username, which the answer then has", async () => {
  const carla = await createPhone(world, 'Carla', { username: 'carla' })
  const { id } = await world.sim('POST', '/messages', {
    from: device.number,
    to: carla,
    text: 'from the phone',
  })
  const { message } = await waitForEvent('messages', (one) => one.message.messageid === id)
  expect(message).not.toHaveProperty('sender_username')
  expect((await post('/chat/details', { number: carla })).body).toMatchObject({ username: 'carla' })
})

test('contacts of the phone have their usernames, those known by hidden id only too', async () => {
  const [dora, emil] = [
    await createPhone(world, 'Dora', { username: 'dora' }),
    await createPhone(world, 'Emil', { username: 'emil' }),
  ]
  const changePhone = (change: object) => world.sim('POST', `/phones/${device.number}/settings`, change)
  await changePhone({ action: 'contact', chat: dora, name: 'Dora Dias' })
  await changePhone({ action: 'lid_contact', chat: emil, name: 'Emil Elias' })
  const listed = await until(async () => {
    const { contacts } = (await post('/contacts/list', { limit: 1000 })).body
    const found = (contacts as Seen[]).filter(({ username }) => ['dora', 'emil'].includes(username))
    return found.length === 2 && found
  })
  const [jid, lid] = [toPersonJid(dora), await readLid(emil)]
  expect(listed).toEqual([
    { jid, contact_name: 'Dora Dias', contact_FirstName: 'Dora', username: 'dora' },
    { jid: lid, contact_name: 'Emil Elias', contact_FirstName: 'Emil', username: 'emil' },
  ])
  const { body } = await device.caller.get('/contacts')
  expect(body).toContainEqual({ jid, contactName: 'Dora Dias', contact_FirstName: 'Dora', username: 'dora' })
  // A message that names none has the one that is known.
  await world.sim('POST', '/phones', { number: emil, username: '' })
  expect(await receiveText(emil)).toMatchObject({ sender_lid: lid, sender_username: 'emil' })
})

test('usernames of the history are known before anybody writes, and gone with the account', async () => {
  const frida = await createPhone(world, 'Frida', { username: 'frida' })
  const fresh = await createDevice(world)
  const { caller, number } = await linkDevice(world, fresh)
  const showFrida = async () => (await caller.post('/chat/details', { number: frida })).body
  const chunk = { type: 'recent', inline: true, chats: [{ with: frida }] }
  await world.sim('POST', `/phones/${number}/history`, chunk)
  await until(async () => (await showFrida()).username === 'frida')
  await caller.post('/instance/disconnect')
  await linkDevice(world, fresh)
  expect(await showFrida()).not.toHaveProperty('username')
})

test('a number that is checked tells the username of its owner, and that it was given up', async () => {
  const gina = await createPhone(world, 'Gina', { username: 'gina' })
  expect(await checkNumbers(gina)).toMatchObject([{ jid: toPersonJid(gina), username: 'gina' }])
  const lid = await readLid(gina)
  expect(await until(async () => (await checkNumbers(lid))[0]?.username)).toBe('gina')
  await world.sim('POST', '/phones', { number: gina, username: '' })
  expect((await checkNumbers(gina))[0]).not.toHaveProperty('username')
  expect(await receiveText(gina)).not.toHaveProperty('sender_username')
})

test('a username is checked with a leading @, and its hidden id is written to', async () => {
  const hugo = await createPhone(world, 'Hugo', { username: 'Hugo.2026' })
  const lid = await readLid(hugo)
  const [checked] = await checkNumbers('@hugo.2026')
  // Only those who show their number are told with it.
  expect(checked).toEqual({
    query: '@hugo.2026',
    jid: '',
    lid,
    isInMsgnet: true,
    verifiedName: '',
    groupName: '',
    error: '',
    username: 'Hugo.2026',
  })
  await post('/send/text', { number: lid, text: 'found by your name' })
  await waitForMessage(hugo, ({ text }) => text === 'found by your name')
  expect(await receiveText(hugo)).toMatchObject({ sender_lid: lid, sender_username: 'Hugo.2026' })
  const refused = await post('/send/text', { number: '@hugo.2026', text: 'not by the name itself' })
  expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_number' } })
})

test('usernames and numbers are checked together, each with its own result', async () => {
  const shop = await createPhone(world, 'Shop', { username: 'the_shop', business: true })
  const closed = await createPhone(world, 'Closed', { username: 'closed', usernameKey: '4711' })
  const number = await createPhone(world)
  expect(
    await checkNumbers('@the_shop', '@closed', '@nobody.has.it', number, '@no', '@the_shop'),
  ).toMatchObject([
    // A business shows its number.
    { jid: toPersonJid(shop), lid: await readLid(shop), isInMsgnet: true, username: 'the_shop', error: '' },
    { jid: '', lid: '', isInMsgnet: true, error: 'username_key_required' },
    { jid: '', lid: '', isInMsgnet: false, error: '' },
    { jid: toPersonJid(number), isInMsgnet: true, error: '' },
    { isInMsgnet: false, error: 'invalid_number' },
    { jid: toPersonJid(shop), error: '' },
  ])
  expect((await checkNumbers(closed))[0]).toMatchObject({ isInMsgnet: true, username: 'closed' })
})

test('the hidden id of a username that demands a key is found with the key, and then written to', async () => {
  const klara = await createPhone(world, 'Klara', { username: 'klara', usernameKey: '4711' })
  const lid = await readLid(klara)
  expect(await checkNumbers('@klara', '@klara:1234', '@klara:4711', '@klara:47110')).toMatchObject([
    { lid: '', isInMsgnet: true, error: 'username_key_required' },
    { lid: '', isInMsgnet: true, error: 'username_key_wrong' },
    { query: '@klara:4711', lid, isInMsgnet: true, username: 'klara', error: '' },
    { isInMsgnet: false, error: 'invalid_number' },
  ])
  await post('/send/text', { number: lid, text: 'found with your key' })
  await waitForMessage(klara, ({ text }) => text === 'found with your key')
})

test('a chat is found by the username of its person', async () => {
  const lena = await createPhone(world, 'Lena', { username: 'lena.li' })
  await receiveText(lena)
  for (const search of ['lena.li', '@lena', 'LENA.LI', 'lena.li Lena']) {
    const { chats } = (await post('/chat/find', { search })).body
    expect(chats, search).toMatchObject([{ wa_chatid: toPersonJid(lena), username: 'lena.li' }])
  }
})

test('the network is asked for ten usernames of a request, and what it does not answer is said', async () => {
  const names = Array.from({ length: 11 }, (_, place) => `@nobody_${place}`)
  const errors = (await checkNumbers(...names)).map(({ error }) => error)
  expect(errors).toEqual([...Array.from({ length: 10 }, () => ''), 'too_many_usernames'])
  const ina = await createPhone(world, 'Ina', { username: 'ina' })
  await world.sim('POST', '/faults', {
    kind: 'leave_out',
    whom: ina,
    xmlns: 'usync',
    number: device.number,
    count: 1,
  })
  expect(await checkNumbers('@ina')).toMatchObject([{ isInMsgnet: false, error: 'lookup_incomplete' }])
  await world.sim('DELETE', '/faults')
})
