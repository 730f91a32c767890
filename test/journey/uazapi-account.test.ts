// COMPATIBILITY=uazapi: everything else that an account does, in the requests of those clients: each answer whole, and the network has it.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { borrowWorld } from '../borrowed-world.ts'
import { createPlainCaller } from '../caller.ts'
import { createPhone, linkDevice } from '../device.ts'
import type { Seen } from '../scene.ts'
import { until } from '../until.ts'
import { drawPicture } from './endings/group-rows.ts'
import { toPersonJid } from './endings/row.ts'

const world = await borrowWorld({ COMPATIBILITY: 'uazapi' })
afterAll(() => world.close())

const ADMIN = readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim()
const admin = createPlainCaller(world.run.baseUrl, { admintoken: ADMIN })
const made: Seen = (await admin.post('/instance/create', { name: 'Shop', systemName: 'shop' })).body
const shop = createPlainCaller(world.run.baseUrl, { token: made.token })
const { number } = await linkDevice(world, { id: made.instance.id, token: made.token, caller: shop })

const toDialectJid = (digits: string) => `${digits}@s.whatsapp.net`
const words = expect.stringMatching(/./)
const moment = expect.any(Number)
/** The answer, which is a 200. */
async function sendRequest(method: string, path: string, body?: object): Promise<Seen> {
  const response = await shop.request(method, path, body)
  expect(response.status, `${path} ${response.text}`).toBe(200)
  return response.body
}
const postRequest = (path: string, body: object) => sendRequest('POST', path, body)
const readSettings = (): Promise<Seen> => world.sim('GET', `/phones/${number}/settings`)
const readProfile = (): Promise<Seen> => world.sim('GET', `/phones/${number}/profile`)
const findChatOnPhone = async (of: string) =>
  (await readSettings()).chats.find(({ chat }: Seen) => chat === toPersonJid(of))
const readGroupOnNetwork = (jid: string): Promise<Seen> => world.sim('GET', `/groups/${jid}`)

test('chats are archived, pinned, muted, blocked, read and deleted', async () => {
  const anna = await createPhone(world, 'Anna')
  await postRequest('/send/text', { number: toDialectJid(anna), text: 'a chat' })
  const now = Date.now()
  for (const [path, wish] of [
    ['/chat/archive', { archive: true }],
    ['/chat/pin', { pin: true }],
    ['/chat/mute', { muteEndTime: 168 }],
  ] as const)
    expect(await postRequest(path, { number: toDialectJid(anna), ...wish })).toEqual({ response: words })
  const stored = await findChatOnPhone(anna)
  expect(stored).toMatchObject({ archived: true, pinned: true })
  expect(stored.mutedUntil).toBeGreaterThanOrEqual(now + 168 * 3_600_000)
  await postRequest('/chat/mute', { number: anna, muteEndTime: 0 })
  expect(await findChatOnPhone(anna)).toMatchObject({ mutedUntil: null })

  const blocked = await postRequest('/chat/block', { number: toDialectJid(anna), block: true })
  expect(blocked).toEqual({ response: words, blockList: [toDialectJid(anna)] })
  expect(await sendRequest('GET', '/chat/blocklist')).toMatchObject({ blockList: [toDialectJid(anna)] })
  expect((await readProfile()).blocked).toEqual([toPersonJid(anna)])
  expect(await postRequest('/chat/block', { number: anna, block: false })).toMatchObject({ blockList: [] })

  const details = await postRequest('/chat/details', { number: toDialectJid(anna), preview: true })
  expect(details).toMatchObject({
    id: toDialectJid(anna),
    wa_chatid: toDialectJid(anna),
    wa_fastid: `${number}:${anna}`,
    phone: `+${anna}`,
    wa_archived: true,
    wa_isPinned: true,
    wa_isBlocked: false,
    wa_muteEndTime: 0,
    image: '',
    imagePreview: '',
    common_groups: '',
  })
  const gone = {
    number: toDialectJid(anna),
    deleteChatDB: true,
    deleteMessagesDB: true,
    deleteChatWhatsApp: true,
    clearChatWhatsApp: false,
  }
  expect(await postRequest('/chat/delete', gone)).toEqual({
    response: words,
    actions: expect.arrayContaining(['deleteChatDB', 'deleteMessagesDB', 'deleteChatWhatsApp']),
    errors: [],
  })
  expect(await findChatOnPhone(anna)).toMatchObject({ deletedAt: moment })
})

test('labels are created, added to chats, removed one by one, and deleted', async () => {
  const ben = await createPhone(world)
  const ids: string[] = []
  for (const name of ['New', 'Paid']) {
    await postRequest('/label/edit', { labelid: 'new', name, color: 2, delete: false })
    const label = ((await sendRequest('GET', '/labels')) as Seen[]).find((one) => one.name === name)
    expect(label).toEqual({
      id: `${number}:${label.labelid}`,
      labelid: words,
      name,
      color: 2,
      colorHex: expect.stringMatching(/^#[\da-f]{6}$/),
      owner: number,
      created: expect.stringMatching(/^\d{4}-/),
      updated: expect.stringMatching(/^\d{4}-/),
    })
    ids.push(label.labelid)
  }
  const [first = '', second = ''] = ids
  const labelled = await postRequest('/chat/labels', { number: toDialectJid(ben), labelids: ids })
  expect(labelled).toEqual({
    response: words,
    editions: ids.map((labelid) => ({ labelid, action: 'add' })),
  })
  expect(await postRequest('/chat/labels', { number: ben, remove_labelid: first })).toEqual({
    response: words,
    editions: [{ labelid: first, action: 'remove' }],
  })
  const listLabelChats = async (id: string) =>
    (await readSettings()).labels.find(({ labelid }: Seen) => labelid === id)?.chats
  expect([await listLabelChats(first), await listLabelChats(second)]).toEqual([[], [toPersonJid(ben)]])
  for (const labelid of ids)
    expect(await postRequest('/label/edit', { labelid, name: '', color: 0, delete: true })).toEqual({
      response: words,
    })
  expect(await sendRequest('GET', '/labels')).toEqual([])
})

test('contacts are added, listed in both forms and removed', async () => {
  const carla = await createPhone(world)
  expect(await postRequest('/contact/add', { phone: carla, name: 'Carla Costa' })).toEqual({
    success: true,
    message: words,
    contact: { jid: toDialectJid(carla), name: 'Carla Costa', phone: carla },
  })
  expect(await sendRequest('GET', '/contacts')).toEqual([
    { jid: toDialectJid(carla), contactName: 'Carla Costa', contact_FirstName: 'Carla' },
  ])
  for (const page of [
    { limit: 5, offset: 0 },
    { page: 1, pageSize: 5 },
  ])
    expect(await postRequest('/contacts/list', { ...page, contactScope: 'address_book' })).toEqual({
      contacts: [{ jid: toDialectJid(carla), contact_name: 'Carla Costa', contact_FirstName: 'Carla' }],
      pagination: {
        totalRecords: 1,
        pageSize: 5,
        currentPage: 1,
        totalPages: 1,
        limit: 5,
        offset: 0,
        hasNextPage: false,
        hasPreviousPage: false,
      },
    })
  expect(await postRequest('/contact/remove', { phone: carla })).toEqual({
    success: true,
    message: words,
    removed_contact: { jid: toDialectJid(carla), phone: carla },
  })
  expect((await readSettings()).contacts).toEqual([])
})

test('name, picture, presence and privacy of the account and the settings of the instance are changed', async () => {
  expect(await postRequest('/profile/name', { name: 'The Shop' })).toEqual({
    success: true,
    message: words,
    profile: { name: 'The Shop', updated_at: moment },
  })
  const pictured = { image_updated: true, image_removed: false, updated_at: moment }
  expect(await postRequest('/profile/image', { image: await drawPicture('teal') })).toEqual({
    success: true,
    message: words,
    profile: pictured,
  })
  expect(await readProfile()).toMatchObject({ name: 'The Shop', picture: { width: 20 } })
  expect(await postRequest('/profile/image', { image: 'remove' })).toMatchObject({
    profile: { ...pictured, image_updated: false, image_removed: true },
  })
  expect(await postRequest('/instance/presence', { presence: 'available' })).toEqual({ response: words })
  expect((await readProfile()).available).toBe(true)
  await postRequest('/instance/presence', { presence: 'unavailable' })
  const before = await sendRequest('GET', '/instance/privacy')
  expect(Object.keys(before).sort()).toEqual(
    ['calladd', 'groupadd', 'last', 'online', 'profile', 'readreceipts', 'status'].sort(),
  )
  const wish = { groupadd: 'contacts', last: 'none', status: 'contacts', readreceipts: 'none' }
  expect(await postRequest('/instance/privacy', wish)).toEqual({ ...before, ...wish })
  expect((await readProfile()).privacy).toMatchObject(wish)
  await postRequest('/instance/privacy', before)
  expect(await postRequest('/instance/updateInstanceName', { name: 'Corner' })).toMatchObject({
    id: made.instance.id,
    name: 'Corner',
  })
  const { instance } = await postRequest('/instance/updateDelaySettings', {
    msg_delay_min: 0,
    msg_delay_max: 0,
  })
  expect(instance).toMatchObject({ id: made.instance.id, msg_delay_min: 0, msg_delay_max: 0 })
})

test('groups are joined by code and by link, described, restricted, opened and left', async () => {
  const owner = await createPhone(world, 'Owner')
  const { jid } = await world.sim('POST', '/groups', { subject: 'Theirs', owner })
  const { invite } = await readGroupOnNetwork(jid as string)
  expect(await postRequest('/group/inviteInfo', { invitecode: invite })).toMatchObject({
    JID: jid,
    Name: 'Theirs',
  })
  expect(await postRequest('/group/join', { invitecode: `https://chat.whatsapp.com/${invite}` })).toEqual({
    response: words,
    needs_refresh: false,
    group: expect.objectContaining({ JID: jid }),
  })
  expect(await postRequest('/group/leave', { groupjid: jid })).toEqual({ response: words })
  expect((await readGroupOnNetwork(jid as string)).participants).toHaveLength(1)

  const { JID: groupjid } = await postRequest('/group/create', { name: 'Ours', participants: [owner] })
  const reply = {
    response: words,
    needs_refresh: expect.any(Boolean),
    group: expect.objectContaining({ JID: groupjid }),
  }
  expect(await postRequest('/group/updateDescription', { groupjid, description: 'x'.repeat(2048) })).toEqual(
    reply,
  )
  expect(await postRequest('/group/updateAnnounce', { groupjid, announce: true })).toEqual(reply)
  expect(await postRequest('/group/updateLocked', { groupjid, locked: true })).toEqual(reply)
  expect(await readGroupOnNetwork(groupjid)).toMatchObject({
    description: 'x'.repeat(2048),
    announce: true,
    locked: true,
  })
  const reset = await postRequest('/group/resetInviteCode', { groupjid })
  expect(reset).toEqual({
    InviteLink: words,
    needs_refresh: expect.any(Boolean),
    group: expect.objectContaining({ JID: groupjid, invite_link: reset.InviteLink }),
  })
  expect(reset.InviteLink).toContain((await readGroupOnNetwork(groupjid)).invite)
  const tooLong = await shop.post('/group/updateDescription', { groupjid, description: 'x'.repeat(2049) })
  expect(tooLong.status).toBe(400)
})

test('a poll and a status post are sent, a message is marked read', async () => {
  const dora = await createPhone(world, 'Dora')
  const readInbox = async (): Promise<Seen[]> =>
    (await world.sim('GET', `/phones/${dora}/inbox`)).messages as Seen[]
  const poll = {
    number: toDialectJid(dora),
    type: 'poll',
    text: 'When?',
    choices: ['Today', 'Never'],
    selectableCount: 1,
  }
  const menu = await postRequest('/send/menu', { ...poll, readchat: true, delay: 0 })
  expect(menu).toMatchObject({
    response: { status: 'success', message: words },
    chatid: toDialectJid(dora),
    vote: '',
  })
  await until(async () =>
    (await readInbox()).some(({ id, type }) => id === menu.messageid && type === 'poll'),
  )
  await world.sim('POST', `/messages/${menu.messageid}/vote`, { by: dora, choices: ['Today'] })
  await until(async () => (await postRequest('/message/find', { id: menu.id })).messages[0].vote === 'Today')

  await postRequest('/contact/add', { phone: dora, name: 'Dora' })
  const status = await postRequest('/send/status', {
    type: 'text',
    text: 'Open',
    background_color: 5,
    font: 1,
  })
  expect(status).toMatchObject({ type: 'text', text: 'Open', fromMe: true })
  await until(async () => (await readInbox()).some(({ id }) => id === status.messageid))

  const { id } = await world.sim('POST', '/messages', { from: dora, to: number, text: 'read me' })
  await until(async () => (await postRequest('/message/find', { id: id as string })).messages.length === 1)
  expect(await postRequest('/message/markread', { id: [`${number}:${id}`] })).toEqual({
    results: [{ message_id: `${number}:${id}`, status: 'success', error: '' }],
  })
  const { receipts } = await world.sim('GET', `/receipts?number=${number}`)
  expect((receipts as Seen[]).some(({ type, ids }) => type === 'read' && ids.includes(id))).toBe(true)
})
