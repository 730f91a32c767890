// Groups through the whole gateway: founded, changed, written to, and what the network and the receiver saw of it.

import { expect, test } from 'vitest'
import { makePhone } from '../device.ts'
import { type Seen, setScene } from '../scene.ts'
import { until } from '../until.ts'

const { world, device, told, fault, endFaults } = await setScene()

const ofSim = (groupjid: string): Promise<Seen> => world.sim('GET', `/groups/${groupjid}`)
const person = (number: string) => `${number}@s.msgnet.net`
const ask = (path: string, body: object) => device.caller.post(path, body)

/** A group of somebody else's, with us in it. */
async function groupOf(owner: string, wish: object = {}): Promise<string> {
  const body = { subject: 'Theirs', owner, participants: [device.number], ...wish }
  const { jid } = await world.sim('POST', '/groups', body)
  await told('groups', ({ type, event }) => type === 'JoinedGroup' && event.JID === jid)
  return jid as string
}

test('a group that is founded is on the network, in the list, and told', async () => {
  const [anna, ben] = [await makePhone(world, 'Anna'), await makePhone(world, 'Ben')]
  const founded = await ask('/group/create', { name: 'Regulars', participants: [anna, ben] })
  expect(founded.status).toBe(200)
  const { JID } = founded.body
  expect(founded.body).toMatchObject({ Name: 'Regulars', ParticipantCount: 3, OwnerIsAdmin: true })
  expect(await ofSim(JID)).toMatchObject({ subject: 'Regulars' })
  await told('groups', ({ type, event }) => type === 'JoinedGroup' && event.JID === JID)

  const { body } = await device.caller.get('/group/list')
  const listed = body.groups.find((group: Seen) => group.JID === JID)
  expect(listed.Participants.map(({ PhoneNumber }: Seen) => PhoneNumber)).toContain(person(anna))
  const short = await device.caller.get('/group/list?noparticipants=true')
  expect(short.body.groups.find((group: Seen) => group.JID === JID)).toMatchObject({
    ParticipantCount: 3,
    Participants: [],
  })
  const checked = await ask('/chat/check', { numbers: [JID] })
  expect(checked.body).toMatchObject([{ jid: JID, groupName: 'Regulars', isInMsgnet: true, error: '' }])
})

test('one who has no account does not stop a group, and is named with the code of the network', async () => {
  const anna = await makePhone(world)
  const founded = await ask('/group/create', { name: 'Two', participants: [anna, '5511900000009'] })
  const missing = founded.body.Participants.find((one: Seen) => one.Error !== 0)
  expect(missing).toMatchObject({ Error: 404 })
  expect(founded.body.ParticipantCount).toBe(2)
})

test('a group that is left is listed no more, is told, and goes on without us; left again, there is none', async () => {
  const groupjid = await groupOf(await makePhone(world))
  const left = await ask('/group/leave', { groupjid })
  expect([left.status, left.body]).toEqual([200, { response: 'Group left' }])
  const { participants } = await ofSim(groupjid)
  expect(participants.map(({ jid }: Seen) => jid)).not.toContain(person(device.number))
  expect((await device.caller.get('/group/list')).text).not.toContain(groupjid)
  await told('groups', ({ event }) => event.JID === groupjid && event.Leave.includes(person(device.number)))
  const again = await ask('/group/leave', { groupjid })
  expect([again.status, again.body.error]).toEqual([404, 'group_not_found'])
})

test('people are added, promoted, demoted and removed, each answered for himself', async () => {
  const [anna, ben] = [await makePhone(world), await makePhone(world)]
  const { JID: groupjid } = (await ask('/group/create', { name: 'Moving', participants: [anna] })).body
  const change = (action: string, ...participants: string[]) =>
    ask('/group/updateParticipants', { groupjid, action, participants })

  const added = await change('add', ben, '5511900000009')
  expect(added.body.groupUpdated).toEqual([
    { JID: person(ben), Error: 0 },
    { JID: person('5511900000009'), Error: 404 },
  ])
  expect(added.body.group.ParticipantCount).toBe(3)
  const joined = await told('groups', ({ event }) => event.JID === groupjid && event.Join?.length > 0)
  expect(joined.event.Join).toEqual([person(ben)])

  expect((await change('promote', ben)).body.groupUpdated).toEqual([{ JID: person(ben), Error: 0 }])
  await told('groups', ({ event }) => event.JID === groupjid && event.Promote?.includes(person(ben)))
  expect((await change('demote', ben)).body.groupUpdated[0].Error).toBe(0)
  expect((await change('remove', ben)).body.group.ParticipantCount).toBe(2)
  const { participants } = await ofSim(groupjid)
  expect(participants).toHaveLength(2)
  const { body } = await ask('/group/info', { groupjid })
  expect(body.Participants.map(({ PhoneNumber }: Seen) => PhoneNumber)).not.toContain(person(ben))
})

test('a new name is on the network and is told, and what others change is known without asking', async () => {
  const anna = await makePhone(world)
  const groupjid = await groupOf(anna)
  const renamed = await ask('/group/updateName', { groupjid, name: 'Ours now' })
  expect(renamed.body).toEqual({ response: expect.any(String), needs_refresh: true })
  expect(await ofSim(groupjid)).toMatchObject({ subject: 'Ours now' })
  await told('groups', ({ event }) => event.JID === groupjid && event.Name === 'Ours now')

  const ben = await makePhone(world)
  await world.sim('POST', `/groups/${groupjid}/participants`, {
    action: 'add',
    participants: [ben],
    by: anna,
  })
  const { event } = await told('groups', (envelope) => envelope.event.Join?.includes(person(ben)))
  expect(event).toMatchObject({ JID: groupjid, sender_pn: person(anna) })
  expect((await ask('/group/info', { groupjid })).body).toMatchObject({
    Name: 'Ours now',
    ParticipantCount: 3,
  })
  expect((await ask('/group/info', { groupjid, force: true })).body).toMatchObject({ ParticipantCount: 3 })
})

test('the invite link is asked for by admins, and refused to others', async () => {
  const anna = await makePhone(world)
  const { JID } = (await ask('/group/create', { name: 'Open house', participants: [anna] })).body
  const mine = await ask('/group/info', { groupjid: JID, getInviteLink: true })
  expect(mine.body.invite_link).toMatch(/^https:\/\/.+\/[\w-]{10,}$/)
  const theirs = await ask('/group/info', { groupjid: await groupOf(anna), getInviteLink: true })
  expect(theirs).toMatchObject({ status: 403, body: { error: 'not_admin' } })
})

test('a message to a group is what its members decrypt; theirs is told with the name of the group', async () => {
  const anna = await makePhone(world, 'Anna')
  const groupjid = await groupOf(anna, { subject: 'Talk' })
  const sent = await ask('/send/text', { number: groupjid, text: 'hello all' })
  expect(sent.body).toMatchObject({ isGroup: true, chatid: groupjid, groupName: 'Talk' })
  await until(async () => {
    const { messages } = await world.sim('GET', `/phones/${anna}/inbox`)
    return (messages as Seen[]).some(({ text, chat }) => text === 'hello all' && chat === groupjid)
  })
  const receipt = await told('messages_update', ({ event }) =>
    event.MessageIDs?.includes(sent.body.messageid),
  )
  expect(receipt.event).toMatchObject({ IsGroup: true, chatid: groupjid })

  const { id } = await world.sim('POST', '/messages', { from: anna, to: groupjid, text: 'hello shop' })
  const { message, chat } = await told('messages', (envelope) => envelope.message.messageid === id)
  expect(message).toMatchObject({ isGroup: true, groupName: 'Talk', sender_pn: person(anna), fromMe: false })
  expect(chat).toEqual({
    ...{ id: groupjid, name: 'Talk', isGroup: true, wa_chatid: groupjid, wa_chatlid: '', wa_name: 'Talk' },
    ...{ wa_fastid: `${device.number}:${groupjid}`, wa_contactName: '', wa_isGroup: true, wa_unreadCount: 1 },
    ...{ wa_lastMsgTimestamp: expect.any(Number), wa_lastMessageTextVote: 'hello shop', phone: '' },
    ...{ wa_archived: false, wa_isPinned: false, wa_muteEndTime: 0, wa_isBlocked: false, image: '' },
  })

  expect((await ask('/chat/read', { number: groupjid })).body).toMatchObject({ marked: 1 })
  const { receipts } = await world.sim('GET', `/receipts?number=${device.number}`)
  const read = (receipts as Seen[]).find(({ type, ids }) => type === 'read' && ids.includes(id))
  expect(read).toMatchObject({ chat: groupjid })

  const reaction = await ask('/message/react', { id, number: groupjid, text: '👋' })
  expect(reaction.status).toBe(200)
  const edit = await ask('/message/edit', { id: sent.body.messageid, text: 'hello everybody' })
  expect(edit.status).toBe(200)
  await until(async () => {
    const { messages } = await world.sim('GET', `/phones/${anna}/inbox`)
    const seen = (messages as Seen[]).map(({ type, target }) => `${type} ${target}`)
    return seen.includes(`reaction ${id}`) && seen.includes(`edit ${sent.body.messageid}`)
  })
})

test('who is not in a group, not an admin of it, or asks for one that is not there, is told which', async () => {
  const anna = await makePhone(world)
  const nowhere = await ask('/group/updateName', { groupjid: '120363000000000000@g.us', name: 'x' })
  expect(nowhere).toMatchObject({ status: 404, body: { error: 'group_not_found', provider_code: 404 } })

  const locked = await groupOf(anna, { locked: true })
  const refused = await ask('/group/updateName', { groupjid: locked, name: 'x' })
  expect(refused).toMatchObject({ status: 403, body: { error: 'not_admin' } })

  const { jid: foreign } = await world.sim('POST', '/groups', {
    ...{ subject: 'Foreign', owner: anna, participants: [await makePhone(world)] },
  })
  const outside = await ask('/group/info', { groupjid: foreign })
  expect(outside).toMatchObject({ status: 403, body: { error: 'not_in_group' } })
  expect((await ask('/send/text', { number: foreign as string, text: 'let me in' })).status).toBe(403)

  const announcing = await groupOf(anna, { announce: true })
  const silent = await ask('/send/text', { number: announcing, text: 'may I?' })
  expect(silent).toMatchObject({ status: 422, body: { error: 'operation_refused', provider_code: 420 } })
})

test('one who is taken out of a group has it in no list', async () => {
  const anna = await makePhone(world)
  const groupjid = await groupOf(anna)
  await world.sim('POST', `/groups/${groupjid}/participants`, {
    ...{ action: 'remove', participants: [device.number], by: anna },
  })
  await told('groups', ({ event }) => event.JID === groupjid && event.Leave?.includes(person(device.number)))
  expect((await device.caller.get('/group/list')).text).not.toContain(groupjid)
  expect((await ask('/group/updateName', { groupjid, name: 'x' })).body.error).toBe('not_in_group')
})

test('a question about groups that was lost holds up nobody who asks later', async () => {
  const groupjid = await groupOf(await makePhone(world))
  const asking = [
    (prefer: string) => device.caller.post('/group/info', { groupjid, force: true }, { prefer }),
    (prefer: string) => device.caller.get('/group/list?force=true', { prefer }),
  ]
  for (const ask of asking) {
    await fault('silent', { number: device.number, xmlns: 'w:g2' })
    expect((await ask('wait=1')).status).toBe(504)
    await endFaults()
    // The one that was lost is waited for much longer than this.
    await until(async () => (await ask('wait=5')).status === 200, { within: 30_000 })
  }
})

test('groups are asked for once and then listened to; force asks again, until it has asked too often', async () => {
  const anna = await makePhone(world)
  const groupjid = await groupOf(anna)
  const asked = async () => {
    const { entries } = await world.sim('GET', `/log?number=${device.number}`)
    return (entries as Seen[]).filter(({ child }) => child === 'participating' || child === 'query').length
  }
  await device.caller.get('/group/list')
  await ask('/group/info', { groupjid })
  const before = await asked()
  expect((await device.caller.get('/group/list')).body.groups.length).toBeGreaterThan(0)
  expect((await ask('/group/info', { groupjid })).status).toBe(200)
  expect(await asked()).toBe(before)

  let forced = 0
  const limited = await until(async () => {
    const answer = await device.caller.get('/group/list?force=true')
    if (answer.status === 200) forced += 1
    return answer.status !== 200 && answer
  })
  expect(limited).toMatchObject({ status: 429, body: { error: 'rate_limited' } })
  expect(limited.headers.get('retry-after')).toBe('30')
  expect(await asked()).toBe(before + forced)
})

test('the simulated network met no request that it does not know', async () => {
  expect((await world.sim('GET', '/unknown')).requests).toEqual([])
})
