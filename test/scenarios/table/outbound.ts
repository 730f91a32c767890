// Scenarios of writing: each kind of message as the other person's phone decrypts and shows it, and what comes of it.

import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import type { Content, Target } from '../client.ts'
import type { Shown } from '../network.ts'
import { createScenarios, type Scene } from '../scenario.ts'
import { PIXEL } from './pixel.ts'

const hashSha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

async function sendContent({ client, friend }: Scene, content: Content): Promise<Target> {
  const { outcome, ...sent } = await client.send(friend, content)
  expect(outcome).toEqual({ kind: 'done' })
  return sent
}

/** Sends it, and expects the friend's phone to show it so. */
async function expectShown(scene: Scene, content: Content, like: Partial<Shown>) {
  const sent = await sendContent(scene, content)
  expect(await scene.network.waitForMessage(scene.friend, sent.id)).toMatchObject(like)
}

async function receiveFromFriend({ network, client, friend, number, until }: Scene): Promise<Target> {
  const id = await network.writeMessage(friend, number, { text: 'a question' })
  return until(() => client.received.find((one) => one.id === id))
}

const waitForProgress = ({ client, until }: Scene, id: string, expected: string) =>
  until(() => client.receipts.some((one) => one.id === id && one.progress === expected))

const VCARD = 'BEGIN:VCARD\nVERSION:3.0\nFN:Anna\nTEL:+4930123456\nEND:VCARD'
const DOCUMENT = Buffer.from('%PDF-1.7 a document')

export const outbound = createScenarios('messages out', {
  'a text is sent': (scene) => expectShown(scene, { text: 'hello' }, { type: 'text', text: 'hello' }),
  'a text with line breaks and signs of all kinds is sent': (scene) => {
    const text = 'ä\n漢字 🇧🇷 👩‍👩‍👧 ‏שלום'
    return expectShown(scene, { text }, { type: 'text', text })
  },
  'a text quotes another': async (scene) => {
    const quoted = await receiveFromFriend(scene)
    await expectShown(scene, { text: 'an answer', quoted }, { text: 'an answer', quoted: quoted.id })
  },
  'an image is sent': (scene) =>
    expectShown(
      scene,
      { file: PIXEL, as: 'image', caption: 'one pixel' },
      { type: 'image', caption: 'one pixel', mediaSha256: hashSha256(PIXEL) },
    ),
  'a video is sent': (scene) =>
    expectShown(scene, { file: DOCUMENT, as: 'video' }, { type: 'video', mediaSha256: hashSha256(DOCUMENT) }),
  'an audio file is sent': (scene) =>
    expectShown(scene, { file: DOCUMENT, as: 'audio' }, { type: 'audio', mediaSha256: hashSha256(DOCUMENT) }),
  'a document is sent': (scene) =>
    expectShown(
      scene,
      { file: DOCUMENT, as: 'document' },
      { type: 'document', mediaSha256: hashSha256(DOCUMENT) },
    ),
  'a file of a megabyte is sent': (scene) => {
    const file = Buffer.alloc(1_000_003, 'large')
    return expectShown(scene, { file, as: 'document' }, { type: 'document', mediaSha256: hashSha256(file) })
  },
  'a sticker is sent': (scene) =>
    expectShown(scene, { file: PIXEL, as: 'sticker' }, { type: 'sticker', mediaSha256: hashSha256(PIXEL) }),
  'a location is sent': (scene) =>
    expectShown(
      scene,
      { place: { latitude: 52.5, longitude: 13.4, name: 'Berlin' } },
      { type: 'location', text: 'Berlin' },
    ),
  'a contact is sent': (scene) =>
    expectShown(scene, { card: { name: 'Anna', vcard: VCARD } }, { type: 'contact', text: 'Anna' }),
  'a reaction is sent': async (scene) => {
    const to = await receiveFromFriend(scene)
    await expectShown(scene, { reaction: '👍', to }, { type: 'reaction', text: '👍', target: to.id })
  },
  'a reaction is removed': async (scene) => {
    const to = await receiveFromFriend(scene)
    await sendContent(scene, { reaction: '👍', to })
    await expectShown(scene, { reaction: '', to }, { type: 'reaction', text: '', target: to.id })
  },
  'an edit is sent': async (scene) => {
    const of = await sendContent(scene, { text: 'helo' })
    await expectShown(scene, { edit: 'hello', of }, { type: 'edit', text: 'hello', target: of.id })
  },
  'a message is deleted for everyone': async (scene) => {
    const revoke = await sendContent(scene, { text: 'a mistake' })
    await expectShown(scene, { revoke }, { type: 'revoke', target: revoke.id })
  },
  'a poll is sent, and a vote in it is read': async (scene) => {
    const { client, network, friend, until } = scene
    const poll = await sendContent(scene, { poll: { name: 'When?', choices: ['today', 'tomorrow'] } })
    expect(await network.waitForMessage(friend, poll.id)).toMatchObject({ type: 'poll', text: 'When?' })
    const id = await network.castVote(poll.id, friend, ['tomorrow'])
    const vote = await until(() => client.received.find((one) => one.id === id))
    expect(vote).toMatchObject({ type: 'vote', target: poll.id })
    expect(await vote.listChoices()).toEqual(['tomorrow'])
  },
  'a message is delivered, read and played': async (scene) => {
    const { network, friend } = scene
    const sent = await sendContent(scene, { file: DOCUMENT, as: 'audio' })
    await waitForProgress(scene, sent.id, 'delivered')
    await network.sendReceipt(sent.id, friend, 'read')
    await waitForProgress(scene, sent.id, 'read')
    await network.sendReceipt(sent.id, friend, 'played')
    await waitForProgress(scene, sent.id, 'played')
  },
  'many messages are sent at once': async (scene) => {
    const { client, network, friend } = scene
    const texts = Array.from({ length: 20 }, (_, count) => `burst ${count}`)
    const sent = await Promise.all(texts.map((text) => client.send(friend, { text })))
    expect(sent.map(({ outcome }) => outcome.kind)).toEqual(texts.map(() => 'done'))
    const ids = new Set(sent.map(({ id }) => id))
    const shown = (await network.readInbox(friend)).filter(({ id }) => ids.has(id))
    expect(shown.map(({ text }) => text).sort()).toEqual([...texts].sort())
  },
  'a number is looked up': async ({ client, friend }) => {
    expect(await client.isOnNetwork(friend)).toBe(true)
    expect(await client.isOnNetwork('491799999999')).toBe(false)
  },
  'typing and recording are shown': async ({ client, network, number, friend, until }) => {
    for (const state of ['composing', 'recording', 'paused'] as const) await client.showTyping(friend, state)
    const listChatStates = async () =>
      (await network.readLog(number)).filter(({ what }) => what === 'chatstate').map(({ state }) => state)
    await until(async () => (await listChatStates()).length >= 3)
    expect((await listChatStates()).slice(-3)).toEqual(['composing', 'recording', 'paused'])
  },
  'presence is shown and withdrawn': async ({ client, network, number, until }) => {
    await client.showPresence(true)
    await until(async () => (await network.readProfile(number)).available)
    await client.showPresence(false)
    await until(async () => !(await network.readProfile(number)).available)
  },
})
