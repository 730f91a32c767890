// Scenarios of groups: they are made and changed from both sides, and written in both ways, under numbers and under LIDs.

import { expect } from 'vitest'
import { createScenarios, type Scene } from '../scenario.ts'

const FORMS = ['pn', 'lid'] as const

/** The friend's group, with the account and the other in it. */
async function createGroup({ network, client, friend, other, number, until }: Scene, more: object = {}) {
  const jid = await network.createGroup(friend, [number, other], more)
  await until(() => client.groups.includes(jid))
  return jid
}

const waitForChange = ({ client, until }: Scene, group: string, change: string) =>
  until(() => client.groupChanges.some((one) => one.group === group && one.change === change))

/** A group of the account's own, with the friend in it. */
const createOwnGroup = ({ client, friend }: Scene) => client.createGroup('Ours', [friend])

export const groups = createScenarios('groups', {
  'a group is created': async (scene) => {
    const jid = await createOwnGroup(scene)
    const { subject, roles } = await scene.network.readGroup(jid)
    expect(subject).toBe('Ours')
    expect([...roles].sort()).toEqual(
      [
        [scene.number, 'superadmin'],
        [scene.friend, 'member'],
      ].sort(),
    )
  },
  'members are added and removed': async (scene) => {
    const { client, network, other } = scene
    const jid = await createOwnGroup(scene)
    await client.changeMembers(jid, 'add', [other])
    expect((await network.readGroup(jid)).roles.get(other)).toBe('member')
    await client.changeMembers(jid, 'remove', [other])
    expect((await network.readGroup(jid)).roles.has(other)).toBe(false)
  },
  'members are promoted and demoted': async (scene) => {
    const { client, network, friend } = scene
    const jid = await createOwnGroup(scene)
    await client.changeMembers(jid, 'promote', [friend])
    expect((await network.readGroup(jid)).roles.get(friend)).toBe('admin')
    await client.changeMembers(jid, 'demote', [friend])
    expect((await network.readGroup(jid)).roles.get(friend)).toBe('member')
  },
  'subject, description and rules are changed': async (scene) => {
    const { client, network } = scene
    const jid = await createOwnGroup(scene)
    expect(await client.renameGroup(jid, 'Renamed')).toEqual({ kind: 'done' })
    expect(await client.describeGroup(jid, 'what it is for')).toEqual({ kind: 'done' })
    expect(await client.restrictGroup(jid, 'announce')).toEqual({ kind: 'done' })
    expect(await client.restrictGroup(jid, 'lock')).toEqual({ kind: 'done' })
    const changed = { subject: 'Renamed', description: 'what it is for', announce: true, locked: true }
    expect(await network.readGroup(jid)).toMatchObject(changed)
  },
  'a member may not change what only admins may change': async (scene) => {
    const jid = await createGroup(scene, { locked: true })
    expect(await scene.client.renameGroup(jid, 'Mine')).toMatchObject({ kind: 'refused' })
  },
  'the members of a group are listed by number': async (scene) => {
    const { client, number, friend, other } = scene
    const jid = await createGroup(scene)
    const listed = (await client.listMembers(jid)).map(({ number, role }) => `${number} ${role}`)
    const expected = [`${friend} superadmin`, `${number} member`, `${other} member`]
    expect(listed.sort()).toEqual(expected.sort())
  },
  'a group is joined by its invitation, and left': async (scene) => {
    const { client, network, friend, other, number } = scene
    const jid = await network.createGroup(friend, [other])
    expect(await client.joinGroup((await network.readGroup(jid)).invite)).toBe(jid)
    expect((await network.readGroup(jid)).roles.has(number)).toBe(true)
    expect(await client.leaveGroup(jid)).toEqual({ kind: 'done' })
    expect((await network.readGroup(jid)).roles.has(number)).toBe(false)
  },
  'an admin reads the invitation': async (scene) => {
    const jid = await createOwnGroup(scene)
    expect(await scene.client.readInviteCode(jid)).toBe((await scene.network.readGroup(jid)).invite)
  },
  'a new subject and rule by others are reported': async (scene) => {
    const jid = await createGroup(scene)
    await scene.network.changeGroup(jid, scene.friend, { subject: 'Theirs' })
    await waitForChange(scene, jid, 'subject Theirs')
    await scene.network.changeGroup(jid, scene.friend, { announce: true })
    await waitForChange(scene, jid, 'announce true')
  },
  'all changes of a group while the device was away are reported': async (scene) => {
    const { client, network, friend, number, until } = scene
    const jid = await createGroup(scene)
    await client.leave()
    await until(async () => (await network.listCompanions(number)).every(({ online }) => !online))
    await network.changeGroup(jid, friend, { subject: 'Meanwhile', announce: true, locked: true })
    await client.login()
    for (const change of ['subject Meanwhile', 'announce true', 'locked true'])
      await waitForChange(scene, jid, change)
  },
  ...Object.fromEntries(
    FORMS.flatMap((addressing) => [
      [
        `members that others add, promote and remove are reported, by ${addressing}`,
        async (scene: Scene) => {
          const { network, friend, other, number, until } = scene
          const jid = await network.createGroup(friend, [number], { addressing })
          await until(() => scene.client.groups.includes(jid))
          for (const action of ['add', 'promote', 'remove']) {
            await network.changeMembers(jid, friend, action, [other])
            await waitForChange(scene, jid, `${action} ${other}`)
          }
        },
      ],
      [
        `a message is sent to a group, by ${addressing}`,
        async (scene: Scene) => {
          const { client, network, friend, other } = scene
          const jid = await createGroup(scene, { addressing })
          for (const text of ['first', 'second']) {
            const sent = await client.send(jid, { text })
            expect(sent.outcome).toEqual({ kind: 'done' })
            for (const phone of [friend, other]) {
              expect(await network.waitForMessage(phone, sent.id)).toMatchObject({ text, chat: jid })
            }
          }
        },
      ],
      [
        `a message in a group is received, by ${addressing}`,
        async (scene: Scene) => {
          const { client, network, friend, other, until } = scene
          const jid = await createGroup(scene, { addressing })
          for (const sender of [friend, other]) {
            const id = await network.writeMessage(sender, jid, { text: `from ${sender}` })
            const one = await until(() =>
              client.received.find((message) => message.id === id && message.type !== 'undecryptable'),
            )
            expect(one).toMatchObject({ chat: jid, sender, text: `from ${sender}` })
          }
        },
      ],
    ]),
  ),
  ...Object.fromEntries(
    FORMS.map((addressing) => [
      `a member with a new phone reads the next message, by ${addressing}`,
      async (scene: Scene) => {
        const { client, network, friend, number, nextNumber, until } = scene
        const member = nextNumber()
        await network.createPhone(member)
        const jid = await network.createGroup(friend, [number, member], { addressing })
        await until(() => client.groups.includes(jid))
        const before = await client.send(jid, { text: 'to the old phone' })
        await network.waitForMessage(member, before.id)
        await network.reinstallPhone(member, { retries: false })
        const id = await network.writeMessage(friend, jid, { text: 'after the notice' })
        await until(() => client.received.find((message) => message.id === id))
        const after = await client.send(jid, { text: 'to the new phone' })
        expect(after.outcome).toEqual({ kind: 'done' })
        await network.waitForMessage(friend, after.id)
        expect(await network.waitForMessage(member, after.id)).toMatchObject({ text: 'to the new phone' })
      },
    ]),
  ),
  'a reaction in a group names its message and its author': async (scene) => {
    const { client, network, friend, other, until } = scene
    const jid = await createGroup(scene)
    const id = await network.writeMessage(other, jid, { text: 'a proposal' })
    const to = await until(() => client.received.find((one) => one.id === id))
    const sent = await client.send(jid, { reaction: '👍', to })
    expect(await network.waitForMessage(friend, sent.id)).toMatchObject({ type: 'reaction', target: id })
  },
  'the author of a group message is notified that it was read': async (scene) => {
    const { client, network, other, number, until } = scene
    const jid = await createGroup(scene)
    const id = await network.writeMessage(other, jid, { text: 'read me' })
    const one = await until(() => client.received.find((message) => message.id === id))
    expect(await client.markRead(one)).toEqual({ kind: 'done' })
    await until(async () =>
      (await network.listReceipts(number)).find(({ ids, type }) => type === 'read' && ids.includes(id)),
    )
  },
})
