// Retention of messages: thirty days by default, and of a crowded chat the newest.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { InValue } from '@libsql/client'
import type { NetworkGroup } from '@msgnet/session-host/driver/driver.ts'
import type { Log } from '@msgnet/session-host/process/host-log.ts'
import { createRow } from '@msgnet/session-host/sessions/message-records.ts'
import { findChats } from '@msgnet/session-host/store/chat-search.ts'
import { updateChat } from '@msgnet/session-host/store/chat-store.ts'
import { storeGroup } from '@msgnet/session-host/store/group-store.ts'
import { addPastChat, addPastMessage } from '@msgnet/session-host/store/history-store.ts'
import { openStore, type Store } from '@msgnet/session-host/store/host-store.ts'
import { addMessage, listMessages } from '@msgnet/session-host/store/message-store.ts'
import { deleteExpired, deleteOldMessages } from '@msgnet/session-host/store/retention.ts'
import { startRetention } from '@msgnet/session-host/store/retention-schedule.ts'
import { emptyMessage } from '@msgnet/shared/contract/message-requests.ts'
import { DAY } from '@msgnet/shared/date-time.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { actionInputs } from '@msgnet/shared/wire/session-actions.ts'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../until.ts'

const NOW = Date.UTC(2026, 8, 17)

async function createStage() {
  const dataDir = mkdtempSync(join(tmpdir(), 'retention-'))
  const file = join(dataDir, 'host.db')
  const store = await openStore(file, () => undefined)
  onTestFinished(async () => {
    await store.close()
    rmSync(dataDir, { recursive: true })
  })
  const createMessage = (chatid: string, messageid: string, at: number) => {
    const record = { ...emptyMessage, chatid, messageid, messageTimestamp: at }
    return [addMessage(createRow(record, 'one', new Uint8Array())), updateChat('one', record)]
  }
  const storeMessage = (...input: Parameters<typeof createMessage>) => store.commit(createMessage(...input))
  return { store, file, createMessage, storeMessage }
}

test.each([30, 7])(
  'messages are deleted after the configured days, the newest of a chat stay, and an empty chat is deleted (%i)',
  async (days) => {
    const { store, storeMessage } = await createStage()
    await storeMessage('old', 'gone', NOW - (days + 1) * DAY)
    await storeMessage('new', 'kept', NOW - (days - 1) * DAY)
    for (let at = 0; at < 12; at += 1) await storeMessage('crowded', `m${at}`, NOW - 1000 + at)

    await deleteOldMessages(store, NOW, { days, aChat: 10 })
    const listIds = async (chatid: string) =>
      (await listMessages(store, 'one', { chatids: [chatid] }, { limit: 100, offset: 0 })).map(
        (one) => one.messageid,
      )
    expect(await listIds('old')).toEqual([])
    expect(await listIds('new')).toEqual(['kept'])
    expect(await listIds('crowded')).toEqual(Array.from({ length: 10 }, (_, at) => `m${11 - at}`))
    const query = actionInputs['chat.find'].parse({ limit: 10 })
    const { found } = await findChats(store, 'one', query, { owner: '', own: [], blocked: [] })
    expect(found.map(({ id }) => id)).toEqual(['crowded', 'new'])
  },
)

test('a group that the account is in stays a chat when it has no messages any more, and one that it has left does not', async () => {
  const { store, storeMessage } = await createStage()
  const group = { jid: 'here', subject: 'Choir' } as NetworkGroup
  await store.commit([storeGroup(store, 'one', group)])
  for (const chatid of ['here', 'left']) await storeMessage(chatid, chatid, NOW - 31 * DAY)
  await deleteOldMessages(store, NOW, { days: 30 })
  const query = actionInputs['chat.find'].parse({ limit: 10 })
  const { found } = await findChats(store, 'one', query, { owner: '', own: [], blocked: [] })
  expect(found.map(({ id, wa_lastMessageTextVote }) => [id, wa_lastMessageTextVote])).toEqual([['here', '']])
})

test('a long deletion lets others write between its parts, and no part scans a table', async () => {
  const { store, file, createMessage } = await createStage()
  const statements: Statement[] = []
  for (let n = 0; n < 3000; n++)
    statements.push(...createMessage(`chat ${n % 30}`, `old ${n}`, NOW - 31 * DAY + n))
  for (let n = 0; n < 3000; n++) statements.push(...createMessage(`chat ${n % 3}`, `new ${n}`, NOW - DAY + n))
  await store.commit(statements)
  const queries = new Map<string, InValue[]>()
  const explainRows: Store['rows'] = async (sql, ...params) => {
    queries.set(sql, params)
    const found = await store.rows(sql, ...params)
    expect(found.length).toBeLessThanOrEqual(20)
    return found
  }
  let turns = 0
  const others = setInterval(() => turns++)
  await deleteOldMessages({ ...store, rows: explainRows }, NOW, { aChat: 10 })
  clearInterval(others)
  expect(turns).toBeGreaterThan(10)
  expect((await store.rows('SELECT count(*) AS kept FROM messages'))[0]?.kept).toBe(30)
  expect((await store.rows('SELECT count(*) AS kept FROM chats'))[0]?.kept).toBe(3)

  const database = new DatabaseSync(file, { readOnly: true })
  for (const [sql, params] of queries) {
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...(params as string[]))
    expect(plan.map(({ detail }) => detail).join('\n')).not.toMatch(/SCAN (messages|chats)|TEMP B-TREE/)
  }
  database.close()
  expect(queries.size).toBe(6)
})

test('another thread deletes old messages repeatedly, and no commit fails meanwhile', async () => {
  const { store, createMessage } = await createStage()
  const countMessages = async () =>
    Number((await store.rows('SELECT count(*) AS kept FROM messages'))[0]?.kept)
  const failed: unknown[] = []
  const log = { error: (what: unknown) => failed.push(what) } as unknown as Log
  const createOldMessage = (n: number) => createMessage(`chat ${n % 7}`, `old ${n}`, n)
  await store.commit(Array.from({ length: 1000 }, (_, n) => createOldMessage(n)).flat())
  const forgetting = startRetention(store, { days: 30 }, log, { first: 1, next: 1 })
  let written = 0
  do {
    for (let n = 0; n < 20; n++)
      // In many chats: of one with more than ten thousand messages the thread would rightly forget some.
      await store.commit(createMessage(`new ${written % 100}`, `new ${written++}`, Date.now()))
  } while ((await countMessages()) > written)
  await store.commit(createOldMessage(1000))
  await until(async () => (await countMessages()) === written)
  await forgetting.stop()
  expect(failed).toEqual([])
})

test('a failed deletion of old messages is logged and retried', async () => {
  const { store, file } = await createStage()
  const failed = new Set<unknown>()
  const log = { error: (what: unknown) => failed.add(what) } as unknown as Log
  const forgetting = startRetention({ ...store, file: join(file, 'none.db') }, { days: 30 }, log, {
    first: 1,
    next: 1,
  })
  await until(() => failed.size >= 2)
  await forgetting.stop()
})

test('the deletion of old messages ends with the host', async () => {
  const { store, createMessage } = await createStage()
  await store.commit(Array.from({ length: 3000 }, (_, n) => createMessage('old', `old ${n}`, n)).flat())
  const ending = new AbortController()
  const forgetting = deleteOldMessages(store, NOW, { signal: ending.signal })
  setTimeout(() => ending.abort(), 1)
  await expect(forgetting).rejects.toThrow('aborted')
  expect(Number((await store.rows('SELECT count(*) AS kept FROM messages'))[0]?.kept)).toBeGreaterThan(0)
})

test('the deleting thread has ended when its stop resolves, and deletes nothing afterwards', async () => {
  const { store, file, createMessage } = await createStage()
  await store.commit(Array.from({ length: 3000 }, (_, n) => createMessage('old', `old ${n}`, n)).flat())
  const countMessages = async () =>
    Number((await store.rows('SELECT count(*) AS kept FROM messages'))[0]?.kept)
  const failed: unknown[] = []
  const log = { error: (what: unknown) => failed.push(what) } as unknown as Log
  const forgetting = startRetention(store, { days: 30 }, log, { first: 1, next: 1 })
  await until(async () => (await countMessages()) < 3000)
  await forgetting.stop()
  const left = await countMessages()
  expect(left).toBeGreaterThan(0)
  await store.close()
  // Only who is alone with a file may have it to itself.
  const alone = new DatabaseSync(file)
  alone.exec('pragma locking_mode = exclusive; begin exclusive')
  expect(alone.prepare('SELECT count(*) AS kept FROM messages').get()).toEqual({ kept: left })
  alone.close()
  expect(failed).toEqual([])
})

const listAll = async (store: Store) =>
  (await listMessages(store, 'one', {}, { limit: 100, offset: 0 })).map(({ messageid }) => messageid)

test('a message that has disappeared is deleted with its file, one that is kept in the chat is not', async () => {
  const { store } = await createStage()
  const add = (messageid: string, content: object) => {
    const record = {
      ...emptyMessage,
      chatid: 'chat',
      messageid,
      messageTimestamp: NOW,
      content: { ...content },
    }
    return store.commit([addMessage(createRow(record, 'one', new Uint8Array()))])
  }
  for (let n = 0; n < 50; n++) await add(`gone ${n}`, { disappearsAt: NOW - n })
  await add('later', { disappearsAt: NOW + 1 })
  await add('kept', { disappearsAt: NOW - 1, kept: true })
  await add('stays', {})
  const values = ['one', 'gone 3', 'a file', 'stored', NOW, NOW]
  await store.commit([
    {
      sql: 'INSERT INTO stored_media (instance, messageid, name, state, at, next_at) VALUES (?, ?, ?, ?, ?, ?)',
      args: values,
    },
  ])
  await deleteExpired(store, NOW)
  expect((await listAll(store)).sort()).toEqual(['kept', 'later', 'stays'])
  expect((await store.rows('SELECT state FROM stored_media'))[0]).toEqual({ state: 'ended' })
})

test('what has disappeared is deleted within its interval in another thread, unless the operator keeps it', async () => {
  const { store } = await createStage()
  const failed: unknown[] = []
  const log = { error: (what: unknown) => failed.push(what) } as unknown as Log
  const add = (messageid: string) => {
    const content = { disappearsAt: Date.now() - 1 }
    const record = { ...emptyMessage, chatid: 'chat', messageid, messageTimestamp: Date.now(), content }
    return store.commit([addMessage(createRow(record, 'one', new Uint8Array()))])
  }
  await add('gone')
  const keeping = startRetention(store, { days: 30, keepExpired: true }, log, {
    first: 1,
    next: 1,
    expired: 1,
  })
  await store.commit(Array.from({ length: 2 }, (_, n) => addMessage(createOld(`old ${n}`))))
  await until(async () => (await listAll(store)).length === 1)
  await keeping.stop()
  expect(await listAll(store)).toEqual(['gone'])
  const deleting = startRetention(store, { days: 30 }, log, { expired: 1 })
  await until(async () => (await listAll(store)).length === 0)
  await add('gone too')
  await until(async () => (await listAll(store)).length === 0)
  await deleting.stop()
  expect(failed).toEqual([])
})

const createOld = (messageid: string) =>
  createRow({ ...emptyMessage, chatid: 'chat', messageid, messageTimestamp: 1 }, 'one', new Uint8Array())

test('a message of the history is kept from its arrival on, with its chat', async () => {
  const { store, storeMessage } = await createStage()
  await storeMessage('live', 'too old', NOW - 31 * DAY)
  const addPast = (chatid: string, messageid: string, storedAt: number) => {
    const record = {
      ...emptyMessage,
      chatid,
      messageid,
      messageTimestamp: NOW - 700 * DAY,
      source: 'history',
    }
    const row = { ...createRow(record, 'one', new Uint8Array()), storedAt }
    return store.commit([addPastMessage(row, JSON.stringify(record)), addPastChat('one', record, 'Ben')])
  }
  await addPast('past', 'kept', NOW - 29 * DAY)
  await addPast('gone', 'kept for a month', NOW - 31 * DAY)
  await deleteOldMessages(store, NOW)
  const listed = await listMessages(store, 'one', {}, { limit: 10, offset: 0 })
  expect(listed.map(({ messageid }) => messageid)).toEqual(['kept'])
  const query = actionInputs['chat.find'].parse({ limit: 10 })
  const { found } = await findChats(store, 'one', query, { owner: '', own: [], blocked: [] })
  expect(found.map(({ id }) => id)).toEqual(['past'])
})
