// The past of a newly linked account: what is stored and reported of it, once each, and in what state it is.
// @module-tag slow

import { deflateSync } from 'node:zlib'
import type { ActionInput } from '@msgnet/shared/wire/session-actions.ts'
import { proto } from '@msgnet/simulator/codec/protobuf.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../until.ts'
import { findMessages, linkWithHistory, listPast, waitForHistory } from './history-stage.ts'
import { startWorld, type World } from './world.ts'

const BEN = '5511340000042'
let world: World
let count = 0

beforeAll(async () => {
  world = await startWorld()
  await world.createPhone(BEN, 'Ben')
})
afterAll(() => world.close())

/** Links a device of a new phone with this past. */
async function linkWith(
  history: ActionInput<'session.connect'>['history'],
  past?: object,
  chunks?: object[],
) {
  count += 1
  const number = `55113400002${String(count).padStart(2, '0')}`
  await world.sim('POST', '/phones', { number, ...(chunks && { history: chunks }) })
  if (past) await world.sim('POST', `/phones/${number}/past`, past)
  return { number, instance: await linkWithHistory(world, number, history) }
}

const listPastIds = (instance: string) => listPast(world, instance).map(({ messageid }) => messageid)

const listProgress = (instance: string): number[] =>
  world.edge
    .listEvents(instance, 'history')
    .map(({ payload }) => (payload as { event: { progress: number } }).event.progress)

test('a full history is stored and reported, each message once, and each chat is found with its newest', async () => {
  const past = { chats: 20, messages: 3000, groups: 2, with: [BEN] }
  const { instance } = await linkWith('full', past)
  await waitForHistory(world, instance, 'complete')
  await until(() => listPastIds(instance).length >= 3000)
  const ids = listPastIds(instance)
  expect([ids.length, new Set(ids).size]).toEqual([3000, 3000])
  expect(world.findState(instance)?.history).toEqual({ state: 'complete', progress: 100 })
  const told = listProgress(instance)
  expect(told).toEqual(told.toSorted((one, other) => one - other))
  const found = await findMessages(world, instance, { chatid: `${BEN}@s.msgnet.net` })
  expect(found).toHaveLength(100)
  expect(found[0]).toMatchObject({
    source: 'history',
    text: expect.stringContaining('past 0/0'),
    fromMe: true,
  })
  expect(found[1]).toMatchObject({ senderName: 'Ben', sender_pn: `${BEN}@s.msgnet.net` })
  expect(found.map(({ text }) => Number(/\/(\d+)/.exec(text)?.[1]))).toEqual(found.map((_, at) => at))
  const chats = await world.edge.performAction(instance, 'chat.find', {
    limit: 50,
    offset: 0,
    search: '',
    sort: 'wa_lastMsgTimestamp',
    unread: false,
    operator: 'AND',
  })
  expect(chats).toMatchObject({ result: { total: 20 } })
  expect(chats).toMatchObject({
    result: {
      chats: expect.arrayContaining([
        expect.objectContaining({
          id: `${BEN}@s.msgnet.net`,
          name: 'Ben',
          unreadCount: 0,
          lastMessageId: found[0]?.messageid,
        }),
        expect.objectContaining({ name: 'Group 19', isGroup: true }),
      ]),
    },
  })
  expect(world.edge.listEvents(instance, 'messages')).toEqual([])
})

test('the recent history is what the phone sends by itself, older messages are requested', async () => {
  const { instance } = await linkWith('recent', { chats: 2, messages: 200, days: 900, with: [BEN] })
  await waitForHistory(world, instance, 'complete')
  await until(() => listPastIds(instance).length > 0)
  const chatid = `${BEN}@s.msgnet.net`
  const before = await findMessages(world, instance, { chatid })
  expect(before.length).toBeGreaterThan(5)
  expect(before.length).toBeLessThan(20)
  const request = { number: chatid, count: 30 }
  const asked = await world.edge.performAction(instance, 'message.history', request)
  expect(asked).toMatchObject({ kind: 'done', result: { requested: true } })
  const after = await until(async () => {
    const found = await findMessages(world, instance, { chatid })
    return found.length > before.length && found
  })
  expect(after.map(({ messageid }) => messageid).slice(0, before.length)).toEqual(
    before.map(({ messageid }) => messageid),
  )
  await until(async () => (await findMessages(world, instance, { chatid })).length === before.length + 30)
  const unknown = { number: '5511340000099@s.msgnet.net', count: 1 }
  expect(await world.edge.performAction(instance, 'message.history', unknown)).toMatchObject({
    kind: 'refused',
    fault: 'message_not_found',
  })
})

test('without a wish nothing of the past is stored', async () => {
  const { instance } = await linkWith(undefined, { chats: 2, messages: 100 })
  await until(async () => (await world.sim<{ entries: object[] }>('GET', '/log')).entries.length > 0)
  await world.sim('POST', '/messages', {
    from: BEN,
    to: `55113400002${String(count).padStart(2, '0')}`,
    text: 'now',
  })
  await until(() => world.edge.listEvents(instance, 'messages').length === 1)
  expect(await findMessages(world, instance, {})).toHaveLength(1)
  expect(world.findState(instance)?.history).toEqual({ state: 'none', progress: 0 })
})

test('a message that comes by itself replaces its copy of the history, and is reported once', async () => {
  const { number, instance } = await linkWith('recent', { chats: 1, messages: 30, days: 10, with: [BEN] })
  await waitForHistory(world, instance, 'complete')
  const [copy] = (await findMessages(world, instance, {})).filter(({ fromMe }) => !fromMe)
  const id = copy?.messageid
  await world.sim('POST', '/messages', { from: BEN, to: number, text: 'as it was written', id })
  await until(() => world.edge.listEvents(instance, 'messages').length === 1)
  const find = () => findMessages(world, instance, { id })
  expect(await find()).toMatchObject([{ text: 'as it was written', source: '' }])
  // The phone sends its history again: what is stored stays as it is.
  const all = listPastIds(instance).length
  const asked = {
    number: `${BEN}@s.msgnet.net`,
    before: (await findMessages(world, instance, {}))[0]?.messageid,
    count: 29,
  }
  expect(await world.edge.performAction(instance, 'message.history', asked)).toMatchObject({ kind: 'done' })
  await world.sim('POST', '/messages', { from: BEN, to: number, text: 'after it' })
  await until(() => world.edge.listEvents(instance, 'messages').length === 2)
  expect(await find()).toMatchObject([{ text: 'as it was written', source: '' }])
  expect(listPastIds(instance)).toHaveLength(all)
})

test('a history goes on after the host has stopped in the middle, and each message is reported once', async () => {
  const { instance } = await linkWith('full', { chats: 10, messages: 5000 })
  await until(() => listPastIds(instance).length > 500)
  await world.restartHost()
  expect(listPastIds(instance).length).toBeLessThan(5000)
  await waitForHistory(world, instance, 'complete')
  await until(() => listPastIds(instance).length >= 5000)
  const ids = listPastIds(instance)
  expect([ids.length, new Set(ids).size]).toEqual([5000, 5000])
})

test('a history of which nothing comes for ten minutes has stopped, and goes on with what comes later', async () => {
  const { number, instance } = await linkWith('full', undefined, [])
  expect(world.findState(instance)?.history).toEqual({ state: 'waiting', progress: 0 })
  for (let step = 1; step <= 61; step += 1) {
    // Frames arrive meanwhile: a silent connection would be given up.
    await world.sim('POST', '/messages', { from: BEN, to: number, text: `${step}` })
    await until(() => world.edge.listEvents(instance, 'messages').length === step)
    await world.clock.moveTime(10_000)
  }
  await waitForHistory(world, instance, 'stopped')
  const chunk = { type: 'full', progress: 40, chats: [{ with: BEN, messages: 3 }] }
  await world.sim('POST', `/phones/${number}/history`, chunk)
  await until(() => world.findState(instance)?.history?.progress === 70)
  expect(world.findState(instance)?.history?.state).toBe('syncing')
  expect(listPastIds(instance)).toHaveLength(3)
  // The events say how far the whole linking is, as its state does.
  expect(listProgress(instance)).toEqual([70])
})

test('a message of millions of parts, or of megabytes, is left out of a history, and the others are stored', async () => {
  const build = (id: string, message: proto.IMessage) => ({
    message: {
      key: { remoteJid: `${BEN}@s.whatsapp.net`, fromMe: false, id },
      message,
      messageTimestamp: 1_760_000_000,
    },
  })
  const contacts = Array.from({ length: 100_000 }, () => ({}))
  const messages = [
    build('BEFORE', { conversation: 'before' }),
    build('MANY', { contactsArrayMessage: { contacts } }),
    build('LARGE', { conversation: 'x'.repeat(2_000_000) }),
    build('AFTER', { conversation: 'after' }),
  ]
  const conversations = [{ id: `${BEN}@s.whatsapp.net`, messages }]
  const syncType = proto.HistorySync.HistorySyncType.RECENT
  const raw = deflateSync(proto.HistorySync.encode({ syncType, conversations }).finish())
  const { instance } = await linkWith('recent', undefined, [
    { type: 'recent', progress: 100, raw: raw.toString('base64') },
  ])
  await waitForHistory(world, instance, 'complete')
  const texts = (await findMessages(world, instance, {})).map(({ text }) => text)
  expect(texts.toSorted()).toEqual(['after', 'before'])
})

const { MESSAGE_EDIT } = proto.Message.ProtocolMessage.Type
const remoteJid = `${BEN}@s.whatsapp.net`

/** A chunk of the chat with Ben, as a phone encodes it. */
function encodeChunk(messages: proto.IWebMessageInfo[], progress = 100) {
  const conversations = [{ id: remoteJid, messages: messages.map((message) => ({ message })) }]
  const syncType = proto.HistorySync.HistorySyncType.RECENT
  const raw = deflateSync(proto.HistorySync.encode({ syncType, conversations }).finish())
  return { type: 'recent', progress, raw: raw.toString('base64') }
}

const buildInfo = (id: string, message: proto.IMessage, at = 0): proto.IWebMessageInfo => ({
  key: { remoteJid, fromMe: false, id },
  message,
  messageTimestamp: 1_760_000_000 + at,
})

/** What a phone has of an edit, under an id of its own or in place of the message. */
const buildEdited = (id: string, target: string, editedMessage: proto.IMessage, at = 0) =>
  buildInfo(
    id,
    {
      editedMessage: {
        message: {
          protocolMessage: {
            key: { remoteJid, fromMe: false, id: target },
            type: MESSAGE_EDIT,
            editedMessage,
          },
        },
      },
    },
    at,
  )

test('a message that was edited is in a history with its last words, whatever form its edit has', async () => {
  const poll = { pollCreationMessageV3: { name: 'Where from?', options: [{ optionName: 'Rome' }] } }
  const { instance } = await linkWith('recent', undefined, [
    encodeChunk([
      buildEdited('EDIT2', 'BESIDE', { conversation: 'beside, twice' }, 5),
      buildEdited('EDIT1', 'BESIDE', { conversation: 'beside, once' }, 4),
      buildInfo('BESIDE', { conversation: 'beside' }, 3),
      buildEdited('ALONE-EDIT', 'ALONE', { conversation: 'without its message' }, 2),
      buildEdited('POLL', 'POLL', poll, 1),
      buildEdited('PLACE', 'PLACE', { conversation: 'in its place' }),
      buildInfo('PLAIN', { conversation: 'never edited' }),
    ]),
  ])
  await waitForHistory(world, instance, 'complete')
  const edited = [
    ['ALONE', 'without its message', 'ALONE'],
    ['BESIDE', 'beside, twice', 'BESIDE'],
    ['PLACE', 'in its place', 'PLACE'],
    ['PLAIN', 'never edited', ''],
    ['POLL', 'Where from?', 'POLL'],
  ]
  const describe = (ones: { messageid: string; text: string; edited: string }[]) =>
    ones.map(({ messageid, text, edited: by }) => [messageid, text, by]).toSorted()
  expect(describe(await findMessages(world, instance, {}))).toEqual(edited)
  expect(describe(listPast(world, instance))).toEqual(edited)
  expect(world.edge.listEvents(instance, 'messages_edit')).toEqual([])
})

test('an edit that a history has of a message that came by itself is reported, once', async () => {
  const { number, instance } = await linkWith('recent', undefined, [])
  const { id } = await world.sim('POST', '/messages', { from: BEN, to: number, text: 'as it came' })
  await until(() => world.edge.listEvents(instance, 'messages').length === 1)
  const chunk = encodeChunk([buildEdited(String(id), String(id), { conversation: 'edited while away' })], 50)
  await world.sim('POST', `/phones/${number}/history`, chunk)
  await until(() => world.edge.listEvents(instance, 'messages_edit').length === 1)
  expect(world.edge.listEvents(instance, 'messages_edit')[0]?.payload).toMatchObject({
    event: { messageid: id, text: 'edited while away', chatid: `${BEN}@s.msgnet.net` },
  })
  expect(await findMessages(world, instance, { id })).toMatchObject([
    { text: 'edited while away', edited: id },
  ])
  // An edit that comes by itself is newer than what a history has.
  await world.sim('POST', `/messages/${id}/edit`, { by: BEN, text: 'the last words' })
  await until(() => world.edge.listEvents(instance, 'messages_edit').length === 2)
  await world.sim('POST', `/phones/${number}/history`, chunk)
  await world.sim('POST', `/phones/${number}/history`, encodeChunk([]))
  await waitForHistory(world, instance, 'complete')
  expect(await findMessages(world, instance, { id })).toMatchObject([{ text: 'the last words' }])
  expect(world.edge.listEvents(instance, 'messages_edit')).toHaveLength(2)
})
