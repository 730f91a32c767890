// COMPATIBILITY=uazapi: everything else that an account does, in the requests of those clients: each answer whole, and the network has it.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { plainCaller } from '../caller.ts'
import { link, makePhone } from '../device.ts'
import type { Seen } from '../scene.ts'
import { until } from '../until.ts'
import { startWorld } from '../world.ts'
import { picture } from './asked/groups.ts'
import { person } from './asked/row.ts'

const world = await startWorld({ COMPATIBILITY: 'uazapi' })
afterAll(() => world.close())

const ADMIN = readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim()
const admin = plainCaller(world.run.baseUrl, { admintoken: ADMIN })
const made: Seen = (await admin.post('/instance/create', { name: 'Shop', systemName: 'shop' })).body
const shop = plainCaller(world.run.baseUrl, { token: made.token })
const { number } = await link(world, { id: made.instance.id, token: made.token, caller: shop })

const theirs = (digits: string) => `${digits}@s.whatsapp.net`
const words = expect.stringMatching(/./)
const moment = expect.any(Number)
/** The answer, which is a 200. */
async function ask(method: string, path: string, body?: object): Promise<Seen> {
  const answer = await shop.ask(method, path, body)
  expect(answer.status, `${path} ${answer.text}`).toBe(200)
  return answer.body
}
const post = (path: string, body: object) => ask('POST', path, body)
const settings = (): Promise<Seen> => world.sim('GET', `/phones/${number}/settings`)
const profile = (): Promise<Seen> => world.sim('GET', `/phones/${number}/profile`)
const chatOnPhone = async (of: string) =>
  (await settings()).chats.find(({ chat }: Seen) => chat === person(of))
const groupOnNetwork = (jid: string): Promise<Seen> => world.sim('GET', `/groups/${jid}`)

test('chats are archived, pinned, muted, blocked, looked at and deleted', async () => {
  const anna = await makePhone(world, 'Anna')
  await post('/send/text', { number: theirs(anna), text: 'a chat' })
  const now = Date.now()
  for (const [path, wish] of [
    ['/chat/archive', { archive: true }],
    ['/chat/pin', { pin: true }],
    ['/chat/mute', { muteEndTime: 168 }],
  ] as const)
    expect(await post(path, { number: theirs(anna), ...wish })).toEqual({ response: words })
  const kept = await chatOnPhone(anna)
  expect(kept).toMatchObject({ archived: true, pinned: true })
  expect(kept.mutedUntil).toBeGreaterThanOrEqual(now + 168 * 3_600_000)
  await post('/chat/mute', { number: anna, muteEndTime: 0 })
  expect(await chatOnPhone(anna)).toMatchObject({ mutedUntil: null })

  const blocked = await post('/chat/block', { number: theirs(anna), block: true })
  expect(blocked).toEqual({ response: words, blockList: [theirs(anna)] })
  expect(await ask('GET', '/chat/blocklist')).toMatchObject({ blockList: [theirs(anna)] })
  expect((await profile()).blocked).toEqual([person(anna)])
  expect(await post('/chat/block', { number: anna, block: false })).toMatchObject({ blockList: [] })

  const details = await post('/chat/details', { number: theirs(anna), preview: true })
  expect(details).toMatchObject({
    ...{ id: theirs(anna), wa_chatid: theirs(anna), wa_fastid: `${number}:${anna}`, phone: `+${anna}` },
    ...{ wa_archived: true, wa_isPinned: true, wa_isBlocked: false, wa_muteEndTime: 0 },
    ...{ image: '', imagePreview: '', common_groups: '' },
  })
  const gone = {
    ...{ number: theirs(anna), deleteChatDB: true, deleteMessagesDB: true },
    ...{ deleteChatWhatsApp: true, clearChatWhatsApp: false },
  }
  expect(await post('/chat/delete', gone)).toEqual({
    response: words,
    actions: expect.arrayContaining(['deleteChatDB', 'deleteMessagesDB', 'deleteChatWhatsApp']),
    errors: [],
  })
  expect(await chatOnPhone(anna)).toMatchObject({ deletedAt: moment })
})

test('labels are made, put on chats, taken off one by one, and deleted', async () => {
  const ben = await makePhone(world)
  const ids: string[] = []
  for (const name of ['New', 'Paid']) {
    await post('/label/edit', { labelid: 'new', name, color: 2, delete: false })
    const label = ((await ask('GET', '/labels')) as Seen[]).find((one) => one.name === name)
    expect(label).toEqual({
      ...{ id: `${number}:${label.labelid}`, labelid: words, name, color: 2 },
      ...{ colorHex: expect.stringMatching(/^#[\da-f]{6}$/), owner: number },
      ...{ created: expect.stringMatching(/^\d{4}-/), updated: expect.stringMatching(/^\d{4}-/) },
    })
    ids.push(label.labelid)
  }
  const [first = '', second = ''] = ids
  const labelled = await post('/chat/labels', { number: theirs(ben), labelids: ids })
  expect(labelled).toEqual({
    response: words,
    editions: ids.map((labelid) => ({ labelid, action: 'add' })),
  })
  expect(await post('/chat/labels', { number: ben, remove_labelid: first })).toEqual({
    response: words,
    editions: [{ labelid: first, action: 'remove' }],
  })
  const chatsOf = async (id: string) =>
    (await settings()).labels.find(({ labelid }: Seen) => labelid === id)?.chats
  expect([await chatsOf(first), await chatsOf(second)]).toEqual([[], [person(ben)]])
  for (const labelid of ids)
    expect(await post('/label/edit', { labelid, name: '', color: 0, delete: true })).toEqual({
      response: words,
    })
  expect(await ask('GET', '/labels')).toEqual([])
})

test('contacts are added, listed in both forms and removed', async () => {
  const carla = await makePhone(world)
  expect(await post('/contact/add', { phone: carla, name: 'Carla Costa' })).toEqual({
    ...{ success: true, message: words },
    contact: { jid: theirs(carla), name: 'Carla Costa', phone: carla },
  })
  expect(await ask('GET', '/contacts')).toEqual([
    { jid: theirs(carla), contactName: 'Carla Costa', contact_FirstName: 'Carla' },
  ])
  for (const page of [
    { limit: 5, offset: 0 },
    { page: 1, pageSize: 5 },
  ])
    expect(await post('/contacts/list', { ...page, contactScope: 'address_book' })).toEqual({
      contacts: [{ jid: theirs(carla), contact_name: 'Carla Costa', contact_FirstName: 'Carla' }],
      pagination: {
        ...{ totalRecords: 1, pageSize: 5, currentPage: 1, totalPages: 1, limit: 5, offset: 0 },
        ...{ hasNextPage: false, hasPreviousPage: false },
      },
    })
  expect(await post('/contact/remove', { phone: carla })).toEqual({
    ...{ success: true, message: words, removed_contact: { jid: theirs(carla), phone: carla } },
  })
  expect((await settings()).contacts).toEqual([])
})

test('the account has another name and picture, is there, and says who may do what; the instance is set', async () => {
  expect(await post('/profile/name', { name: 'The Shop' })).toEqual({
    ...{ success: true, message: words, profile: { name: 'The Shop', updated_at: moment } },
  })
  const pictured = { image_updated: true, image_removed: false, updated_at: moment }
  expect(await post('/profile/image', { image: await picture('teal') })).toEqual({
    ...{ success: true, message: words, profile: pictured },
  })
  expect(await profile()).toMatchObject({ name: 'The Shop', picture: { width: 20 } })
  expect(await post('/profile/image', { image: 'remove' })).toMatchObject({
    profile: { ...pictured, image_updated: false, image_removed: true },
  })
  expect(await post('/instance/presence', { presence: 'available' })).toEqual({ response: words })
  expect((await profile()).available).toBe(true)
  await post('/instance/presence', { presence: 'unavailable' })
  const before = await ask('GET', '/instance/privacy')
  expect(Object.keys(before).sort()).toEqual(
    ['calladd', 'groupadd', 'last', 'online', 'profile', 'readreceipts', 'status'].sort(),
  )
  const wish = { groupadd: 'contacts', last: 'none', status: 'contacts', readreceipts: 'none' }
  expect(await post('/instance/privacy', wish)).toEqual({ ...before, ...wish })
  expect((await profile()).privacy).toMatchObject(wish)
  await post('/instance/privacy', before)
  expect(await post('/instance/updateInstanceName', { name: 'Corner' })).toMatchObject({
    ...{ id: made.instance.id, name: 'Corner' },
  })
  const { instance } = await post('/instance/updateDelaySettings', { msg_delay_min: 0, msg_delay_max: 0 })
  expect(instance).toMatchObject({ id: made.instance.id, msg_delay_min: 0, msg_delay_max: 0 })
})

test('groups are joined by code and by link, described, closed, opened and left', async () => {
  const owner = await makePhone(world, 'Owner')
  const { jid } = await world.sim('POST', '/groups', { subject: 'Theirs', owner })
  const { invite } = await groupOnNetwork(jid as string)
  expect(await post('/group/inviteInfo', { invitecode: invite })).toMatchObject({ JID: jid, Name: 'Theirs' })
  expect(await post('/group/join', { invitecode: `https://chat.whatsapp.com/${invite}` })).toEqual({
    ...{ response: words, needs_refresh: false, group: expect.objectContaining({ JID: jid }) },
  })
  expect(await post('/group/leave', { groupjid: jid })).toEqual({ response: words })
  expect((await groupOnNetwork(jid as string)).participants).toHaveLength(1)

  const { JID: groupjid } = await post('/group/create', { name: 'Ours', participants: [owner] })
  const answer = {
    response: words,
    needs_refresh: expect.any(Boolean),
    group: expect.objectContaining({ JID: groupjid }),
  }
  expect(await post('/group/updateDescription', { groupjid, description: 'x'.repeat(2048) })).toEqual(answer)
  expect(await post('/group/updateAnnounce', { groupjid, announce: true })).toEqual(answer)
  expect(await post('/group/updateLocked', { groupjid, locked: true })).toEqual(answer)
  expect(await groupOnNetwork(groupjid)).toMatchObject({
    ...{ description: 'x'.repeat(2048), announce: true, locked: true },
  })
  const reset = await post('/group/resetInviteCode', { groupjid })
  expect(reset).toEqual({
    ...{ InviteLink: words, needs_refresh: expect.any(Boolean) },
    group: expect.objectContaining({ JID: groupjid, invite_link: reset.InviteLink }),
  })
  expect(reset.InviteLink).toContain((await groupOnNetwork(groupjid)).invite)
  const tooLong = await shop.post('/group/updateDescription', { groupjid, description: 'x'.repeat(2049) })
  expect(tooLong.status).toBe(400)
})

test('a poll and a status post are sent, a message is marked read', async () => {
  const dora = await makePhone(world, 'Dora')
  const inbox = async (): Promise<Seen[]> =>
    (await world.sim('GET', `/phones/${dora}/inbox`)).messages as Seen[]
  const poll = {
    number: theirs(dora),
    type: 'poll',
    text: 'When?',
    choices: ['Today', 'Never'],
    selectableCount: 1,
  }
  const menu = await post('/send/menu', { ...poll, readchat: true, delay: 0 })
  expect(menu).toMatchObject({
    response: { status: 'success', message: words },
    chatid: theirs(dora),
    vote: '',
  })
  await until(async () => (await inbox()).some(({ id, type }) => id === menu.messageid && type === 'poll'))
  await world.sim('POST', `/messages/${menu.messageid}/vote`, { by: dora, choices: ['Today'] })
  await until(async () => (await post('/message/find', { id: menu.id })).messages[0].vote === 'Today')

  await post('/contact/add', { phone: dora, name: 'Dora' })
  const status = await post('/send/status', { type: 'text', text: 'Open', background_color: 5, font: 1 })
  expect(status).toMatchObject({ type: 'text', text: 'Open', fromMe: true })
  await until(async () => (await inbox()).some(({ id }) => id === status.messageid))

  const { id } = await world.sim('POST', '/messages', { from: dora, to: number, text: 'read me' })
  await until(async () => (await post('/message/find', { id: id as string })).messages.length === 1)
  expect(await post('/message/markread', { id: [`${number}:${id}`] })).toEqual({
    results: [{ message_id: `${number}:${id}`, status: 'success', error: '' }],
  })
  const { receipts } = await world.sim('GET', `/receipts?number=${number}`)
  expect((receipts as Seen[]).some(({ type, ids }) => type === 'read' && ids.includes(id))).toBe(true)
})
