// Groups in which nobody has written yet: they are among the chats at once, as in the network's own clients.

import { expect, test } from 'vitest'
import { createDevice, createPhone, type Device, waitUntilConnected } from '../device.ts'
import { borrowScene, type Seen } from '../scene.ts'
import { until } from '../until.ts'

const { world, device, waitForEvent } = await borrowScene()

const postRequest = (path: string, body: object) => device.caller.post(path, body)
const findChat = async (
  id: string,
  { caller }: Pick<Device, 'caller'> = device,
): Promise<Seen | undefined> => {
  const { body } = await caller.post('/chat/find', { wa_chatid: id })
  return body.chats[0]
}
const createGroup = async (name: string): Promise<string> => {
  const founded = await postRequest('/group/create', { name, participants: [await createPhone(world)] })
  return founded.body.JID
}
/** Somebody else founds a group with us in it. */
async function enterGroup(subject: string, owner: string): Promise<string> {
  const { jid } = await world.sim('POST', '/groups', { subject, owner, participants: [device.number] })
  await waitForEvent('groups', ({ type, event }) => type === 'JoinedGroup' && event.JID === jid)
  return jid as string
}

test('a group that we create, and one that we are added to, are chats before anybody writes, with the newest first', async () => {
  const before = Date.now()
  const [ours, theirs] = [await createGroup('Harvest'), await enterGroup('Choir', await createPhone(world))]
  const { body } = await postRequest('/chat/find', { wa_isGroup: true, limit: 2 })
  expect(body.chats.map(({ id }: Seen) => id)).toEqual([theirs, ours])
  expect(body.chats[1]).toMatchObject({
    name: 'Harvest',
    wa_name: 'Harvest',
    isGroup: true,
    unreadCount: 0,
    lastMessageId: '',
    wa_lastMessageTextVote: '',
    lastMessage: { type: '', sender: '' },
  })
  expect(body.chats[1].lastMessageTimestamp).toBeGreaterThanOrEqual(before)
  expect(body.chats[1].wa_lastMsgTimestamp).toBe(body.chats[1].lastMessageTimestamp)
})

test('pages with a cursor go through chats without messages as through others', async () => {
  const made = [await createGroup('One'), await createGroup('Two'), await createGroup('Three')]
  const found: string[] = []
  for (let before: string | undefined; ; ) {
    const { body } = await postRequest('/chat/find', {
      wa_isGroup: true,
      limit: 2,
      ...(before && { before }),
    })
    found.push(...body.chats.map(({ id }: Seen) => id))
    if (!body.hasMore) break
    before = body.nextBefore
  }
  expect(found.filter((id) => made.includes(id))).toEqual(made.reverse())
  expect(new Set(found).size).toBe(found.length)
})

test('the first message is the last one of its chat, at its own time', async () => {
  const from = await createPhone(world)
  const group = await enterGroup('Clocks', from)
  const { id } = await world.sim('POST', '/messages', { from, to: group, text: 'Welcome' })
  const { message } = await waitForEvent('messages', ({ message }) => message.messageid === id)
  expect(await findChat(group)).toMatchObject({
    lastMessageId: id,
    lastMessageTimestamp: message.messageTimestamp,
    wa_lastMessageTextVote: 'Welcome',
  })
})

test('a chat without messages has the name that its group has now', async () => {
  const groupjid = await createGroup('Draft')
  await postRequest('/group/updateName', { groupjid, name: 'Final' })
  await until(async () => (await findChat(groupjid))?.name === 'Final')
})

test('a chat that was deleted stays so when its group changes or is listed again, and a group that was left too', async () => {
  const [kept, left] = [await createGroup('Deleted'), await createGroup('Left')]
  await postRequest('/group/leave', { groupjid: left })
  for (const number of [kept, left])
    expect((await postRequest('/chat/delete', { number, deleteChatDB: true })).status).toBe(200)
  await postRequest('/group/updateName', { groupjid: kept, name: 'Deleted too' })
  expect((await device.caller.get('/group/list?force=true')).status).toBe(200)
  expect(await findChat(kept)).toBeUndefined()
  expect(await findChat(left)).toBeUndefined()
})

test('the groups that an account has when it is linked are among its chats, by the time of their founding', async () => {
  const [owner, number] = [await createPhone(world), await createPhone(world)]
  const wish = { subject: 'Old friends', owner, participants: [number] }
  const jid = (await world.sim('POST', '/groups', wish)).jid as string
  const fresh = await createDevice(world)
  const { body } = await fresh.caller.post('/instance/connect', { phone: number })
  await world.sim('POST', `/phones/${number}/code`, { code: body.pairing.code })
  await waitUntilConnected(fresh)
  const { body: group } = await until(async () => {
    const answer = await fresh.caller.post('/group/info', { groupjid: jid })
    return answer.status === 200 && answer
  })
  await until(async () => (await findChat(jid, fresh)) !== undefined)
  expect(await findChat(jid, fresh)).toMatchObject({
    name: 'Old friends',
    lastMessageTimestamp: group.GroupCreated,
  })
})
