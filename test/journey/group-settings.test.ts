// Invitations and settings of groups through the whole gateway: their state on the network, and the events for the receiver.

import { expect, test } from 'vitest'
import { createDevice, createPhone, linkDevice } from '../device.ts'
import { borrowScene, type Seen } from '../scene.ts'

const { world, device, waitForEvent, causeFault, endFaults } = await borrowScene()

const readGroup = (groupjid: string): Promise<Seen> => world.sim('GET', `/groups/${groupjid}`)
const postRequest = (path: string, body: object) => device.caller.post(path, body)

/** A group with another owner, without us. */
async function createGroup(owner: string, wish: object = {}): Promise<{ groupjid: string; invite: string }> {
  const { jid } = await world.sim('POST', '/groups', { subject: 'Theirs', owner, ...wish })
  return { groupjid: jid as string, invite: (await readGroup(jid as string)).invite }
}

test('an invitation shows its group, and lets us in by its code or its link', async () => {
  const anna = await createPhone(world, 'Anna')
  const { groupjid, invite } = await createGroup(anna, { participants: [await createPhone(world)] })
  await world.sim('PATCH', `/groups/${groupjid}`, { by: anna, description: 'All of us' })
  const shown = await postRequest('/group/inviteInfo', {
    invitecode: `https://chat.whatsapp.com/${invite}?from=qr`,
  })
  expect(shown.body).toMatchObject({ JID: groupjid, Name: 'Theirs', Topic: 'All of us' })
  expect(shown.body).toMatchObject({ ParticipantCount: 2, Participants: [], OwnerCanSendMessage: false })

  const joined = await postRequest('/group/join', { invitecode: `https://chat.whatsapp.com/${invite}` })
  expect(joined.body).toMatchObject({ response: 'Group joined', needs_refresh: false })
  expect(joined.body.group).toMatchObject({ JID: groupjid, ParticipantCount: 3, OwnerCanSendMessage: true })
  expect((await readGroup(groupjid)).participants).toHaveLength(3)
  expect((await device.caller.get('/group/list')).text).toContain(groupjid)
  await waitForEvent('groups', ({ type, event }) => type === 'JoinedGroup' && event.JID === groupjid)

  const again = await postRequest('/group/join', { invitecode: invite })
  expect(again).toMatchObject({ status: 422, body: { error: 'operation_refused', provider_code: 409 } })
})

test('joining a group with approval asks its admins, and reports that we are not a member yet', async () => {
  const anna = await createPhone(world)
  const { groupjid, invite } = await createGroup(anna)
  await world.sim('PATCH', `/groups/${groupjid}`, { by: anna, approval: true })
  const joining = await postRequest('/group/join', { invitecode: invite })
  expect(joining.body).toMatchObject({ needs_refresh: true, group: { JID: groupjid, ParticipantCount: 1 } })
  expect((await readGroup(groupjid)).applicants).toHaveLength(1)
  expect((await device.caller.get('/group/list')).text).not.toContain(groupjid)
})

test('a revoked invitation does not work, the new one does', async () => {
  const anna = await createPhone(world)
  const { JID: groupjid } = (await postRequest('/group/create', { name: 'Open house', participants: [anna] }))
    .body
  const { invite } = await readGroup(groupjid)
  const { body } = await postRequest('/group/resetInviteCode', { groupjid })
  const { invite: renewed } = await readGroup(groupjid)
  expect(body).toMatchObject({ InviteLink: expect.stringContaining(renewed), needs_refresh: false })
  expect(body.group).toMatchObject({ JID: groupjid, invite_link: body.InviteLink })
  const old = await postRequest('/group/inviteInfo', { invitecode: invite })
  expect(old).toMatchObject({ status: 404, body: { error: 'group_not_found', provider_code: 410 } })
  expect((await postRequest('/group/inviteInfo', { invitecode: body.InviteLink })).body.JID).toBe(groupjid)

  const { jid: other } = await world.sim('POST', '/groups', {
    subject: 'Theirs',
    owner: anna,
    participants: [device.number],
  })
  const refused = await postRequest('/group/resetInviteCode', { groupjid: other })
  expect(refused).toMatchObject({ status: 403, body: { error: 'not_admin' } })
})

test('a full group cannot be joined', async () => {
  const { invite } = await createGroup(await createPhone(world), { most: 1 })
  const refused = await postRequest('/group/join', { invitecode: invite })
  expect(refused).toMatchObject({ status: 422, body: { error: 'operation_refused', provider_code: 419 } })
})

test('a description is set, replaced and removed on the network, and each change is reported', async () => {
  const anna = await createPhone(world)
  const { JID: groupjid } = (await postRequest('/group/create', { name: 'Described', participants: [anna] }))
    .body
  const setDescription = (description: string) =>
    postRequest('/group/updateDescription', { groupjid, description })
  const first = await setDescription('Wednesdays')
  expect(first.body).toMatchObject({ needs_refresh: false, group: { Topic: 'Wednesdays' } })
  expect(await readGroup(groupjid)).toMatchObject({ description: 'Wednesdays' })
  await waitForEvent('groups', ({ event }) => event.JID === groupjid && event.Topic === 'Wednesdays')
  await world.sim('PATCH', `/groups/${groupjid}`, { by: anna, description: 'Thursdays' })
  expect((await setDescription('Fridays')).status).toBe(200)
  expect(await readGroup(groupjid)).toMatchObject({ description: 'Fridays' })
  expect((await setDescription('')).body.group).toMatchObject({ Topic: '' })
  expect((await readGroup(groupjid)).description ?? '').toBe('')
})

test('admins decide who may write and who may change the group', async () => {
  const anna = await createPhone(world)
  const { JID: groupjid } = (await postRequest('/group/create', { name: 'Ours', participants: [anna] })).body
  const announced = await postRequest('/group/updateAnnounce', { groupjid, announce: true })
  expect(announced.body.group).toMatchObject({ IsAnnounce: true, OwnerCanSendMessage: true })
  const locked = await postRequest('/group/updateLocked', { groupjid, locked: true })
  expect(locked.body.group).toMatchObject({ IsAnnounce: true, IsLocked: true })
  expect(await readGroup(groupjid)).toMatchObject({ announce: true, locked: true })
  await waitForEvent('groups', ({ event }) => event.JID === groupjid && event.Locked === true)
  await postRequest('/group/updateAnnounce', { groupjid, announce: false })
  await postRequest('/group/updateLocked', { groupjid, locked: false })
  expect(await readGroup(groupjid)).toMatchObject({ announce: false, locked: false })

  const { jid: other } = await world.sim('POST', '/groups', {
    subject: 'Theirs',
    owner: anna,
    participants: [device.number],
    locked: true,
  })
  for (const [path, wish] of [
    ['/group/updateAnnounce', { announce: true }],
    ['/group/updateLocked', { locked: false }],
    ['/group/updateDescription', { description: 'mine' }],
  ] as const) {
    const refused = await postRequest(path, { groupjid: other, ...wish })
    expect(refused).toMatchObject({ status: 403, body: { error: 'not_admin' } })
  }
})

test('a group is set to approve who joins, to let all add members, and to let messages disappear', async () => {
  const anna = await createPhone(world)
  const { JID: groupjid } = (await postRequest('/group/create', { name: 'Set', participants: [anna] })).body
  const wish = { joinApproval: true, memberAddMode: 'all', ephemeral: 604_800 }
  const changed = await postRequest('/group/updateSettings', { groupjid, ...wish })
  const shown = {
    IsJoinApprovalRequired: true,
    MemberAddMode: 'all_member_add',
    IsEphemeral: true,
    DisappearingTimer: 604_800,
  }
  expect(changed).toMatchObject({ status: 200, body: { response: 'Group settings updated', group: shown } })
  expect(await readGroup(groupjid)).toMatchObject({ approval: true, ephemeral: 604_800, openAdding: true })
  expect((await postRequest('/group/info', { groupjid, force: true })).body).toMatchObject(shown)
  const back = await postRequest('/group/updateSettings', { groupjid, memberAddMode: 'admins', ephemeral: 0 })
  expect(back.body.group).toMatchObject({
    ...shown,
    MemberAddMode: 'admin_add',
    IsEphemeral: false,
    DisappearingTimer: 0,
  })
})

test('a setting that the network refuses ends the request, and the message says what was set before', async () => {
  const { JID: groupjid } = (
    await postRequest('/group/create', { name: 'Half', participants: [await createPhone(world)] })
  ).body
  await causeFault('refuse', { xmlns: 'w:g2', tag: 'set ephemeral', code: 406 })
  const refused = await postRequest('/group/updateSettings', {
    groupjid,
    joinApproval: true,
    ephemeral: 86_400,
  })
  await endFaults()
  expect(refused).toMatchObject({ status: 422, body: { error: 'operation_refused', provider_code: 406 } })
  expect(refused.body.message).toBe('The network refused ephemeral; joinApproval had been changed before it.')
  expect(await readGroup(groupjid)).toMatchObject({ approval: true, ephemeral: 0 })
})

test('admins see who asks to join, and approve them', async () => {
  const { JID: groupjid } = (
    await postRequest('/group/create', { name: 'Asked', participants: [await createPhone(world)] })
  ).body
  await postRequest('/group/updateSettings', { groupjid, joinApproval: true })
  const { invite_link } = (await postRequest('/group/info', { groupjid, getInviteLink: true })).body
  const other = await linkDevice(world, await createDevice(world, 'Asks'))
  await other.caller.post('/group/join', { invitecode: invite_link })
  const { requests } = (await postRequest('/group/requests', { groupjid })).body
  expect(requests).toEqual([
    {
      JID: `${other.number}@s.msgnet.net`,
      LID: expect.stringMatching(/@lid$/),
      PhoneNumber: `${other.number}@s.msgnet.net`,
      RequestedAt: expect.any(Number),
      Method: 'invite_link',
    },
  ])
  const participants = [requests[0].LID]
  const approved = await postRequest('/group/updateParticipants', {
    groupjid,
    action: 'approve',
    participants,
  })
  expect(approved.body.groupUpdated[0].Error).toBe(0)
  expect((await postRequest('/group/requests', { groupjid })).body).toEqual({ requests: [] })
})
