// Settings that the account's devices have in common, through the whole gateway: set here and seen on the phone, and the other way round.

import sharp from 'sharp'
import { expect, test } from 'vitest'
import { link, makeDevice, makePhone } from '../device.ts'
import { type Seen, setScene } from '../scene.ts'
import { until } from '../until.ts'

const { world, device, told } = await setScene()

const person = (number: string) => `${number}@s.msgnet.net`
const ask = (path: string, body: object) => device.caller.post(path, body)
const settings = (): Promise<Seen> => world.sim('GET', `/phones/${device.number}/settings`)
const onPhone = (change: object) => world.sim('POST', `/phones/${device.number}/settings`, change)
const chatOnPhone = async (number: string) =>
  (await settings()).chats.find(({ chat }: Seen) => chat === person(number))

test('a chat is archived, pinned and muted, and all of it undone: the phone shows it each time', async () => {
  const anna = await makePhone(world)
  await ask('/send/text', { number: anna, text: 'a chat' })
  expect((await ask('/chat/archive', { number: anna, archive: true })).body).toEqual({
    response: 'Chat archived',
  })
  await ask('/chat/pin', { number: anna, pin: true })
  await ask('/chat/mute', { number: anna, muteEndTime: -1 })
  expect(await chatOnPhone(anna)).toMatchObject({ archived: true, pinned: true, mutedUntil: -1 })
  const now = Date.now()
  await ask('/chat/mute', { number: anna, muteEndTime: 8 })
  const { mutedUntil } = await chatOnPhone(anna)
  expect(mutedUntil).toBeGreaterThanOrEqual(now + 8 * 3_600_000)
  expect(mutedUntil).toBeLessThanOrEqual(Date.now() + 8 * 3_600_000)
  for (const [path, wish] of [
    ['/chat/archive', { archive: false }],
    ['/chat/pin', { pin: false }],
    ['/chat/mute', { muteEndTime: 0 }],
  ] as const)
    expect((await ask(path, { number: anna, ...wish })).status).toBe(200)
  expect(await chatOnPhone(anna)).toMatchObject({ archived: false, pinned: false, mutedUntil: null })
})

test('what the phone writes in between is built upon, not overwritten', async () => {
  const [anna, ben] = [await makePhone(world), await makePhone(world)]
  await ask('/chat/pin', { number: anna, pin: true })
  for (let round = 0; round < 3; round += 1) {
    await onPhone({ action: 'pin', chat: ben, pinned: round % 2 === 0 })
    expect((await ask('/chat/archive', { number: anna, archive: round % 2 === 0 })).status).toBe(200)
  }
  expect(await chatOnPhone(anna)).toMatchObject({ pinned: true, archived: true })
  expect(await chatOnPhone(ben)).toMatchObject({ pinned: true })
})

test('a chat is cleared and deleted on the devices, and forgotten here', async () => {
  const anna = await makePhone(world)
  const { messageid } = (await ask('/send/text', { number: anna, text: 'to be forgotten' })).body
  const cleared = await ask('/chat/delete', { number: anna, clearChatWhatsApp: true, deleteMessagesDB: true })
  expect(cleared.body).toMatchObject({ actions: ['clearChatWhatsApp', 'deleteMessagesDB'], errors: [] })
  expect(await chatOnPhone(anna)).toMatchObject({ clearedAt: expect.any(Number) })
  expect((await ask('/message/find', { id: messageid })).body.messages).toEqual([])
  expect((await ask('/chat/find', {})).text).toContain(person(anna))
  const gone = await ask('/chat/delete', { number: anna, deleteChatWhatsApp: true, deleteChatDB: true })
  expect(gone.body.actions).toEqual(['deleteChatWhatsApp', 'deleteChatDB'])
  expect(await chatOnPhone(anna)).toMatchObject({ deletedAt: expect.any(Number) })
  expect((await ask('/chat/find', {})).text).not.toContain(person(anna))
})

test('contacts are added, renamed, removed and added again: on the phone, in the lists, in this order', async () => {
  const anna = await makePhone(world)
  const add = (name: string) => ask('/contact/add', { phone: anna, name })
  expect((await add('Anna Alves')).body).toEqual({
    ...{ success: true, message: 'Contact added' },
    contact: { jid: person(anna), name: 'Anna Alves', phone: anna },
  })
  const listed = () => device.caller.get('/contacts')
  const ofAnna = { jid: person(anna), contactName: 'Anna Alves', contact_FirstName: 'Anna' }
  expect((await listed()).body).toContainEqual(ofAnna)
  const removed = await ask('/contact/remove', { number: anna })
  expect(removed.body).toMatchObject({ success: true, removed_contact: { jid: person(anna), phone: anna } })
  expect((await listed()).text).not.toContain(anna)
  expect((await settings()).contacts.map(({ jid }: Seen) => jid)).not.toContain(person(anna))
  // What was removed and comes again must not break the sum that all devices verify.
  expect((await add('Anna Again')).status).toBe(200)
  expect((await add('Anna Once More')).status).toBe(200)
  expect((await settings()).contacts).toContainEqual({
    ...{ jid: person(anna), name: 'Anna Once More', firstName: 'Anna' },
  })
  const nobody = await ask('/contact/add', { number: '5511900000009', name: 'Nobody' })
  expect(nobody).toMatchObject({ status: 422, body: { error: 'not_on_network' } })
})

test('contacts and labels of the phone are known, those from before the device was linked too', async () => {
  const other = await makeDevice(world)
  const owner = await link(world, other)
  const phone = (change: object) => world.sim('POST', `/phones/${owner.number}/settings`, change)
  const numbers: string[] = []
  for (const name of ['Carla Costa', 'Ana Alves', 'Bruno Braga']) {
    const number = await makePhone(world)
    numbers.push(number)
    await phone({ action: 'contact', chat: number, name })
  }
  await phone({ action: 'label', labelid: '7', name: 'Customers', color: 3 })
  const list = (body: object) => owner.caller.post('/contacts/list', body)
  await until(async () => (await list({})).body.pagination.totalRecords === 3)
  const first = await list({ limit: 2 })
  expect(first.body.contacts.map(({ contact_name }: Seen) => contact_name)).toEqual([
    ...['Ana Alves', 'Bruno Braga'],
  ])
  expect(first.body.pagination).toMatchObject({ totalPages: 2, currentPage: 1, hasNextPage: true })
  const second = await list({ page: 2, pageSize: 2 })
  expect(second.body.contacts).toMatchObject([{ jid: person(numbers[0] ?? ''), contact_name: 'Carla Costa' }])
  expect(second.body.pagination).toMatchObject({ offset: 2, hasNextPage: false, hasPreviousPage: true })
  await until(async () => (await owner.caller.get('/labels')).body.length === 1)

  await owner.caller.post('/instance/disconnect')
  expect((await list({})).body.contacts).toEqual([])
  // The same account, linked anew: nobody has changed anything since.
  await owner.caller.post('/instance/connect')
  const qr = await until(async () => (await owner.caller.get('/instance/status')).body.pairing?.qr)
  await world.sim('POST', `/phones/${owner.number}/scan`, { qr })
  await until(async () => (await list({})).body.pagination.totalRecords === 3)
  await until(async () => (await owner.caller.get('/labels')).body.length === 1)
  await phone({ action: 'contact', chat: numbers[0] ?? '', name: null })
  await until(async () => (await list({})).body.pagination.totalRecords === 2)
  expect((await list({ contactScope: 'all' })).body.pagination.totalRecords).toBe(2)
})

test('labels are made, changed, put on a chat and taken off; the phone has them', async () => {
  const anna = await makePhone(world)
  const made = await ask('/label/edit', { name: 'Urgent', color: 13 })
  const [, labelid = ''] = /^Label (\d+) saved$/.exec(made.body.response) ?? []
  const [label] = (await device.caller.get('/labels')).body
  expect(label).toMatchObject({
    labelid,
    name: 'Urgent',
    color: 13,
    colorHex: '#f74848',
    owner: device.number,
  })
  await ask('/label/edit', { labelid, name: 'Very urgent' })
  const labelled = await ask('/chat/labels', { number: anna, add_labelid: labelid })
  expect(labelled.body.editions).toEqual([{ labelid, action: 'add' }])
  const onPhoneNow = async () => (await settings()).labels
  expect(await onPhoneNow()).toEqual([{ labelid, name: 'Very urgent', color: 13, chats: [person(anna)] }])
  expect((await ask('/chat/labels', { number: anna, labelids: [labelid] })).body.editions).toEqual([])
  const off = await ask('/chat/labels', { number: anna, labelids: [] })
  expect(off.body.editions).toEqual([{ labelid, action: 'remove' }])
  expect(await onPhoneNow()).toMatchObject([{ chats: [] }])
  const unknown = await ask('/chat/labels', { number: anna, add_labelid: '99' })
  expect(unknown).toMatchObject({ status: 400, body: { error: 'invalid_id' } })
  await ask('/label/edit', { labelid, delete: true })
  expect(await onPhoneNow()).toEqual([])
  expect((await device.caller.get('/labels')).body).toEqual([])
})

test('details of a chat have its picture, large or small, and the groups that we share', async () => {
  const anna = await makePhone(world, 'Anna')
  const bare = await ask('/chat/details', { number: anna })
  expect(bare.body).toMatchObject({ id: person(anna), image: '', imagePreview: '', common_groups: '' })
  const jpeg =
    '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAA//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AN//Z'
  await world.sim('PATCH', `/phones/${anna}/profile`, { picture: jpeg })
  const { JID } = (await ask('/group/create', { name: 'Ours', participants: [anna] })).body
  await world.sim('POST', '/messages', { from: anna, to: device.number, text: 'hello' })
  await told('messages', ({ message }) => message.text === 'hello')
  const { body } = await ask('/chat/details', { number: anna })
  expect(body).toMatchObject({ name: 'Anna', unreadCount: 1, common_groups: `(Ours)${JID}` })
  expect(body.image).toMatch(/^https:/)
  const small = await ask('/chat/details', { number: anna, preview: true })
  expect(small.body).toMatchObject({ image: '', imagePreview: expect.stringMatching(/^https:/) })
})

test('for those who may not ask the network’s hosts the small picture comes along, whoever it is of', async () => {
  const anna = await makePhone(world, 'Anna')
  expect((await ask('/chat/details', { number: anna, inline: true })).body.imagePreview).toBe('')
  const large = await sharp({ create: { width: 400, height: 300, channels: 3, background: '#0f766e' } })
    .jpeg()
    .toBuffer()
  await world.sim('PATCH', `/phones/${anna}/profile`, { picture: large.toString('base64') })
  const { JID } = (await ask('/group/create', { name: 'Painters', participants: [anna] })).body
  await ask('/group/updateImage', { groupjid: JID, image: large.toString('base64') })
  for (const number of [anna, JID]) {
    const { body } = await ask('/chat/details', { number, inline: true })
    expect(body).toMatchObject({
      image: '',
      imagePreview: expect.stringMatching(/^data:image\/jpeg;base64,/),
    })
    const shown = await sharp(Buffer.from(body.imagePreview.split(',')[1], 'base64')).metadata()
    expect([shown.format, shown.width, shown.height]).toEqual(['jpeg', 96, 96])
  }
})

test('a picture that its host does not give is 502, and the chat is there without it', async () => {
  const anna = await makePhone(world, 'Anna')
  // Begins, measures and ends as a JPEG, with nothing in between: its host cannot make it small.
  const hollow = Buffer.from('ffd8ffc0000b080001000101011100ffd9', 'hex').toString('base64')
  await world.sim('PATCH', `/phones/${anna}/profile`, { picture: hollow })
  const answer = await ask('/chat/details', { number: anna, inline: true })
  expect([answer.status, answer.body.error]).toEqual([502, 'media_unavailable'])
  expect((await ask('/chat/details', { number: anna })).body.id).toBe(person(anna))
})
