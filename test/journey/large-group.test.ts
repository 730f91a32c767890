// Two instances of the gateway in a group of fifty: each message of one is reported to the other once, and its files are the same bytes.

import { randomBytes } from 'node:crypto'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { createDevice, createPhone, type LinkedDevice, linkDevice, subscribeReceiver } from '../device.ts'
import { borrowScene, type Seen } from '../scene.ts'
import { until } from '../until.ts'

const COMPANY = 50

const { world, receiver, device: anna, waitForEvent, readInbox } = await borrowScene()
const fresh = await createDevice(world, 'Ben')
await subscribeReceiver(fresh, receiver)
const ben = await linkDevice(world, fresh)
const others = await Promise.all(Array.from({ length: COMPANY - 2 }, () => createPhone(world)))

const photo = await sharp(randomBytes(300 * 200 * 3), { raw: { width: 300, height: 200, channels: 3 } })
  .jpeg()
  .toBuffer()

async function createGroup(): Promise<string> {
  const body = { name: 'Company', participants: [ben.number, ...others] }
  const { JID, ParticipantCount } = (await anna.caller.post('/group/create', body)).body
  expect(ParticipantCount).toBe(COMPANY)
  await waitForEvent('groups', ({ instanceId, type, event }) => {
    return instanceId === ben.id && type === 'JoinedGroup' && event.JID === JID
  })
  return JID
}

/** A text, an image and a document of its own; answers the messageid and the bytes of each. */
async function sendKinds({ caller }: LinkedDevice, number: string) {
  const plan = randomBytes(200_000)
  const sendFile = async (type: string, bytes: Buffer) => {
    const body = { number, type, file: bytes.toString('base64'), text: `a ${type}` }
    return { id: await sendContent('/send/media', body), bytes }
  }
  async function sendContent(path: string, body: object): Promise<string> {
    const response = await caller.post(path, body)
    expect(response.status, response.text).toBe(200)
    return response.body.messageid
  }
  return [
    { id: await sendContent('/send/text', { number, text: 'good morning, all' }), bytes: undefined },
    await sendFile('image', photo),
    await sendFile('document', plan),
  ]
}

test('text, image and document go both ways, each is reported once, and the files have the same bytes', async () => {
  const groupjid = await createGroup()
  const [sentByAnna, sentByBen] = await Promise.all([sendKinds(anna, groupjid), sendKinds(ben, groupjid)])
  for (const [listener, messages] of [
    [ben, sentByAnna],
    [anna, sentByBen],
  ] as const) {
    for (const { id, bytes } of messages) {
      const { message, chat } = await waitForEvent('messages', (envelope) => {
        return envelope.instanceId === listener.id && envelope.message.messageid === id
      })
      expect(message).toMatchObject({ fromMe: false, isGroup: true, chatid: groupjid, groupName: 'Company' })
      expect(chat).toEqual({
        id: groupjid,
        name: 'Company',
        isGroup: true,
        wa_chatid: groupjid,
        wa_chatlid: '',
        wa_fastid: `${listener.number}:${groupjid}`,
        wa_name: 'Company',
        wa_contactName: '',
        wa_isGroup: true,
        wa_unreadCount: expect.any(Number),
        wa_lastMsgTimestamp: expect.any(Number),
        wa_lastMessageTextVote: expect.any(String),
        wa_archived: false,
        wa_isPinned: false,
        wa_muteEndTime: 0,
        wa_isBlocked: false,
        phone: '',
        image: '',
      })
      if (!bytes) continue
      const downloaded = await listener.caller.post('/message/download', { id, return_base64: true })
      expect(Buffer.from(downloaded.body.base64Data, 'base64').equals(bytes)).toBe(true)
    }
  }

  const [other = ''] = others
  await until(async () => (await readInbox(other)).length === sentByAnna.length + sentByBen.length)
  expect((await readInbox(other)).map(({ id }) => id).sort()).toEqual(
    [...sentByAnna, ...sentByBen].map(({ id }) => id).sort(),
  )
  await expectOnce([...sentByAnna, ...sentByBen].map(({ id }) => id))
})

/** Everything that is to be delivered has been, each event in one delivery, and each message in one event an instance. */
async function expectOnce(ids: string[]) {
  for (const { caller } of [anna, ben])
    await until(async () => (await caller.get('/v1/events?status=pending')).body.events.length === 0)
  const events = receiver.deliveries.map(({ headers }) => headers['webhook-id'])
  expect(new Set(events).size).toBe(events.length)
  const messages = receiver.deliveries
    .filter(({ envelope }) => envelope.EventType === 'messages')
    .map(({ envelope }) => `${envelope.instanceId} ${(envelope.message as Seen).messageid}`)
  expect(messages.sort()).toEqual(
    [anna, ben].flatMap((device) => ids.map((id) => `${device.id} ${id}`)).sort(),
  )
}

test('the simulated network knew every request', async () => {
  expect((await world.sim('GET', '/unknown')).requests).toEqual([])
})
