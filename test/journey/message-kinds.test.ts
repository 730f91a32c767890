// Every kind of message through the whole gateway: a phone sends it, the webhook and the search have it.

import { expect, test } from 'vitest'
import { createPhone } from '../device.ts'
import { encodeField } from '../host/hostile.ts'
import { kindSamples } from '../kind-samples.ts'
import { borrowScene } from '../scene.ts'

const { world, device, waitForEvent } = await borrowScene()
const anna = await createPhone(world, 'Anna')

const sendKind = async (kind: string, fields: unknown) =>
  (await world.sim('POST', '/messages', { from: anna, to: device.number, kind, fields })).id as string
const sendText = async (text: string) =>
  (await world.sim('POST', '/messages', { from: anna, to: device.number, text })).id as string
const findStored = async (id: string) => (await device.caller.post('/message/find', { id })).body.messages[0]
const waitForRecord = async (id: string) =>
  (await waitForEvent('messages', ({ message }) => message.messageid === id)).message
const waitForUpdate = (type: string, id: string) =>
  waitForEvent('messages_update', (envelope) => envelope.type === type && envelope.event.MessageIDs[0] === id)

/** These change another message, or need its secret: the tests below, and those of polls and of sealed changes, have them. */
const CHANGES = ['delete', 'edit', 'keep', 'pin', 'vote']
const records = Object.entries(kindSamples).filter(
  ([, { record }]) => record && !record.sealed && !CHANGES.includes(record.type),
)
const protocol = Object.entries(kindSamples).filter(([, { record }]) => !record)

test.each(records)('%s of a phone is reported and found with its words', async (kind, { fields, record }) => {
  const { content, type, text } = record ?? {}
  const id = await sendKind(kind, fields)
  for (const found of [await waitForRecord(id), await findStored(id)])
    expect(found).toMatchObject({ messageType: record?.messageType ?? kind, type, text, content })
})

test('what only clients tell each other is no message, and the next one comes', async () => {
  const ids: string[] = []
  for (const [kind, { fields }] of protocol) ids.push(await sendKind(kind, fields))
  await waitForRecord(await sendText('after them'))
  for (const id of ids) expect(await findStored(id)).toBeUndefined()
})

test('a kind that nobody knows yet is reported with its number and bytes', async () => {
  const raw = encodeField(300, 'from next year').toString('base64')
  const { id } = await world.sim('POST', '/messages', { from: anna, to: device.number, raw })
  const bytes = Buffer.from('from next year').toString('base64')
  for (const found of [await waitForRecord(String(id)), await findStored(String(id))])
    expect(found).toMatchObject({
      type: 'unsupported',
      messageType: 'field300',
      content: { field: 300, name: '', bytes },
    })
})

test('a message that is kept among disappearing ones is told, and marked', async () => {
  const id = await sendText('keep this')
  await waitForRecord(id)
  const key = { id, fromMe: false, remoteJid: `${device.number}@s.whatsapp.net` }
  await sendKind('keepInChatMessage', { key, keepType: 'KEEP_FOR_ALL' })
  expect(await waitForUpdate('KeptMessage', id)).toMatchObject({ state: 'Kept', event: { Type: 'kept' } })
  expect(await findStored(id)).toMatchObject({ text: 'keep this', content: { kept: true } })
})

test('a new timer of the chat is told', async () => {
  const id = await sendKind('protocolMessage', { type: 'EPHEMERAL_SETTING', ephemeralExpiration: 86_400 })
  expect(await waitForUpdate('ChatTimer', id)).toMatchObject({
    state: 'Changed',
    event: { Type: 'timer', seconds: 86_400, chatid: `${anna}@s.msgnet.net` },
  })
})

test('a person who shares the number is reported with it', async () => {
  const id = await sendKind('protocolMessage', { type: 'SHARE_PHONE_NUMBER' })
  expect((await waitForRecord(id)).content).toMatchObject({
    shared: 'phoneNumber',
    phoneNumber: `${anna}@s.msgnet.net`,
  })
})
