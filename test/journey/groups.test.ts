// Groups through the whole gateway: founded, changed, written to, and what the network and the receiver saw of it.

import { expect, test } from 'vitest'
import { createPhone } from '../device.ts'
import { borrowScene, type Seen } from '../scene.ts'
import { until } from '../until.ts'

const { world, device, waitForEvent, causeFault, endFaults } = await borrowScene()

const readGroup = (groupjid: string): Promise<Seen> => world.sim('GET', `/groups/${groupjid}`)
const toPersonJid = (number: string) => `${number}@s.msgnet.net`
const postRequest = (path: string, body: object) => device.caller.post(path, body)

/** A group with another owner that we are a member of. */
async function createGroup(owner: string, wish: object = {}): Promise<string> {
  const body = { subject: 'Theirs', owner, participants: [device.number], ...wish }
  const { jid } = await world.sim('POST', '/groups', body)
  await waitForEvent('groups', ({ type, event }) => type === 'JoinedGroup' && event.JID === jid)
  return jid as string
}

test('a created group is on the network, in the list, and reported', async () => {
  const [anna, ben] = [await createPhone(world, 'Anna'), await createPhone(world, 'Ben')]
  const founded = await postRequest('/group/create', { name: 'Regulars', participants: [anna, ben] })
  expect(founded.status).toBe(200)
  const { JID } = founded.body
  expect(founded.body).toMatchObject({ Name: 'Regulars', ParticipantCount: 3, OwnerIsAdmin: true })
  expect(await readGroup(JID)).toMatchObject({ subject: 'Regulars' })
  await waitForEvent('groups', ({ type, event }) => type === 'JoinedGroup' && event.JID === JID)

  const { body } = await device.caller.get('/group/list')
  const listed = body.groups.find((group: Seen) => group.JID === JID)
  expect(listed.Participants.map(({ PhoneNumber }: Seen) => PhoneNumber)).toContain(toPersonJid(anna))
  const short = await device.caller.get('/group/list?noparticipants=true')
  expect(short.body.groups.find((group: Seen) => group.JID === JID)).toMatchObject({
    ParticipantCount: 3,
    Participants: [],
  })
  const checked = await postRequest('/chat/check', { numbers: [JID] })
  expect(checked.body).toMatchObject([{ jid: JID, groupName: 'Regulars', isInMsgnet: true, error: '' }])
})

test('a group that is read names its members: by the address book, by what they wrote, and by the own profile', async () => {
  const [anna, ben, carl] = [
    await createPhone(world, 'Anna'),
    await createPhone(world, 'Ben of the harbour'),
    await createPhone(world, 'Carl'),
  ]
  await postRequest('/contact/add', { phone: anna, name: 'Anna of the office' })
  await world.sim('POST', '/messages', { from: ben, to: device.number, text: 'Good morning' })
  await waitForEvent('messages', ({ message }) => message.sender === toPersonJid(ben))
  const { body: created } = await postRequest('/group/create', {
    name: 'Named',
    participants: [anna, ben, carl],
  })
  const { body } = await postRequest('/group/info', { groupjid: created.JID })
  const names = body.Participants.map(({ PhoneNumber, DisplayName }: Seen) => [PhoneNumber, DisplayName])
  const { profileName } = (await device.caller.get('/instance/status')).body.instance
  expect(new Map(names)).toEqual(
    new Map([
      [toPersonJid(anna), 'Anna of the office'],
      [toPersonJid(ben), 'Ben of the harbour'],
      [toPersonJid(carl), ''],
      [toPersonJid(device.number), profileName],
    ]),
  )
  expect(profileName).not.toBe('')
})

test('a number without an account does not stop a group, and is listed with the code of the network', async () => {
  const anna = await createPhone(world)
  const founded = await postRequest('/group/create', { name: 'Two', participants: [anna, '5511900000009'] })
  const missing = founded.body.Participants.find((one: Seen) => one.Error !== 0)
  expect(missing).toMatchObject({ Error: 404 })
  expect(founded.body.ParticipantCount).toBe(2)
})

test('leaving a group removes it from the list and is reported, and leaving it again is refused', async () => {
  const groupjid = await createGroup(await createPhone(world))
  const left = await postRequest('/group/leave', { groupjid })
  expect([left.status, left.body]).toEqual([200, { response: 'Group left' }])
  const { participants } = await readGroup(groupjid)
  expect(participants.map(({ jid }: Seen) => jid)).not.toContain(toPersonJid(device.number))
  expect((await device.caller.get('/group/list')).text).not.toContain(groupjid)
  await waitForEvent(
    'groups',
    ({ event }) => event.JID === groupjid && event.Leave.includes(toPersonJid(device.number)),
  )
  const again = await postRequest('/group/leave', { groupjid })
  expect([again.status, again.body.error]).toEqual([404, 'group_not_found'])
})

test('members are added, promoted, demoted and removed, with one result for each', async () => {
  const [anna, ben] = [await createPhone(world), await createPhone(world)]
  const { JID: groupjid } = (await postRequest('/group/create', { name: 'Moving', participants: [anna] }))
    .body
  const changeParticipants = (action: string, ...participants: string[]) =>
    postRequest('/group/updateParticipants', { groupjid, action, participants })

  const added = await changeParticipants('add', ben, '5511900000009')
  expect(added.body.groupUpdated).toEqual([
    { JID: toPersonJid(ben), Error: 0 },
    { JID: toPersonJid('5511900000009'), Error: 404 },
  ])
  expect(added.body.group.ParticipantCount).toBe(3)
  const joined = await waitForEvent('groups', ({ event }) => event.JID === groupjid && event.Join?.length > 0)
  expect(joined.event.Join).toEqual([toPersonJid(ben)])

  expect((await changeParticipants('promote', ben)).body.groupUpdated).toEqual([
    { JID: toPersonJid(ben), Error: 0 },
  ])
  await waitForEvent(
    'groups',
    ({ event }) => event.JID === groupjid && event.Promote?.includes(toPersonJid(ben)),
  )
  expect((await changeParticipants('demote', ben)).body.groupUpdated[0].Error).toBe(0)
  expect((await changeParticipants('remove', ben)).body.group.ParticipantCount).toBe(2)
  const { participants } = await readGroup(groupjid)
  expect(participants).toHaveLength(2)
  const { body } = await postRequest('/group/info', { groupjid })
  expect(body.Participants.map(({ PhoneNumber }: Seen) => PhoneNumber)).not.toContain(toPersonJid(ben))
})

test('a new group name is on the network and reported, and changes of others are known without a request', async () => {
  const anna = await createPhone(world)
  const groupjid = await createGroup(anna)
  const renamed = await postRequest('/group/updateName', { groupjid, name: 'Ours now' })
  expect(renamed.body).toEqual({ response: expect.any(String), needs_refresh: true })
  expect(await readGroup(groupjid)).toMatchObject({ subject: 'Ours now' })
  await waitForEvent('groups', ({ event }) => event.JID === groupjid && event.Name === 'Ours now')

  const ben = await createPhone(world)
  await world.sim('POST', `/groups/${groupjid}/participants`, {
    action: 'add',
    participants: [ben],
    by: anna,
  })
  const { event } = await waitForEvent('groups', (envelope) =>
    envelope.event.Join?.includes(toPersonJid(ben)),
  )
  expect(event).toMatchObject({ JID: groupjid, sender_pn: toPersonJid(anna) })
  expect((await postRequest('/group/info', { groupjid })).body).toMatchObject({
    Name: 'Ours now',
    ParticipantCount: 3,
  })
  expect((await postRequest('/group/info', { groupjid, force: true })).body).toMatchObject({
    ParticipantCount: 3,
  })
})

test('the invite link is readable for admins, and refused to others', async () => {
  const anna = await createPhone(world)
  const { JID } = (await postRequest('/group/create', { name: 'Open house', participants: [anna] })).body
  const own = await postRequest('/group/info', { groupjid: JID, getInviteLink: true })
  expect(own.body.invite_link).toMatch(/^https:\/\/.+\/[\w-]{10,}$/)
  const other = await postRequest('/group/info', { groupjid: await createGroup(anna), getInviteLink: true })
  expect(other).toMatchObject({ status: 403, body: { error: 'not_admin' } })
})

test('members decrypt a message to the group, and their messages are reported with the group name', async () => {
  const anna = await createPhone(world, 'Anna')
  const groupjid = await createGroup(anna, { subject: 'Talk' })
  const sent = await postRequest('/send/text', { number: groupjid, text: 'hello all' })
  expect(sent.body).toMatchObject({ isGroup: true, chatid: groupjid, groupName: 'Talk' })
  await until(async () => {
    const { messages } = await world.sim('GET', `/phones/${anna}/inbox`)
    return (messages as Seen[]).some(({ text, chat }) => text === 'hello all' && chat === groupjid)
  })
  const receipt = await waitForEvent('messages_update', ({ event }) =>
    event.MessageIDs?.includes(sent.body.messageid),
  )
  expect(receipt.event).toMatchObject({ IsGroup: true, chatid: groupjid })

  const { id } = await world.sim('POST', '/messages', { from: anna, to: groupjid, text: 'hello shop' })
  const { message, chat } = await waitForEvent('messages', (envelope) => envelope.message.messageid === id)
  expect(message).toMatchObject({
    isGroup: true,
    groupName: 'Talk',
    sender_pn: toPersonJid(anna),
    fromMe: false,
  })
  expect(chat).toEqual({
    id: groupjid,
    name: 'Talk',
    isGroup: true,
    wa_chatid: groupjid,
    wa_chatlid: '',
    wa_name: 'Talk',
    wa_fastid: `${device.number}:${groupjid}`,
    wa_contactName: '',
    wa_isGroup: true,
    wa_unreadCount: 1,
    wa_lastMsgTimestamp: expect.any(Number),
    wa_lastMessageTextVote: 'hello shop',
    phone: '',
    wa_archived: false,
    wa_isPinned: false,
    wa_muteEndTime: 0,
    wa_isBlocked: false,
    image: '',
  })

  expect((await postRequest('/chat/read', { number: groupjid })).body).toMatchObject({ marked: 1 })
  const { receipts } = await world.sim('GET', `/receipts?number=${device.number}`)
  const read = (receipts as Seen[]).find(({ type, ids }) => type === 'read' && ids.includes(id))
  expect(read).toMatchObject({ chat: groupjid })

  const reaction = await postRequest('/message/react', { id, number: groupjid, text: '👋' })
  expect(reaction.status).toBe(200)
  const edit = await postRequest('/message/edit', { id: sent.body.messageid, text: 'hello everybody' })
  expect(edit.status).toBe(200)
  await until(async () => {
    const { messages } = await world.sim('GET', `/phones/${anna}/inbox`)
    const seen = (messages as Seen[]).map(({ type, target }) => `${type} ${target}`)
    return seen.includes(`reaction ${id}`) && seen.includes(`edit ${sent.body.messageid}`)
  })
})

test('requests for a group as a stranger, as a plain member, or for a missing group are refused with distinct errors', async () => {
  const anna = await createPhone(world)
  const nowhere = await postRequest('/group/updateName', { groupjid: '120363000000000000@g.us', name: 'x' })
  expect(nowhere).toMatchObject({ status: 404, body: { error: 'group_not_found', provider_code: 404 } })

  const locked = await createGroup(anna, { locked: true })
  const refused = await postRequest('/group/updateName', { groupjid: locked, name: 'x' })
  expect(refused).toMatchObject({ status: 403, body: { error: 'not_admin' } })

  const { jid: foreign } = await world.sim('POST', '/groups', {
    subject: 'Foreign',
    owner: anna,
    participants: [await createPhone(world)],
  })
  const outside = await postRequest('/group/info', { groupjid: foreign })
  expect(outside).toMatchObject({ status: 403, body: { error: 'not_in_group' } })
  expect((await postRequest('/send/text', { number: foreign as string, text: 'let me in' })).status).toBe(403)

  const announcing = await createGroup(anna, { announce: true })
  const muted = await postRequest('/send/text', { number: announcing, text: 'may I?' })
  expect(muted).toMatchObject({ status: 422, body: { error: 'operation_refused', provider_code: 420 } })
})

test('a group that removed us is in no list', async () => {
  const anna = await createPhone(world)
  const groupjid = await createGroup(anna)
  await world.sim('POST', `/groups/${groupjid}/participants`, {
    action: 'remove',
    participants: [device.number],
    by: anna,
  })
  await waitForEvent(
    'groups',
    ({ event }) => event.JID === groupjid && event.Leave?.includes(toPersonJid(device.number)),
  )
  expect((await device.caller.get('/group/list')).text).not.toContain(groupjid)
  expect((await postRequest('/group/updateName', { groupjid, name: 'x' })).body.error).toBe('not_in_group')
})

test('a group request without a response does not block later ones', async () => {
  const groupjid = await createGroup(await createPhone(world))
  const requests = [
    (prefer: string) => device.caller.post('/group/info', { groupjid, force: true }, { prefer }),
    (prefer: string) => device.caller.get('/group/list?force=true', { prefer }),
  ]
  for (const sendRequest of requests) {
    await causeFault('silent', { number: device.number, xmlns: 'w:g2' })
    expect((await sendRequest('wait=1')).status).toBe(502)
    await endFaults()
    // The request without a response is waited for much longer than this.
    await until(async () => (await sendRequest('wait=5')).status === 200, { within: 30_000 })
  }
})

test('groups are requested once and then updated by events, and force requests them again up to a limit', async () => {
  const anna = await createPhone(world)
  const groupjid = await createGroup(anna)
  const countRequests = async () => {
    const { entries } = await world.sim('GET', `/log?number=${device.number}`)
    return (entries as Seen[]).filter(({ child }) => child === 'participating' || child === 'query').length
  }
  await device.caller.get('/group/list')
  await postRequest('/group/info', { groupjid })
  const before = await countRequests()
  expect((await device.caller.get('/group/list')).body.groups.length).toBeGreaterThan(0)
  expect((await postRequest('/group/info', { groupjid })).status).toBe(200)
  expect(await countRequests()).toBe(before)

  let forced = 0
  const limited = await until(async () => {
    const response = await device.caller.get('/group/list?force=true')
    if (response.status === 200) forced += 1
    return response.status !== 200 && response
  })
  expect(limited).toMatchObject({ status: 429, body: { error: 'rate_limited' } })
  expect(limited.headers.get('retry-after')).toBe('30')
  expect(await countRequests()).toBe(before + forced)
})

test('the simulated network knew every request', async () => {
  expect((await world.sim('GET', '/unknown')).requests).toEqual([])
})
