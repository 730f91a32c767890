// Groups over the simulated network: what the library requests, what the rules refuse, what members are notified of.
// @module-tag slow
import type { BinaryNode } from 'baileys'
import { expect, test } from 'vitest'
import { until } from '../until.ts'
import { collectEvents, findRefusal } from './client.ts'
import { ANNA, BERT, CARL, createGroup, GATEWAY, openWorldWithPeople } from './group-world.ts'

const MISSING = '491700000199@s.whatsapp.net'

const toPn = (number: string) => `${number}@s.whatsapp.net`
const toNeutral = (number: string) => `${number}@s.msgnet.net`

test.each(['lid', 'pn'] as const)(
  'a group of %s addresses is described with number and LID of each member',
  async (addressing) => {
    const { world, client } = await openWorldWithPeople()
    const jid = await createGroup(world, { addressing, admins: [BERT], locked: true, announce: true })
    const described = await client.socket.groupMetadata(jid)
    expect(described).toMatchObject({
      id: jid,
      subject: 'Club',
      addressingMode: addressing,
      size: 3,
      restrict: true,
      announce: true,
      joinApprovalMode: false,
      memberAddMode: false,
    })
    const shown = await world.get(`/groups/${jid}`)
    const members = shown.body.participants as { jid: string; lid: string; role: string }[]
    expect(members.map(({ jid, role }) => [jid, role])).toEqual([
      [toNeutral(ANNA), 'superadmin'],
      [toNeutral(GATEWAY), 'member'],
      [toNeutral(BERT), 'admin'],
    ])
    const jids = described.participants.map((one) => (addressing === 'lid' ? one.id : one.lid))
    expect(jids).toEqual(members.map(({ lid }) => lid))
    const numbers = described.participants.map((one) => (addressing === 'lid' ? one.phoneNumber : one.id))
    expect(numbers).toEqual([ANNA, GATEWAY, BERT].map(toPn))
    expect(Object.keys(await client.socket.groupFetchAllParticipating())).toEqual([jid])
  },
)

test('a group that the library creates has its founder as superadmin, and names people without an account', async () => {
  const { world, client } = await openWorldWithPeople()
  const joined = collectEvents(client, 'groups.upsert')
  const made = await client.socket.groupCreate('New one', [toPn(ANNA), MISSING])
  expect(made.subject).toBe('New one')
  expect(made.participants.map(({ id }) => id)).toContain(MISSING)
  const shown = (await world.get(`/groups/${made.id}`)).body
  expect(shown).toMatchObject({
    owner: toNeutral(GATEWAY),
    participants: [
      { jid: toNeutral(GATEWAY), role: 'superadmin' },
      { jid: toNeutral(ANNA), role: 'member' },
    ],
    picture: null,
  })
  await until(() => joined.flat().some(({ id }) => id === made.id))
})

test('requests of non-members and of non-admins are refused with different codes', async () => {
  const { world, client } = await openWorldWithPeople()
  const { socket } = client
  const [own, strange] = [
    await createGroup(world, { locked: true }),
    await createGroup(world, { participants: [BERT] }),
  ]
  const missing = '120363000000000000@g.us'
  expect(await findRefusal(socket.groupMetadata(strange))).toBe(403)
  expect(await findRefusal(socket.groupMetadata(missing))).toBe(404)
  expect(await findRefusal(socket.groupUpdateSubject(own, 'Mine'))).toBe(401)
  expect(await findRefusal(socket.groupUpdateSubject(strange, 'Mine'))).toBe(403)
  expect(await findRefusal(socket.groupParticipantsUpdate(own, [toPn(CARL)], 'add'))).toBe(401)
  expect(await findRefusal(socket.groupSettingUpdate(own, 'unlocked'))).toBe(401)
  expect(await findRefusal(socket.groupInviteCode(own))).toBe(401)
  expect(await findRefusal(socket.groupUpdateSubject(own, 'x'.repeat(101)))).toBe(401)
  await world.post(`/groups/${own}/participants`, { action: 'promote', by: ANNA, participants: [GATEWAY] })
  expect(await findRefusal(socket.groupUpdateSubject(own, 'x'.repeat(101)))).toBe(406)
  expect(await world.readList('/unknown', 'requests')).toEqual([])
})

test('each participant of a change has a code of its own', async () => {
  const { world, client } = await openWorldWithPeople()
  const jid = await createGroup(world, { admins: [GATEWAY] })
  await world.post('/phones', { number: '491700000105', groupAdd: 'contacts' })
  const readCodes = async (numbers: string[], action: 'add' | 'remove' | 'promote' | 'demote') => {
    const response = await client.socket.groupParticipantsUpdate(jid, numbers, action)
    return response.map(({ status }) => status)
  }
  const added = [toPn(CARL), toPn(BERT), MISSING, toPn('491700000105')]
  expect(await readCodes(added, 'add')).toEqual(['200', '409', '404', '403'])
  expect(await readCodes([toPn(CARL), toPn(ANNA)], 'promote')).toEqual(['200', '200'])
  expect(await readCodes([toPn(CARL)], 'demote')).toEqual(['200'])
  expect(await readCodes([toPn(CARL), toPn(CARL), toPn(ANNA)], 'remove')).toEqual(['200', '200', '406'])
  expect(await readCodes([toPn(CARL)], 'remove')).toEqual(['404'])
})

test('companions are notified of changes by others, also after being offline', async () => {
  const { world, client } = await openWorldWithPeople()
  const sibling = await world.linkClient(GATEWAY)
  const changeParticipants = (action: string, number: string) =>
    world.post(`/groups/${jid}/participants`, { action, by: ANNA, participants: [number] })
  const updates = collectEvents(client, 'group-participants.update')
  const jid = await createGroup(world)
  sibling.end()
  await changeParticipants('add', CARL)
  await changeParticipants('promote', CARL)
  await changeParticipants('remove', BERT)
  await until(() => updates.length === 3)
  expect(updates.map(({ action, participants }) => [action, participants[0]?.phoneNumber])).toEqual([
    ['add', toPn(CARL)],
    ['promote', toPn(CARL)],
    ['remove', toPn(BERT)],
  ])
  expect(updates[0]).toMatchObject({ id: jid, author: (await world.get(`/phones/${ANNA}`)).body.lid })
  sibling.connect()
  const late = collectEvents(sibling, 'group-participants.update')
  await until(() => late.length === 3)
})

test('the invite link joins the group until it is renewed; with approval it creates a request', async () => {
  const { world, client } = await openWorldWithPeople()
  const { socket } = client
  const jid = await createGroup(world, { owner: GATEWAY, participants: [ANNA] })
  const code = await socket.groupInviteCode(jid)
  expect((await socket.groupGetInviteInfo(code ?? '')).subject).toBe('Club')
  const renewed = await socket.groupRevokeInvite(jid)
  expect(renewed).not.toBe(code)
  const other = await world.linkClient(BERT)
  expect(await findRefusal(other.socket.groupAcceptInvite(code ?? ''))).toBe(410)
  expect(await other.socket.groupAcceptInvite(renewed ?? '')).toBe(jid)
  await socket.groupJoinApprovalMode(jid, 'on')
  const requests = collectEvents(client, 'group.join-request')
  expect((await world.post(`/groups/${jid}/participants`, { action: 'join', by: CARL })).status).toBe(200)
  await until(() =>
    requests.some(({ action, participantPn }) => action === 'created' && participantPn === toPn(CARL)),
  )
  const [applicant] = await socket.groupRequestParticipantsList(jid)
  expect(applicant).toMatchObject({ phone_number: toPn(CARL), request_method: 'invite_link' })
  const response = await socket.groupRequestParticipantsUpdate(
    jid,
    [applicant?.jid ?? '', toPn(ANNA)],
    'approve',
  )
  expect(response.map(({ status }) => status)).toEqual(['200', '404'])
  expect((await socket.groupMetadata(jid)).size).toBe(4)
})

test('leaving is notified and ends access to the group; the oldest member follows the founder', async () => {
  const { world, client } = await openWorldWithPeople()
  const jid = await createGroup(world, { owner: GATEWAY, participants: [ANNA, BERT] })
  const updates = collectEvents(client, 'group-participants.update')
  await client.socket.groupLeave(jid)
  await until(() => updates.some(({ action }) => action === 'remove'))
  expect(await findRefusal(client.socket.groupMetadata(jid))).toBe(403)
  expect((await world.get(`/groups/${jid}`)).body.participants).toMatchObject([
    { jid: toNeutral(ANNA), role: 'admin' },
    { jid: toNeutral(BERT), role: 'member' },
  ])
  for (const by of [ANNA, BERT]) await world.post(`/groups/${jid}/participants`, { action: 'leave', by })
  expect((await world.get(`/groups/${jid}`)).status).toBe(404)
})

test('the response to a change of members uses the addresses of the group, in either form of request', async () => {
  const { world, client } = await openWorldWithPeople()
  const { lid } = (await world.get(`/phones/${BERT}`)).body
  const byLid = await createGroup(world, { owner: GATEWAY, participants: [BERT], addressing: 'lid' })
  const [promoted] = await client.socket.groupParticipantsUpdate(byLid, [toPn(BERT)], 'promote')
  expect(promoted?.content.attrs).toEqual({ jid: lid, phone_number: toPn(BERT) })
  const byNumber = await createGroup(world, { owner: GATEWAY, participants: [BERT], addressing: 'pn' })
  const [demoted] = await client.socket.groupParticipantsUpdate(byNumber, [String(lid)], 'demote')
  expect(demoted?.content.attrs).toEqual({ jid: toPn(BERT), lid })
})

test('a group that changes its addressing sends a notice for each member', async () => {
  const { world, client } = await openWorldWithPeople()
  const jid = await createGroup(world, { addressing: 'pn' })
  const notices: BinaryNode[] = []
  client.socket.ws.on('CB:notification,type:w:gp2,modify', (node: BinaryNode) => notices.push(node))
  const { body } = await world.post(`/groups/${jid}/addressing`, { addressing: 'lid' })
  expect(body).toMatchObject({ addressing: 'lid' })
  await until(() => notices.length === 3)
  expect(notices.map(({ attrs }) => [attrs.participant, attrs.addressing_mode])).toEqual(
    [ANNA, GATEWAY, BERT].map((number) => [toPn(number), 'lid']),
  )
  const { participants } = await client.socket.groupMetadata(jid)
  expect(participants.every(({ id }) => id.endsWith('@lid'))).toBe(true)
})

test('the notice that only admins may send has a version', async () => {
  const { world, client } = await openWorldWithPeople()
  const jid = await createGroup(world)
  const versions: (string | undefined)[] = []
  for (const tag of ['announcement', 'not_announcement']) {
    client.socket.ws.on(`CB:notification,type:w:gp2,${tag}`, ({ content }: BinaryNode) => {
      if (Array.isArray(content)) versions.push(content[0]?.attrs.v_id)
    })
  }
  for (const announce of [true, false])
    await world.callControl('PATCH', `/groups/${jid}`, { by: ANNA, announce })
  await until(() => versions.length === 2)
  expect(versions.every((version) => /^\d{10,}$/.test(version ?? ''))).toBe(true)
})

test('groups outlive a restart', async () => {
  const { world } = await openWorldWithPeople()
  const jid = await createGroup(world)
  await world.restart()
  expect((await world.get(`/groups/${jid}`)).body).toMatchObject({ subject: 'Club', owner: toNeutral(ANNA) })
})
