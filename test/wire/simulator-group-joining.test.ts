// Joining groups by their invitations and leaving them: what the rules refuse, with which codes.
import type { BaileysEventMap } from 'baileys'
import { expect, test } from 'vitest'
import { until } from '../until.ts'
import { findRefusal } from './client.ts'
import { World } from './simulator-world.ts'

const GATEWAY = '491700000181'
const ANNA = '491700000182'
const BERT = '491700000183'
const NO_GROUP = '120363000000000000@g.us'

async function openWorldWithPeople() {
  const world = await World.openWorld()
  const client = await world.linkClient(GATEWAY)
  for (const number of [ANNA, BERT]) await world.post('/phones', { number, name: number })
  return { world, client }
}

async function createGroup(world: World, body: object = {}): Promise<string> {
  return String((await world.post('/groups', { subject: 'Club', owner: ANNA, ...body })).body.jid)
}

const readGroup = async (world: World, jid: string) => (await world.get(`/groups/${jid}`)).body
test('an invitation shows the group before joining, and the members are notified of the new one', async () => {
  const { world, client } = await openWorldWithPeople()
  const sibling = await world.linkClient(GATEWAY)
  const received: BaileysEventMap['groups.upsert'] = []
  sibling.socket.ev.on('groups.upsert', (groups) => received.push(...groups))
  const jid = await createGroup(world)
  await world.callControl('PATCH', `/groups/${jid}`, { by: ANNA, description: 'All of us' })
  const invite = String((await readGroup(world, jid)).invite)
  const info = await client.socket.groupGetInviteInfo(invite)
  expect(info).toMatchObject({ id: jid, subject: 'Club', desc: 'All of us', size: 1 })
  expect(await client.socket.groupAcceptInvite(invite)).toBe(jid)
  expect((await client.socket.groupMetadata(jid)).size).toBe(2)
  await until(() => received.some(({ id }) => id === jid))
  expect(await findRefusal(client.socket.groupAcceptInvite(invite))).toBe(409)
  expect(await world.readList('/unknown', 'requests')).toEqual([])
})

test('an unknown, malformed or revoked invite code is refused', async () => {
  const { world, client } = await openWorldWithPeople()
  const { socket } = client
  const jid = await createGroup(world)
  const invite = String((await readGroup(world, jid)).invite)
  for (const query of [socket.groupGetInviteInfo, socket.groupAcceptInvite]) {
    expect(await findRefusal(query('AAAAAAAAAAAAAAAAAAAAAA'))).toBe(410)
    expect(await findRefusal(query('not a code'))).toBe(406)
  }
  expect(await findRefusal(socket.groupRevokeInvite(jid))).toBe(403)
  await socket.groupAcceptInvite(invite)
  expect(await findRefusal(socket.groupRevokeInvite(jid))).toBe(401)
  await world.post(`/groups/${jid}/participants`, { action: 'promote', by: ANNA, participants: [GATEWAY] })
  const renewed = await socket.groupRevokeInvite(jid)
  expect(renewed).toBe((await readGroup(world, jid)).invite)
  expect(await findRefusal(socket.groupGetInviteInfo(invite))).toBe(410)
  expect((await socket.groupGetInviteInfo(renewed ?? '')).id).toBe(jid)
})

test('a full group refuses new members', async () => {
  const { world, client } = await openWorldWithPeople()
  const jid = await createGroup(world, { participants: [BERT], most: 2 })
  const invite = String((await readGroup(world, jid)).invite)
  expect(await findRefusal(client.socket.groupAcceptInvite(invite))).toBe(419)
  await world.post(`/groups/${jid}/participants`, { action: 'leave', by: BERT })
  expect(await client.socket.groupAcceptInvite(invite)).toBe(jid)
})

test('leaving a group you are not in is refused', async () => {
  const { world, client } = await openWorldWithPeople()
  const jid = await createGroup(world)
  const leaveGroup = async (id: string) => {
    const response = await client.socket.query({
      tag: 'iq',
      attrs: { to: '@g.us', type: 'set', xmlns: 'w:g2' },
      content: [{ tag: 'leave', attrs: {}, content: [{ tag: 'group', attrs: { id } }] }],
    })
    return JSON.stringify(response)
  }
  expect(await leaveGroup(jid)).toContain('"error":"404"')
  expect(await leaveGroup(NO_GROUP)).toContain('"error":"404"')
  await client.socket.groupAcceptInvite(String((await readGroup(world, jid)).invite))
  expect(await leaveGroup(jid)).not.toContain('error')
  expect((await readGroup(world, jid)).participants).toHaveLength(1)
})

test('changing description or settings without the right is refused, and so is overwriting a newer description', async () => {
  const { world, client } = await openWorldWithPeople()
  const { socket } = client
  const jid = await createGroup(world, { participants: [GATEWAY] })
  const strange = await createGroup(world)
  const changeGroup = (to: string, tag: string, attrs: Record<string, string> = {}, body?: string) =>
    socket.query({
      tag: 'iq',
      attrs: { to, type: 'set', xmlns: 'w:g2' },
      content: [
        {
          tag,
          attrs,
          ...(body !== undefined && { content: [{ tag: 'body', attrs: {}, content: Buffer.from(body) }] }),
        },
      ],
    })
  for (const tag of ['announcement', 'not_announcement', 'locked', 'unlocked']) {
    expect(await findRefusal(changeGroup(jid, tag))).toBe(401)
    expect(await findRefusal(changeGroup(strange, tag))).toBe(403)
    expect(await findRefusal(changeGroup(NO_GROUP, tag))).toBe(404)
  }
  await changeGroup(jid, 'description', { id: 'D1' }, 'first')
  expect(await findRefusal(changeGroup(jid, 'description', { id: 'D2' }, 'second'))).toBe(409)
  expect(await findRefusal(changeGroup(jid, 'description', { id: 'D2', prev: 'D0' }, 'second'))).toBe(409)
  expect(
    await findRefusal(changeGroup(jid, 'description', { id: 'D2', prev: 'D1' }, 'x'.repeat(2_049))),
  ).toBe(406)
  await changeGroup(jid, 'description', { id: 'D2', prev: 'D1' }, 'x'.repeat(2_048))
  expect(await findRefusal(changeGroup(strange, 'description', { id: 'D2' }, 'second'))).toBe(403)
  await world.callControl('PATCH', `/groups/${jid}`, { by: ANNA, locked: true })
  expect(await findRefusal(changeGroup(jid, 'description', { id: 'D3', prev: 'D2' }, 'third'))).toBe(401)
})
