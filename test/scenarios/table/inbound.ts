// Scenarios of hearing: each kind of message from another person's phone, under both of that person's ids.

import { expect } from 'vitest'
import type { ReceivedMessage } from '../client.ts'
import { createScenarios, type Scene } from '../scenario.ts'
import { PIXEL } from './pixel.ts'

const waitForHeard = ({ client, until }: Scene, id: string): Promise<ReceivedMessage> =>
  until(() => client.received.find((one) => one.id === id && one.type !== 'undecryptable'))

/** The friend writes it, and the driver is expected to hear it so. */
async function expectReceived(
  scene: Scene,
  content: object,
  like: Partial<ReceivedMessage>,
): Promise<ReceivedMessage> {
  const { network, friend, number } = scene
  const one = await waitForHeard(scene, await network.writeMessage(friend, number, content))
  expect(one).toMatchObject({ chat: friend, sender: friend, ...like })
  return one
}

const FILE = Buffer.concat([PIXEL, Buffer.alloc(50_000, 'a file')])

async function expectFile(scene: Scene, kind: string, caption?: string) {
  const content = { [kind]: FILE.toString('base64'), ...(caption !== undefined && { caption }) }
  const one = await expectReceived(scene, content, { type: kind })
  expect((await one.downloadFile()).equals(FILE)).toBe(true)
}

export const inbound = createScenarios('messages in', {
  'a text is received': async (scene) =>
    void (await expectReceived(scene, { text: 'hi' }, { type: 'text', text: 'hi' })),
  'a text from a LID is received under the number': async (scene) =>
    void (await expectReceived(scene, { text: 'by lid', addressing: 'lid' }, { text: 'by lid' })),
  'an image is received and downloaded': (scene) => expectFile(scene, 'image', 'look'),
  'a video is received and downloaded': (scene) => expectFile(scene, 'video'),
  'an audio file is received and downloaded': (scene) => expectFile(scene, 'audio'),
  'a document is received and downloaded': (scene) => expectFile(scene, 'document'),
  'a sticker is received and downloaded': (scene) => expectFile(scene, 'sticker'),
  'a location is received': async (scene) => {
    const location = { latitude: 52.5, longitude: 13.4, name: 'Berlin' }
    await expectReceived(scene, { location }, { type: 'location' })
  },
  'a contact is received': async (scene) => {
    const contact = { displayName: 'Anna', vcard: 'BEGIN:VCARD\nVERSION:3.0\nFN:Anna\nEND:VCARD' }
    await expectReceived(scene, { contact }, { type: 'contact' })
  },
  'a poll is received': async (scene) =>
    void (await expectReceived(
      scene,
      { poll: { name: 'When?', choices: ['today', 'tomorrow'] } },
      { type: 'poll', text: 'When?' },
    )),
  'a reaction, an edit and a deletion name their message': async (scene) => {
    const { network, friend, number } = scene
    const id = await network.writeMessage(friend, number, { text: 'helo' })
    const reaction = await waitForHeard(scene, await network.changeMessage(id, 'react', friend, '👍'))
    expect(reaction).toMatchObject({ type: 'reaction', text: '👍', target: id })
    const edit = await waitForHeard(scene, await network.changeMessage(id, 'edit', friend, 'hello'))
    expect(edit).toMatchObject({ type: 'edit', text: 'hello', target: id })
    const plain = await network.changeMessage(id, 'edit', friend, 'hello!', { form: 'plain' })
    expect(await waitForHeard(scene, plain)).toMatchObject({ type: 'edit', text: 'hello!', target: id })
    const revoke = await waitForHeard(scene, await network.changeMessage(id, 'revoke', friend))
    expect(revoke).toMatchObject({ type: 'revoke', target: id })
  },
  'a reaction to a message of our own names it': async (scene) => {
    const { network, client, friend } = scene
    const sent = await client.send(friend, { text: 'do you like it?' })
    await network.waitForMessage(friend, sent.id)
    const reaction = await waitForHeard(scene, await network.changeMessage(sent.id, 'react', friend, '🎉'))
    expect(reaction).toMatchObject({ type: 'reaction', text: '🎉', target: sent.id })
  },
  'a hundred texts are received, each once and in order': async (scene) => {
    const { network, client, friend, number, until } = scene
    const { ids } = await network.writeBurst(friend, number, 100)
    await until(() => ids.every((id) => client.received.some((one) => one.id === id)))
    expect(client.received.map(({ id }) => id).filter((id) => ids.includes(id))).toEqual(ids)
  },
  'messages sent while the device was away are received once': async (scene) => {
    const { network, client, friend, number, until } = scene
    await client.leave()
    await until(async () => (await network.listCompanions(number)).every(({ online }) => !online))
    const { ids } = await network.writeBurst(friend, number, 30)
    await client.login()
    await until(() => ids.every((id) => client.received.some((one) => one.id === id)))
    expect(client.received.map(({ id }) => id).filter((id) => ids.includes(id))).toEqual(ids)
  },
  'the sender is notified that a message was delivered and read': async (scene) => {
    const { network, client, friend, number, until } = scene
    const one = await waitForHeard(scene, await network.writeMessage(friend, number, { text: 'read me' }))
    expect(await client.markRead(one)).toEqual({ kind: 'done' })
    const findReadReceipt = async () =>
      (await network.listReceipts(number)).find(({ ids, type }) => type === 'read' && ids.includes(one.id))
    await until(findReadReceipt)
  },
  'a message that cannot be decrypted is requested again and received': async (scene) => {
    const { network, client, friend, number, until } = scene
    await network.fault({ kind: 'garble', number, count: 1 })
    const id = await network.writeMessage(friend, number, { text: 'garbled' })
    await until(() => client.received.find((one) => one.id === id && one.text === 'garbled'))
  },
  'a message that arrives twice is received once': async (scene) => {
    const { network, client, friend, number } = scene
    await network.fault({ kind: 'duplicate', number, count: 1 })
    const id = await network.writeMessage(friend, number, { text: 'twice' })
    await waitForHeard(scene, await network.writeMessage(friend, number, { text: 'after it' }))
    expect(client.received.filter((one) => one.id === id)).toMatchObject([{ type: 'text', text: 'twice' }])
  },
  'a call and its end are received': async (scene) => {
    const { network, client, friend, number, until } = scene
    const id = await network.startCall(friend, number)
    await until(() => client.calls.some((one) => one.id === id && one.state === 'offer'))
    await network.endCall(id, 'timeout')
    await until(() => client.calls.some((one) => one.id === id && one.state === 'timeout'))
  },
  'a call is rejected': async (scene) => {
    const { network, client, friend, number, until } = scene
    const id = await network.startCall(friend, number)
    const call = await until(() => client.calls.find((one) => one.id === id && one.state === 'offer'))
    await client.rejectCall(call)
    await until(async () => (await network.readCallState(id)) === 'reject')
  },
})
