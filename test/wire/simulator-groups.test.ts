// Groups over the simulated network: what the library asks, what the rules refuse, what members hear of.
import type { BinaryNode } from 'baileys'
import { expect, test } from 'vitest'
import { until } from '../until.ts'
import { heard, refusal } from './client.ts'
import { ANNA, BERT, CARL, GATEWAY, group, worldWithPeople } from './group-world.ts'

const NOBODY = '491700000199@s.whatsapp.net'

const pn = (number: string) => `${number}@s.whatsapp.net`
const neutral = (number: string) => `${number}@s.msgnet.net`

test.each(['lid', 'pn'] as const)(
  'a group of %s addresses is described with both of each',
  async (addressing) => {
    const { world, client } = await worldWithPeople()
    const jid = await group(world, { addressing, admins: [BERT], locked: true, announce: true })
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
      [neutral(ANNA), 'superadmin'],
      [neutral(GATEWAY), 'member'],
      [neutral(BERT), 'admin'],
    ])
    const told = described.participants.map((one) => (addressing === 'lid' ? one.id : one.lid))
    expect(told).toEqual(members.map(({ lid }) => lid))
    const numbers = described.participants.map((one) => (addressing === 'lid' ? one.phoneNumber : one.id))
    expect(numbers).toEqual([ANNA, GATEWAY, BERT].map(pn))
    expect(Object.keys(await client.socket.groupFetchAllParticipating())).toEqual([jid])
  },
)

test('a group that the library makes has its founder at the head, and names who has no account', async () => {
  const { world, client } = await worldWithPeople()
  const joined = heard(client, 'groups.upsert')
  const made = await client.socket.groupCreate('New one', [pn(ANNA), NOBODY])
  expect(made.subject).toBe('New one')
  expect(made.participants.map(({ id }) => id)).toContain(NOBODY)
  const shown = (await world.get(`/groups/${made.id}`)).body
  expect(shown).toMatchObject({
    owner: neutral(GATEWAY),
    participants: [
      { jid: neutral(GATEWAY), role: 'superadmin' },
      { jid: neutral(ANNA), role: 'member' },
    ],
    picture: null,
  })
  await until(() => joined.flat().some(({ id }) => id === made.id))
})

test('whoever is not in a group, or no admin of it, is refused with different codes', async () => {
  const { world, client } = await worldWithPeople()
  const { socket } = client
  const [mine, strange] = [await group(world, { locked: true }), await group(world, { participants: [BERT] })]
  const missing = '120363000000000000@g.us'
  expect(await refusal(socket.groupMetadata(strange))).toBe(403)
  expect(await refusal(socket.groupMetadata(missing))).toBe(404)
  expect(await refusal(socket.groupUpdateSubject(mine, 'Mine'))).toBe(401)
  expect(await refusal(socket.groupUpdateSubject(strange, 'Mine'))).toBe(403)
  expect(await refusal(socket.groupParticipantsUpdate(mine, [pn(CARL)], 'add'))).toBe(401)
  expect(await refusal(socket.groupSettingUpdate(mine, 'unlocked'))).toBe(401)
  expect(await refusal(socket.groupInviteCode(mine))).toBe(401)
  expect(await refusal(socket.groupUpdateSubject(mine, 'x'.repeat(101)))).toBe(401)
  await world.post(`/groups/${mine}/participants`, { action: 'promote', by: ANNA, participants: [GATEWAY] })
  expect(await refusal(socket.groupUpdateSubject(mine, 'x'.repeat(101)))).toBe(406)
  expect(await world.list('/unknown', 'requests')).toEqual([])
})

test('each participant of a change gets a code of his own', async () => {
  const { world, client } = await worldWithPeople()
  const jid = await group(world, { admins: [GATEWAY] })
  await world.post('/phones', { number: '491700000105', groupAdd: 'contacts' })
  const codes = async (numbers: string[], action: 'add' | 'remove' | 'promote' | 'demote') => {
    const answer = await client.socket.groupParticipantsUpdate(jid, numbers, action)
    return answer.map(({ status }) => status)
  }
  const added = [pn(CARL), pn(BERT), NOBODY, pn('491700000105')]
  expect(await codes(added, 'add')).toEqual(['200', '409', '404', '403'])
  expect(await codes([pn(CARL), pn(ANNA)], 'promote')).toEqual(['200', '200'])
  expect(await codes([pn(CARL)], 'demote')).toEqual(['200'])
  expect(await codes([pn(CARL), pn(CARL), pn(ANNA)], 'remove')).toEqual(['200', '200', '406'])
  expect(await codes([pn(CARL)], 'remove')).toEqual(['404'])
})

test('companions hear of what others do, and of all of it after having been away', async () => {
  const { world, client } = await worldWithPeople()
  const sibling = await world.linked(GATEWAY)
  const change = (action: string, number: string) =>
    world.post(`/groups/${jid}/participants`, { action, by: ANNA, participants: [number] })
  const told = heard(client, 'group-participants.update')
  const jid = await group(world)
  sibling.end()
  await change('add', CARL)
  await change('promote', CARL)
  await change('remove', BERT)
  await until(() => told.length === 3)
  expect(told.map(({ action, participants }) => [action, participants[0]?.phoneNumber])).toEqual([
    ['add', pn(CARL)],
    ['promote', pn(CARL)],
    ['remove', pn(BERT)],
  ])
  expect(told[0]).toMatchObject({ id: jid, author: (await world.get(`/phones/${ANNA}`)).body.lid })
  sibling.connect()
  const late = heard(sibling, 'group-participants.update')
  await until(() => late.length === 3)
})

test('by the invite link one joins, unless it was renewed; where admins decide, one asks', async () => {
  const { world, client } = await worldWithPeople()
  const { socket } = client
  const jid = await group(world, { owner: GATEWAY, participants: [ANNA] })
  const code = await socket.groupInviteCode(jid)
  expect((await socket.groupGetInviteInfo(code ?? '')).subject).toBe('Club')
  const renewed = await socket.groupRevokeInvite(jid)
  expect(renewed).not.toBe(code)
  const other = await world.linked(BERT)
  expect(await refusal(other.socket.groupAcceptInvite(code ?? ''))).toBe(410)
  expect(await other.socket.groupAcceptInvite(renewed ?? '')).toBe(jid)
  await socket.groupJoinApprovalMode(jid, 'on')
  const requests = heard(client, 'group.join-request')
  expect((await world.post(`/groups/${jid}/participants`, { action: 'join', by: CARL })).status).toBe(200)
  await until(() =>
    requests.some(({ action, participantPn }) => action === 'created' && participantPn === pn(CARL)),
  )
  const [asking] = await socket.groupRequestParticipantsList(jid)
  expect(asking).toMatchObject({ phone_number: pn(CARL), request_method: 'invite_link' })
  const answer = await socket.groupRequestParticipantsUpdate(jid, [asking?.jid ?? '', pn(ANNA)], 'approve')
  expect(answer.map(({ status }) => status)).toEqual(['200', '404'])
  expect((await socket.groupMetadata(jid)).size).toBe(4)
})

test('who leaves a group hears that, and asks for it in vain; the longest member follows the founder', async () => {
  const { world, client } = await worldWithPeople()
  const jid = await group(world, { owner: GATEWAY, participants: [ANNA, BERT] })
  const told = heard(client, 'group-participants.update')
  await client.socket.groupLeave(jid)
  await until(() => told.some(({ action }) => action === 'remove'))
  expect(await refusal(client.socket.groupMetadata(jid))).toBe(403)
  expect((await world.get(`/groups/${jid}`)).body.participants).toMatchObject([
    { jid: neutral(ANNA), role: 'admin' },
    { jid: neutral(BERT), role: 'member' },
  ])
  for (const by of [ANNA, BERT]) await world.post(`/groups/${jid}/participants`, { action: 'leave', by })
  expect((await world.get(`/groups/${jid}`)).status).toBe(404)
})

test('a change of members is answered under the addresses of the group, whichever were asked for', async () => {
  const { world, client } = await worldWithPeople()
  const { lid } = (await world.get(`/phones/${BERT}`)).body
  const byLid = await group(world, { owner: GATEWAY, participants: [BERT], addressing: 'lid' })
  const [promoted] = await client.socket.groupParticipantsUpdate(byLid, [pn(BERT)], 'promote')
  expect(promoted?.content.attrs).toEqual({ jid: lid, phone_number: pn(BERT) })
  const byNumber = await group(world, { owner: GATEWAY, participants: [BERT], addressing: 'pn' })
  const [demoted] = await client.socket.groupParticipantsUpdate(byNumber, [String(lid)], 'demote')
  expect(demoted?.content.attrs).toEqual({ jid: pn(BERT), lid })
})

test('a group that changes its addressing is described anew, each member in a notice of its own', async () => {
  const { world, client } = await worldWithPeople()
  const jid = await group(world, { addressing: 'pn' })
  const notices: BinaryNode[] = []
  client.socket.ws.on('CB:notification,type:w:gp2,modify', (node: BinaryNode) => notices.push(node))
  const { body } = await world.post(`/groups/${jid}/addressing`, { addressing: 'lid' })
  expect(body).toMatchObject({ addressing: 'lid' })
  await until(() => notices.length === 3)
  expect(notices.map(({ attrs }) => [attrs.participant, attrs.addressing_mode])).toEqual(
    [ANNA, GATEWAY, BERT].map((number) => [pn(number), 'lid']),
  )
  const { participants } = await client.socket.groupMetadata(jid)
  expect(participants.every(({ id }) => id.endsWith('@lid'))).toBe(true)
})

test('a notice that only admins write has a version', async () => {
  const { world, client } = await worldWithPeople()
  const jid = await group(world)
  const versions: (string | undefined)[] = []
  for (const tag of ['announcement', 'not_announcement']) {
    client.socket.ws.on(`CB:notification,type:w:gp2,${tag}`, ({ content }: BinaryNode) => {
      if (Array.isArray(content)) versions.push(content[0]?.attrs.v_id)
    })
  }
  for (const announce of [true, false]) await world.call('PATCH', `/groups/${jid}`, { by: ANNA, announce })
  await until(() => versions.length === 2)
  expect(versions.every((version) => /^\d{10,}$/.test(version ?? ''))).toBe(true)
})

test('groups outlive a restart', async () => {
  const { world } = await worldWithPeople()
  const jid = await group(world)
  await world.restart()
  expect((await world.get(`/groups/${jid}`)).body).toMatchObject({ subject: 'Club', owner: neutral(ANNA) })
})
