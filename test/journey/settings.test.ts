// Settings that the account's devices have in common, through the whole gateway: set here and seen on the phone, and the other way round.

import sharp from 'sharp'
import { expect, test } from 'vitest'
import { createDevice, createPhone, linkDevice } from '../device.ts'
import { borrowScene, type Seen } from '../scene.ts'
import { until } from '../until.ts'

const { world, device, waitForEvent } = await borrowScene()

const toPersonJid = (number: string) => `${number}@s.msgnet.net`
const postRequest = (path: string, body: object) => device.caller.post(path, body)
const readSettings = (): Promise<Seen> => world.sim('GET', `/phones/${device.number}/settings`)
const readPhone = (change: object) => world.sim('POST', `/phones/${device.number}/settings`, change)
const findChatOnPhone = async (number: string) =>
  (await readSettings()).chats.find(({ chat }: Seen) => chat === toPersonJid(number))

test('a chat is archived, pinned and muted, and back again, on the phone each time', async () => {
  const anna = await createPhone(world)
  await postRequest('/send/text', { number: anna, text: 'a chat' })
  expect((await postRequest('/chat/archive', { number: anna, archive: true })).body).toEqual({
    response: 'Chat archived',
  })
  await postRequest('/chat/pin', { number: anna, pin: true })
  await postRequest('/chat/mute', { number: anna, muteEndTime: -1 })
  expect(await findChatOnPhone(anna)).toMatchObject({ archived: true, pinned: true, mutedUntil: -1 })
  const now = Date.now()
  await postRequest('/chat/mute', { number: anna, muteEndTime: 8 })
  const { mutedUntil } = await findChatOnPhone(anna)
  expect(mutedUntil).toBeGreaterThanOrEqual(now + 8 * 3_600_000)
  expect(mutedUntil).toBeLessThanOrEqual(Date.now() + 8 * 3_600_000)
  for (const [path, wish] of [
    ['/chat/archive', { archive: false }],
    ['/chat/pin', { pin: false }],
    ['/chat/mute', { muteEndTime: 0 }],
  ] as const)
    expect((await postRequest(path, { number: anna, ...wish })).status).toBe(200)
  expect(await findChatOnPhone(anna)).toMatchObject({ archived: false, pinned: false, mutedUntil: null })
})

test('a setting changed on the phone meanwhile is not overwritten', async () => {
  const [anna, ben] = [await createPhone(world), await createPhone(world)]
  await postRequest('/chat/pin', { number: anna, pin: true })
  for (let round = 0; round < 3; round += 1) {
    await readPhone({ action: 'pin', chat: ben, pinned: round % 2 === 0 })
    expect((await postRequest('/chat/archive', { number: anna, archive: round % 2 === 0 })).status).toBe(200)
  }
  expect(await findChatOnPhone(anna)).toMatchObject({ pinned: true, archived: true })
  expect(await findChatOnPhone(ben)).toMatchObject({ pinned: true })
})

test('a chat is cleared and deleted on the devices and in the store', async () => {
  const anna = await createPhone(world)
  const { messageid } = (await postRequest('/send/text', { number: anna, text: 'to be forgotten' })).body
  const cleared = await postRequest('/chat/delete', {
    number: anna,
    clearChatWhatsApp: true,
    deleteMessagesDB: true,
  })
  expect(cleared.body).toMatchObject({ actions: ['clearChatWhatsApp', 'deleteMessagesDB'], errors: [] })
  expect(await findChatOnPhone(anna)).toMatchObject({ clearedAt: expect.any(Number) })
  expect((await postRequest('/message/find', { id: messageid })).body.messages).toEqual([])
  expect((await postRequest('/chat/find', {})).text).toContain(toPersonJid(anna))
  const gone = await postRequest('/chat/delete', {
    number: anna,
    deleteChatWhatsApp: true,
    deleteChatDB: true,
  })
  expect(gone.body.actions).toEqual(['deleteChatWhatsApp', 'deleteChatDB'])
  expect(await findChatOnPhone(anna)).toMatchObject({ deletedAt: expect.any(Number) })
  expect((await postRequest('/chat/find', {})).text).not.toContain(toPersonJid(anna))
})

test('contacts are added, renamed, removed and added again, on the phone and in the lists', async () => {
  const anna = await createPhone(world)
  const addContact = (name: string) => postRequest('/contact/add', { phone: anna, name })
  expect((await addContact('Anna Alves')).body).toEqual({
    success: true,
    message: 'Contact added',
    contact: { jid: toPersonJid(anna), name: 'Anna Alves', phone: anna },
  })
  const listContacts = () => device.caller.get('/contacts')
  const ofAnna = { jid: toPersonJid(anna), contactName: 'Anna Alves', contact_FirstName: 'Anna' }
  expect((await listContacts()).body).toContainEqual(ofAnna)
  const removed = await postRequest('/contact/remove', { number: anna })
  expect(removed.body).toMatchObject({
    success: true,
    removed_contact: { jid: toPersonJid(anna), phone: anna },
  })
  expect((await listContacts()).text).not.toContain(anna)
  expect((await readSettings()).contacts.map(({ jid }: Seen) => jid)).not.toContain(toPersonJid(anna))
  // What was removed and comes again must not break the sum that all devices verify.
  expect((await addContact('Anna Again')).status).toBe(200)
  expect((await addContact('Anna Once More')).status).toBe(200)
  expect((await readSettings()).contacts).toContainEqual({
    jid: toPersonJid(anna),
    name: 'Anna Once More',
    firstName: 'Anna',
  })
  const refused = await postRequest('/contact/add', { number: '5511900000009', name: 'Nobody' })
  expect(refused).toMatchObject({ status: 422, body: { error: 'not_on_network' } })
})

test('contacts and labels of the phone are known, those from before the link too', async () => {
  const other = await createDevice(world)
  const owner = await linkDevice(world, other)
  const changePhone = (change: object) => world.sim('POST', `/phones/${owner.number}/settings`, change)
  const numbers: string[] = []
  for (const name of ['Carla Costa', 'Ana Alves', 'Bruno Braga']) {
    const number = await createPhone(world)
    numbers.push(number)
    await changePhone({ action: 'contact', chat: number, name })
  }
  await changePhone({ action: 'label', labelid: '7', name: 'Customers', color: 3 })
  const listPage = (body: object) => owner.caller.post('/contacts/list', body)
  await until(async () => (await listPage({})).body.pagination.totalRecords === 3)
  const first = await listPage({ limit: 2 })
  expect(first.body.contacts.map(({ contact_name }: Seen) => contact_name)).toEqual([
    'Ana Alves',
    'Bruno Braga',
  ])
  expect(first.body.pagination).toMatchObject({ totalPages: 2, currentPage: 1, hasNextPage: true })
  const second = await listPage({ page: 2, pageSize: 2 })
  expect(second.body.contacts).toMatchObject([
    { jid: toPersonJid(numbers[0] ?? ''), contact_name: 'Carla Costa' },
  ])
  expect(second.body.pagination).toMatchObject({ offset: 2, hasNextPage: false, hasPreviousPage: true })
  await until(async () => (await owner.caller.get('/labels')).body.length === 1)

  await owner.caller.post('/instance/disconnect')
  expect((await listPage({})).body.contacts).toEqual([])
  // The same account, linked anew, without any change since.
  await owner.caller.post('/instance/connect')
  const qr = await until(async () => (await owner.caller.get('/instance/status')).body.pairing?.qr)
  await world.sim('POST', `/phones/${owner.number}/scan`, { qr })
  await until(async () => (await listPage({})).body.pagination.totalRecords === 3)
  await until(async () => (await owner.caller.get('/labels')).body.length === 1)
  await changePhone({ action: 'contact', chat: numbers[0] ?? '', name: null })
  await until(async () => (await listPage({})).body.pagination.totalRecords === 2)
  expect((await listPage({ contactScope: 'all' })).body.pagination.totalRecords).toBe(2)
})

test('labels are created, changed, added to a chat and removed, on the phone too', async () => {
  const anna = await createPhone(world)
  const made = await postRequest('/label/edit', { name: 'Urgent', color: 13 })
  const [, labelid = ''] = /^Label (\d+) saved$/.exec(made.body.response) ?? []
  const [label] = (await device.caller.get('/labels')).body
  expect(label).toMatchObject({
    labelid,
    name: 'Urgent',
    color: 13,
    colorHex: '#f74848',
    owner: device.number,
  })
  await postRequest('/label/edit', { labelid, name: 'Very urgent' })
  const labelled = await postRequest('/chat/labels', { number: anna, add_labelid: labelid })
  expect(labelled.body.editions).toEqual([{ labelid, action: 'add' }])
  const readPhoneNow = async () => (await readSettings()).labels
  expect(await readPhoneNow()).toEqual([
    { labelid, name: 'Very urgent', color: 13, chats: [toPersonJid(anna)] },
  ])
  expect((await postRequest('/chat/labels', { number: anna, labelids: [labelid] })).body.editions).toEqual([])
  const off = await postRequest('/chat/labels', { number: anna, labelids: [] })
  expect(off.body.editions).toEqual([{ labelid, action: 'remove' }])
  expect(await readPhoneNow()).toMatchObject([{ chats: [] }])
  const unknown = await postRequest('/chat/labels', { number: anna, add_labelid: '99' })
  expect(unknown).toMatchObject({ status: 400, body: { error: 'invalid_id' } })
  await postRequest('/label/edit', { labelid, delete: true })
  expect(await readPhoneNow()).toEqual([])
  expect((await device.caller.get('/labels')).body).toEqual([])
})

test('details of a chat contain its picture, large or small, and the common groups', async () => {
  const anna = await createPhone(world, 'Anna')
  const bare = await postRequest('/chat/details', { number: anna })
  expect(bare.body).toMatchObject({ id: toPersonJid(anna), image: '', imagePreview: '', common_groups: '' })
  const jpeg =
    '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAA//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AN//Z'
  await world.sim('PATCH', `/phones/${anna}/profile`, { picture: jpeg })
  const { JID } = (await postRequest('/group/create', { name: 'Ours', participants: [anna] })).body
  await world.sim('POST', '/messages', { from: anna, to: device.number, text: 'hello' })
  await waitForEvent('messages', ({ message }) => message.text === 'hello')
  const { body } = await postRequest('/chat/details', { number: anna })
  expect(body).toMatchObject({ name: 'Anna', unreadCount: 1, common_groups: `(Ours)${JID}` })
  expect(body.image).toMatch(/^https:/)
  const small = await postRequest('/chat/details', { number: anna, preview: true })
  expect(small.body.imagePreview).toMatch(/^https:/)
  expect(small.body.imagePreview).not.toBe(body.image)
  expect(small.body.image).toBe(small.body.imagePreview)
})

test('the small picture is returned inline on request, for people and groups', async () => {
  const anna = await createPhone(world, 'Anna')
  expect((await postRequest('/chat/details', { number: anna, inline: true })).body.imagePreview).toBe('')
  const large = await sharp({ create: { width: 400, height: 300, channels: 3, background: '#0f766e' } })
    .jpeg()
    .toBuffer()
  await world.sim('PATCH', `/phones/${anna}/profile`, { picture: large.toString('base64') })
  const { JID } = (await postRequest('/group/create', { name: 'Painters', participants: [anna] })).body
  await postRequest('/group/updateImage', { groupjid: JID, image: large.toString('base64') })
  for (const number of [anna, JID]) {
    const { body } = await postRequest('/chat/details', { number, inline: true })
    expect(body.imagePreview).toMatch(/^data:image\/jpeg;base64,/)
    expect(body.image).toBe(body.imagePreview)
    const shown = await sharp(Buffer.from(body.imagePreview.split(',')[1], 'base64')).metadata()
    expect([shown.format, shown.width, shown.height]).toEqual(['jpeg', 96, 96])
  }
})

test('a picture that its host does not return is 502, and the chat is returned without it', async () => {
  const anna = await createPhone(world, 'Anna')
  // Begins, measures and ends as a JPEG, with nothing in between: its host cannot make it small.
  const hollow = Buffer.from('ffd8ffc0000b080001000101011100ffd9', 'hex').toString('base64')
  await world.sim('PATCH', `/phones/${anna}/profile`, { picture: hollow })
  const response = await postRequest('/chat/details', { number: anna, inline: true })
  expect([response.status, response.body.error]).toEqual([502, 'media_unavailable'])
  expect((await postRequest('/chat/details', { number: anna })).body.id).toBe(toPersonJid(anna))
})
