// The subject, description and settings of a group, over the simulated network.
import { expect, test } from 'vitest'
import { until } from '../until.ts'
import type { Client } from './client.ts'
import { ANNA, BERT, CARL, createGroup, GATEWAY, openWorldWithPeople } from './group-world.ts'

/**
 * The notices of a group, as the messages that the library makes of them. Of updates that come together
 * its `groups.update` names only the first.
 */
function waitForStubs(client: Client, jid: string, count: number) {
  return until(() => {
    const all = client.messages.filter(({ key, messageStubType }) => key.remoteJid === jid && messageStubType)
    return all.length === count && all.map(({ messageStubParameters }) => messageStubParameters?.[0])
  })
}

test('subject, description and settings change for all', async () => {
  const { world, client } = await openWorldWithPeople()
  const { socket } = client
  const jid = await createGroup(world, { admins: [GATEWAY] })
  await socket.groupUpdateSubject(jid, 'Änderung')
  await socket.groupUpdateDescription(jid, 'What we are for')
  await socket.groupUpdateDescription(jid, 'What we are really for')
  await socket.groupSettingUpdate(jid, 'announcement')
  await socket.groupSettingUpdate(jid, 'locked')
  await socket.groupMemberAddMode(jid, 'all_member_add')
  await socket.groupToggleEphemeral(jid, 86_400)
  expect(await socket.groupMetadata(jid)).toMatchObject({
    subject: 'Änderung',
    desc: 'What we are really for',
    announce: true,
    restrict: true,
    memberAddMode: true,
    ephemeralDuration: 86_400,
  })
  expect(await waitForStubs(client, jid, 7)).toEqual([
    'Club',
    'Änderung',
    'What we are for',
    'What we are really for',
    'on',
    'on',
    'all_member_add',
  ])
  await socket.groupUpdateDescription(jid)
  expect((await socket.groupMetadata(jid)).desc).toBeUndefined()
})

test('changes by phones of others are notified, and refused where the rules forbid them', async () => {
  const { world, client } = await openWorldWithPeople()
  const jid = await createGroup(world, { locked: true })
  const changeGroup = (body: object) => world.callControl('PATCH', `/groups/${jid}`, body)
  expect((await changeGroup({ by: BERT, subject: 'Ours' })).status).toBe(401)
  expect((await changeGroup({ by: CARL, subject: 'Ours' })).status).toBe(403)
  expect((await changeGroup({ by: ANNA, picture: 'aGVsbG8=' })).status).toBe(406)
  const altered = await changeGroup({
    by: ANNA,
    subject: 'Ours',
    description: 'All of us',
    announce: true,
    locked: false,
  })
  expect(altered.body).toMatchObject({
    subject: 'Ours',
    description: 'All of us',
    announce: true,
    locked: false,
  })
  expect(await waitForStubs(client, jid, 5)).toEqual(['Club', 'Ours', 'All of us', 'off', 'on'])
  expect((await changeGroup({ by: ANNA, description: '' })).body.description).toBe('')
})
