// Messages as they are stored and reported: each once, with both ids of its author, and read when a chat is read.

import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../until.ts'
import { createTextInput, KIND, startWorld, type World } from './world.ts'

let world: World
let instance: string
const ANNA = '5511400000001'
const BEN = '5511400000002'
const TO_BEN = `${BEN}@s.msgnet.net`

beforeAll(async () => {
  world = await startWorld()
  await world.createPhone(BEN, 'Ben')
  instance = await world.linkPhone(ANNA)
})
afterAll(() => world.close())

const listMessages = () =>
  world.edge.listEvents(instance, 'messages').map(({ payload }) => payload.message as MessageRecord)
const waitForMessage = (id: string) => until(() => listMessages().find(({ messageid }) => messageid === id))
const receiveMessage = async (body: object) =>
  (await world.sim<{ id: string }>('POST', '/messages', { from: BEN, to: ANNA, ...body })).id

test('a text addressed by LID is stored under the phone number, with both ids', async () => {
  const record = await waitForMessage(await receiveMessage({ text: 'by lid', addressing: 'lid' }))
  expect(record).toMatchObject({
    text: 'by lid',
    chatid: TO_BEN,
    sender_pn: TO_BEN,
    fromMe: false,
    owner: ANNA,
  })
  expect(record.chatlid).toMatch(/@lid$/)
  expect(record.sender).toBe(record.sender_lid)
  expect(record.id).toBe(`${ANNA}:${record.messageid}`)
})

test('a reply quotes its message, and a reply to a missing message is refused', async () => {
  const question = await receiveMessage({ text: 'shall we?' })
  await waitForMessage(question)
  const reply = { ...createTextInput(TO_BEN, 'we shall'), replyid: `${ANNA}:${question}`, mentions: [TO_BEN] }
  const outcome = await world.edge.performAction(instance, 'message.sendText', reply)
  expect(outcome).toMatchObject({ kind: 'done', result: { quoted: question } })
  const missing = { ...createTextInput(TO_BEN, 'to what?'), replyid: 'nothing' }
  const refused = await world.edge.performAction(instance, 'message.sendText', missing)
  expect(refused).toMatchObject({ kind: 'refused', fault: 'message_not_found' })
})

test('a received quote names its message', async () => {
  const text = createTextInput(TO_BEN, 'a question')
  await world.edge.performAction(instance, 'message.sendText', text)
  const record = await waitForMessage(await receiveMessage({ text: 'an answer', quoted: text.messageid }))
  expect(record).toMatchObject({ text: 'an answer', quoted: text.messageid })
})

test('messages of one second are listed in order of arrival', async () => {
  const { ids } = await world.sim<{ ids: string[] }>('POST', '/messages', {
    from: BEN,
    to: ANNA,
    text: 'in one breath',
    count: 12,
  })
  for (const id of ids) await waitForMessage(id)
  const query = { chatid: TO_BEN, limit: 100, offset: 0 }
  const outcome = await world.edge.performAction(instance, 'message.find', query)
  const { messages } = (outcome as unknown as { result: { messages: MessageRecord[] } }).result
  const found = messages.map(({ messageid }) => messageid).filter((id) => ids.includes(id))
  expect(found).toEqual(ids.toReversed())
})

test('reading a chat marks unread messages once and notifies their author', async () => {
  await waitForMessage(await receiveMessage({ text: 'read me' }))
  const before = (await world.sim<{ receipts: unknown[] }>('GET', `/receipts?number=${ANNA}`)).receipts.length
  const first = await world.edge.performAction(instance, 'chat.read', { number: TO_BEN, read: true })
  expect(first.kind === 'done' && first.result.marked).toBeGreaterThan(0)
  const again = await world.edge.performAction(instance, 'chat.read', { number: TO_BEN, read: true })
  expect(again).toEqual({ kind: 'done', result: { marked: 0 } })
  const unread = await world.edge.performAction(instance, 'chat.read', { number: TO_BEN, read: false })
  expect(unread).toEqual({ kind: 'done', result: { marked: 0 } })
  await until(async () => {
    const { receipts } = await world.sim<{ receipts: { type: string }[] }>('GET', `/receipts?number=${ANNA}`)
    return receipts.slice(before).some(({ type }) => type === 'read')
  })
})

test('typing is shown for the requested time before the text', async () => {
  const started = performance.now()
  const text = { ...createTextInput(TO_BEN, 'slowly'), delay: 300, readchat: true }
  expect(await world.edge.performAction(instance, 'message.sendText', text)).toMatchObject({ kind: 'done' })
  expect(performance.now() - started).toBeGreaterThanOrEqual(300)
})

test('a delay longer than the remaining time is refused, and nothing is sent', async () => {
  const text = { ...createTextInput(TO_BEN, 'never sent'), delay: 5000 }
  const outcome = await world.edge.performAction(instance, 'message.sendText', text, { budget: 600 })
  expect(outcome).toMatchObject({ kind: 'refused', fault: 'operation_refused' })
  const { messages } = await world.sim<{ messages: { text: string }[] }>('GET', `/phones/${BEN}/inbox`)
  expect(messages.map((one) => one.text)).not.toContain('never sent')
})

test("messages received during a host's absence are reported once each after it is back", async () => {
  await world.host.stop()
  const ids = (
    await world.sim<{ ids: string[] }>('POST', '/messages', { from: BEN, to: ANNA, text: 'later', count: 30 })
  ).ids
  await world.restartHost()
  await until(() => ids.every((id) => listMessages().some(({ messageid }) => messageid === id)))
  const again = listMessages().filter(({ messageid }) => ids.includes(messageid))
  expect(again).toHaveLength(30)
})

test('an instance of kind calls reports no messages', async () => {
  const number = await world.createPhone('5511400000009')
  const calls = crypto.randomUUID()
  const outcome = await world.edge.performAction(calls, 'session.connect', { ...KIND, kind: 'calls' })
  if (outcome.kind !== 'done' || outcome.result.pairing?.method !== 'qr')
    throw new Error(JSON.stringify(outcome))
  await world.sim('POST', `/phones/${number}/scan`, { qr: outcome.result.pairing.qr })
  await world.waitUntilLoggedIn(calls)
  await world.sim('POST', '/messages', { from: BEN, to: number, text: 'not for calls' })
  await until(async () => {
    const { receipts } = await world.sim<{ receipts: unknown[] }>('GET', `/receipts?number=${number}`)
    return receipts.length > 0
  })
  expect(world.edge.listEvents(calls, 'messages')).toEqual([])
})
