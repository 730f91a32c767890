// Scenarios of the settings that an account's devices share: changed by the driver, and reported to it.

import { expect } from 'vitest'
import type { Setting, Target } from '../client.ts'
import type { PhoneSettings } from '../network.ts'
import { createScenarios, type Scene } from '../scenario.ts'

/** Sets it, and waits until the account's phone reads it. */
async function expectSet(
  { client, network, number, until }: Scene,
  setting: Setting,
  shown: (settings: PhoneSettings) => boolean,
  newest?: Target,
) {
  await client.changeSetting(setting, newest)
  await until(async () => shown(await network.readSettings(number)))
}

const findChat = ({ chats }: PhoneSettings, number: string) =>
  chats.find(({ chat }) => chat.startsWith(`${number}@`))

async function receiveFromFriend({ network, client, friend, number, until }: Scene): Promise<Target> {
  const id = await network.writeMessage(friend, number, { text: 'a message' })
  return until(() => client.received.find((one) => one.id === id))
}

/** The phone changes it, and the driver is expected to report it. */
async function expectReported({ client, network, number, until }: Scene, change: object, setting: Setting) {
  await network.changeSettings(number, change)
  await until(() => client.settings.some((one) => JSON.stringify(one) === JSON.stringify(setting)))
}

export const settings = createScenarios('settings', {
  'a chat is archived': async (scene) => {
    const { friend } = scene
    const newest = await receiveFromFriend(scene)
    const setting = { what: 'archive', of: friend, value: true } as const
    await expectSet(scene, setting, (all) => findChat(all, friend)?.archived === true, newest)
  },
  'a chat is pinned and unpinned': async (scene) => {
    const { friend } = scene
    for (const value of [true, false]) {
      const setting = { what: 'pin', of: friend, value } as const
      await expectSet(scene, setting, (all) => findChat(all, friend)?.pinned === value)
    }
  },
  'a chat is muted': (scene) =>
    expectSet(
      scene,
      { what: 'mute', of: scene.friend, value: true },
      (all) => findChat(all, scene.friend)?.mutedUntil === -1,
    ),
  'a chat is marked as read for all devices': async (scene) => {
    const { friend } = scene
    const newest = await receiveFromFriend(scene)
    const setting = { what: 'read', of: friend, value: true } as const
    await expectSet(scene, setting, (all) => findChat(all, friend)?.read === true, newest)
  },
  'a message is starred': async (scene) => {
    const { friend } = scene
    const newest = await receiveFromFriend(scene)
    const setting = { what: 'star', of: friend, value: true } as const
    const isStarred = (all: PhoneSettings) => findChat(all, friend)?.starred?.includes(newest.id) === true
    await expectSet(scene, setting, isStarred, newest)
  },
  'a contact is added': (scene) =>
    expectSet(scene, { what: 'contact', of: scene.friend, value: 'Anna B' }, ({ contacts }) =>
      contacts.some(({ jid, name }) => jid.startsWith(scene.friend) && name === 'Anna B'),
    ),
  'a label is created and put on a chat': async (scene) => {
    const { friend } = scene
    await expectSet(scene, { what: 'label', of: '11', value: 'Customers' }, ({ labels }) =>
      labels.some(({ labelid, name }) => labelid === '11' && name === 'Customers'),
    )
    await expectSet(scene, { what: 'label_chat', of: friend, value: '11' }, ({ labels }) =>
      labels.some(({ labelid, chats }) => labelid === '11' && chats.some((chat) => chat.startsWith(friend))),
    )
  },
  'a person is blocked': async ({ client, network, number, nextNumber }) => {
    const stranger = nextNumber()
    await network.createPhone(stranger)
    await client.isOnNetwork(stranger)
    await client.blockNumber(stranger)
    expect((await network.readProfile(number)).blocked).toEqual([`${stranger}@s.msgnet.net`])
  },
  "the account's own name is changed": async ({ client, network, number, until }) => {
    await client.setName('A new name')
    await until(async () => (await network.readSettings(number)).name === 'A new name')
  },
  'archiving, pinning and muting on the phone are reported': async (scene) => {
    const { other } = scene
    const of = other
    await expectReported(
      scene,
      { action: 'archive', chat: of, archived: true },
      { what: 'archive', of, value: true },
    )
    await expectReported(scene, { action: 'pin', chat: of, pinned: true }, { what: 'pin', of, value: true })
    await expectReported(scene, { action: 'mute', chat: of, until: -1 }, { what: 'mute', of, value: true })
    await expectReported(scene, { action: 'mute', chat: of, until: null }, { what: 'mute', of, value: false })
  },
  'a contact that the phone adds is reported': (scene) => {
    const { other } = scene
    const change = { action: 'contact', chat: other, name: 'Bert C' }
    return expectReported(scene, change, { what: 'contact', of: other, value: 'Bert C' })
  },
  'a label of the phone and its use are reported': async (scene) => {
    const { other } = scene
    const label = { action: 'label', labelid: '12', name: 'Friends' }
    await expectReported(scene, label, { what: 'label', of: '12', value: 'Friends' })
    const use = { action: 'label_chat', labelid: '12', chat: other, labeled: true }
    await expectReported(scene, use, { what: 'label_chat', of: other, value: '12' })
  },
})
