// What is kept of messages: thirty days unless told, and of a crowded chat the newest.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { InValue } from '@libsql/client'
import { expect, onTestFinished, test } from 'vitest'
import type { Log } from '../../session-host/log.ts'
import { rowOf } from '../../session-host/sessions/reporting.ts'
import { touchChat } from '../../session-host/store/chats.ts'
import { findChats } from '../../session-host/store/finding-chats.ts'
import { keepForgetting } from '../../session-host/store/forgetting.ts'
import { addMessage, listMessages } from '../../session-host/store/messages.ts'
import { forgetOldMessages } from '../../session-host/store/retention.ts'
import { openStore, type Store } from '../../session-host/store/store.ts'
import { DAY } from '../../shared/clock.ts'
import { emptyMessage } from '../../shared/contract/message.ts'
import type { Statement } from '../../shared/db/statements.ts'
import { actionInputs } from '../../shared/wire/actions.ts'
import { until } from '../until.ts'

const NOW = Date.UTC(2026, 8, 17)

async function makeStage() {
  const dataDir = mkdtempSync(join(tmpdir(), 'retention-'))
  const file = join(dataDir, 'host.db')
  const store = await openStore(file, () => undefined)
  onTestFinished(async () => {
    await store.close()
    rmSync(dataDir, { recursive: true })
  })
  const saying = (chatid: string, messageid: string, at: number) => {
    const record = { ...emptyMessage, chatid, messageid, messageTimestamp: at }
    return [addMessage(rowOf(record, 'one', new Uint8Array())), touchChat('one', record)]
  }
  const say = (...said: Parameters<typeof saying>) => store.commit(saying(...said))
  return { store, file, saying, say }
}

test.each([30, 7])(
  'messages go after as many days as the operator has said, of a chat the newest stay, and an empty chat is no chat (%i)',
  async (days) => {
    const { store, say } = await makeStage()
    await say('old', 'gone', NOW - (days + 1) * DAY)
    await say('new', 'kept', NOW - (days - 1) * DAY)
    for (let at = 0; at < 12; at += 1) await say('crowded', `m${at}`, NOW - 1000 + at)

    await forgetOldMessages(store, NOW, { days, aChat: 10 })
    const idsOf = async (chatid: string) =>
      (await listMessages(store, 'one', { chatids: [chatid] }, { limit: 100, offset: 0 })).map(
        (one) => one.messageid,
      )
    expect(await idsOf('old')).toEqual([])
    expect(await idsOf('new')).toEqual(['kept'])
    expect(await idsOf('crowded')).toEqual(Array.from({ length: 10 }, (_, at) => `m${11 - at}`))
    const wanted = actionInputs['chat.find'].parse({ limit: 10 })
    const { found } = await findChats(store, 'one', wanted, { owner: '', blocked: [] })
    expect(found.map(({ id }) => id)).toEqual(['crowded', 'new'])
  },
)

test('however much there is to forget, others write between its parts, and no part of it reads a table', async () => {
  const { store, file, saying } = await makeStage()
  const statements: Statement[] = []
  for (let n = 0; n < 3000; n++) statements.push(...saying(`chat ${n % 30}`, `old ${n}`, NOW - 31 * DAY + n))
  for (let n = 0; n < 3000; n++) statements.push(...saying(`chat ${n % 3}`, `new ${n}`, NOW - DAY + n))
  await store.commit(statements)
  const asked = new Map<string, InValue[]>()
  const rows: Store['rows'] = async (sql, ...params) => {
    asked.set(sql, params)
    const found = await store.rows(sql, ...params)
    expect(found.length).toBeLessThanOrEqual(20)
    return found
  }
  let turns = 0
  const others = setInterval(() => turns++)
  await forgetOldMessages({ ...store, rows }, NOW, { aChat: 10 })
  clearInterval(others)
  expect(turns).toBeGreaterThan(10)
  expect((await store.rows('SELECT count(*) AS kept FROM messages'))[0]?.kept).toBe(30)
  expect((await store.rows('SELECT count(*) AS kept FROM chats'))[0]?.kept).toBe(3)

  const database = new DatabaseSync(file, { readOnly: true })
  for (const [sql, params] of asked) {
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...(params as string[]))
    expect(plan.map(({ detail }) => detail).join('\n')).not.toMatch(/SCAN (messages|chats)|TEMP B-TREE/)
  }
  database.close()
  expect(asked.size).toBe(5)
})

test('a file is tidied up by another thread again and again, and no commit is refused or lost meanwhile', async () => {
  const { store, saying } = await makeStage()
  const count = async () => Number((await store.rows('SELECT count(*) AS kept FROM messages'))[0]?.kept)
  const failed: unknown[] = []
  const log = { error: (what: unknown) => failed.push(what) } as unknown as Log
  const old = (n: number) => saying(`chat ${n % 7}`, `old ${n}`, n)
  await store.commit(Array.from({ length: 1000 }, (_, n) => old(n)).flat())
  const forgetting = keepForgetting(store, 30, log, { first: 1, next: 1 })
  let written = 0
  do {
    for (let n = 0; n < 20; n++)
      // In many chats: of one with more than ten thousand messages the thread would rightly forget some.
      await store.commit(saying(`new ${written % 100}`, `new ${written++}`, Date.now()))
  } while ((await count()) > written)
  await store.commit(old(1000))
  await until(async () => (await count()) === written)
  await forgetting.stop()
  expect(failed).toEqual([])
})

test('a file that cannot be tidied up is logged, and tried again', async () => {
  const { store, file } = await makeStage()
  const failed = new Set<unknown>()
  const log = { error: (what: unknown) => failed.add(what) } as unknown as Log
  const forgetting = keepForgetting({ ...store, file: join(file, 'none.db') }, 30, log, { first: 1, next: 1 })
  await until(() => failed.size >= 2)
  await forgetting.stop()
})

test('forgetting ends when the host does', async () => {
  const { store, saying } = await makeStage()
  await store.commit(Array.from({ length: 3000 }, (_, n) => saying('old', `old ${n}`, n)).flat())
  const ending = new AbortController()
  const forgetting = forgetOldMessages(store, NOW, { signal: ending.signal })
  setTimeout(() => ending.abort(), 1)
  await expect(forgetting).rejects.toThrow('aborted')
  expect(Number((await store.rows('SELECT count(*) AS kept FROM messages'))[0]?.kept)).toBeGreaterThan(0)
})

test('the thread that forgets has ended in order when its stop is over, and has deleted nothing since', async () => {
  const { store, file, saying } = await makeStage()
  await store.commit(Array.from({ length: 3000 }, (_, n) => saying('old', `old ${n}`, n)).flat())
  const count = async () => Number((await store.rows('SELECT count(*) AS kept FROM messages'))[0]?.kept)
  const failed: unknown[] = []
  const log = { error: (what: unknown) => failed.push(what) } as unknown as Log
  const forgetting = keepForgetting(store, 30, log, { first: 1, next: 1 })
  await until(async () => (await count()) < 3000)
  await forgetting.stop()
  const left = await count()
  expect(left).toBeGreaterThan(0)
  await store.close()
  // Only who is alone with a file may have it to itself.
  const alone = new DatabaseSync(file)
  alone.exec('pragma locking_mode = exclusive; begin exclusive')
  expect(alone.prepare('SELECT count(*) AS kept FROM messages').get()).toEqual({ kept: left })
  alone.close()
  expect(failed).toEqual([])
})
