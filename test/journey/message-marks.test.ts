// Pins and stars, set by callers and on phones; and what arrives of media that can be seen once.

import { expect, test } from 'vitest'
import { createPhone } from '../device.ts'
import { borrowScene, type Seen } from '../scene.ts'
import { until } from '../until.ts'
import { toPersonJid } from './endings/row.ts'

const { world, device, receiver, waitForEvent, waitForMessage } = await borrowScene()
const DAY = 86_400_000

const post = (path: string, body: object) => device.caller.post(path, body)
const findMessage = async (id: string): Promise<Seen> =>
  (await post('/message/find', { id })).body.messages[0]
const waitForUpdate = (state: string, id: string) =>
  waitForEvent(
    'messages_update',
    (envelope) => envelope.state === state && envelope.event.MessageIDs[0] === id,
  )

async function receive(from: string, to = device.number): Promise<string> {
  const { id } = await world.sim('POST', '/messages', { from, to, text: 'mark me' })
  await waitForEvent('messages', ({ message }) => message.messageid === id)
  return id as string
}

const createGroup = async (owner: string): Promise<string> => {
  const { jid } = await world.sim('POST', '/groups', {
    subject: 'Marks',
    owner,
    participants: [device.number],
  })
  await waitForEvent('groups', ({ event }) => event.JID === jid)
  return jid as string
}

test.each(['person', 'group'])('a message is pinned and unpinned in the chat of a %s', async (kind) => {
  const anna = await createPhone(world, 'Anna')
  const id = kind === 'group' ? await receive(anna, await createGroup(anna)) : await receive(anna)
  const pinned = await post('/message/pin', { id, days: 30 })
  expect([pinned.status, pinned.body.type]).toEqual([200, 'pin'])
  expect(await waitForMessage(anna, ({ type }) => type === 'pin')).toMatchObject({ target: id, days: 30 })
  const update = await waitForUpdate('Pinned', id)
  expect(update).toMatchObject({ type: 'PinnedMessage', event: { Type: 'pinned', IsFromMe: true } })
  const { pinned: mark, pinnedUntil } = (await findMessage(id)).content
  expect([mark, pinnedUntil]).toEqual([true, update.event.pinnedUntil])
  expect(Math.abs(pinnedUntil - Date.now() - 30 * DAY)).toBeLessThan(60_000)
  expect((await post('/message/pin', { id, pin: false })).status).toBe(200)
  await waitForMessage(anna, ({ type, days }) => type === 'pin' && days === 0)
  expect((await waitForUpdate('Unpinned', id)).event).toMatchObject({ Type: 'unpinned' })
  expect((await findMessage(id)).content).not.toHaveProperty('pinned')
})

test('a pin of another person is an update of the message and no message', async () => {
  const anna = await createPhone(world, 'Anna')
  const { messageid: id } = (await post('/send/text', { number: anna, text: 'pin this' })).body
  const { id: pin } = await world.sim('POST', `/messages/${id}/pin`, { by: anna, days: 7 })
  const { event } = await waitForUpdate('Pinned', id)
  expect(event).toMatchObject({ chatid: toPersonJid(anna), sender_pn: toPersonJid(anna), IsFromMe: false })
  expect((await findMessage(id)).content).toMatchObject({ pinned: true, pinnedUntil: event.pinnedUntil })
  const { messages } = (await post('/message/find', { chatid: anna })).body
  expect(messages.map(({ messageid }: Seen) => messageid)).toEqual([id])
  await world.sim('POST', `/messages/${id}/pin`, { by: anna })
  await waitForUpdate('Unpinned', id)
  expect(receiver.deliveries.some(({ envelope }: Seen) => envelope.message?.messageid === pin)).toBe(false)
})

test('a star is on the phone, and a star of the phone is an update and in the record', async () => {
  const anna = await createPhone(world, 'Anna')
  const group = await createGroup(anna)
  const readStars = async (chat: string): Promise<string[]> => {
    const { chats } = await world.sim('GET', `/phones/${device.number}/settings`)
    return (chats as Seen[]).find((one) => one.chat === chat)?.starred ?? []
  }
  for (const [chat, id] of [
    [toPersonJid(anna), await receive(anna)],
    [group, await receive(anna, group)],
  ] as const) {
    expect((await post('/message/star', { id })).body).toEqual({ response: 'Message starred' })
    expect(await readStars(chat)).toEqual([id])
    expect((await findMessage(id)).content).toMatchObject({ starred: true })
    await waitForUpdate('Starred', id)
    const change = { action: 'star', chat, message: id }
    await world.sim('POST', `/phones/${device.number}/settings`, { ...change, starred: false })
    const { event } = await waitForUpdate('Unstarred', id)
    expect(event).toMatchObject({ Type: 'unstarred', Sender: toPersonJid(device.number), IsFromMe: true })
    expect((await findMessage(id)).content).not.toHaveProperty('starred')
    await world.sim('POST', `/phones/${device.number}/settings`, { ...change, starred: true })
    await until(async () => (await findMessage(id)).content.starred)
    expect((await post('/message/star', { id, star: false })).body).toEqual({ response: 'Star removed' })
    expect(await readStars(chat)).toEqual([])
  }
})

test('an edited message says so when it is found and when it is exported', async () => {
  const anna = await createPhone(world, 'Anna')
  const id = await receive(anna)
  await world.sim('POST', `/messages/${id}/edit`, { by: anna, text: 'changed' })
  await waitForEvent('messages_edit', ({ event }) => event.messageid === id)
  expect(await findMessage(id)).toMatchObject({ text: 'changed', edited: id })
  const exported = await world.admin.get(`/v1/instances/${device.id}/export`)
  const lines = exported.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const record = lines.find((line) => JSON.stringify(line).includes(`"messageid":"${id}"`))
  expect(JSON.stringify(record)).toContain(`"edited":"${id}"`)
})

test('of a picture that can be seen once only a notice arrives, which the record says', async () => {
  const anna = await createPhone(world, 'Anna')
  const image = Buffer.from('a picture for one look').toString('base64')
  const { id } = await world.sim('POST', '/messages', {
    from: anna,
    to: device.number,
    image,
    viewOnce: true,
  })
  const { message } = await waitForEvent('messages', (envelope) => envelope.message.messageid === id)
  expect(message).toMatchObject({
    type: 'other',
    messageType: 'viewOnceMessage',
    mediaType: '',
    fromMe: false,
  })
  expect(message.content).toEqual({ viewOnce: true })
  const refused = await post('/message/download', { id })
  expect([refused.status, refused.body.error]).toEqual([400, 'invalid_message'])
})

test.each([
  ['/message/pin', { days: 2 }, 400, 'invalid_body'],
  ['/message/pin', { id: 'NOWHERE' }, 404, 'message_not_found'],
  ['/message/star', { id: 'NOWHERE' }, 404, 'message_not_found'],
  ['/message/star', { star: 'yes' }, 400, 'invalid_body'],
])('%s with %j is refused with %i %s', async (path, wrong, status, error) => {
  const id = await receive(await createPhone(world))
  const response = await post(path, { id, ...wrong })
  expect([response.status, response.body.error]).toEqual([status, error])
})
