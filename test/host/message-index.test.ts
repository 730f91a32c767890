// The index of words: it is filled in the background, follows what changes, and costs neither a message nor a page much.
// @module-tag slow

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Log } from '@msgnet/session-host/process/host-log.ts'
import { createRow } from '@msgnet/session-host/sessions/message-records.ts'
import { openStore, type Store, statement } from '@msgnet/session-host/store/host-store.ts'
import { indexWaiting, searchMessages, startIndexing } from '@msgnet/session-host/store/message-index.ts'
import { addMessage, changeContent } from '@msgnet/session-host/store/message-store.ts'
import { deleteExpired } from '@msgnet/session-host/store/retention.ts'
import { emptyMessage } from '@msgnet/shared/contract/message-requests.ts'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../until.ts'

const NOW = Date.UTC(2026, 10, 28)
const MESSAGES = 100_000

async function createStore(): Promise<Store> {
  const dataDir = mkdtempSync(join(tmpdir(), 'message-index-'))
  const store = await openStore(join(dataDir, 'host.db'), () => undefined)
  onTestFinished(async () => {
    await store.close()
    rmSync(dataDir, { recursive: true })
  })
  return store
}

const createText = (
  messageid: string,
  text: string,
  wish: { at?: number; chatid?: string; disappearsAt?: number } = {},
) => {
  const { at = NOW, chatid = '5511@s.msgnet.net', disappearsAt } = wish
  const content = { text, ...(disappearsAt && { disappearsAt }) }
  const record = { ...emptyMessage, chatid, messageid, messageTimestamp: at, type: 'text', text, content }
  return createRow(record, 'one-1', new Uint8Array())
}

const find = async (store: Store, search: string, wish: object = {}): Promise<string[]> => {
  const page = { limit: 50, offset: 0 }
  return (await searchMessages(store, 'one-1', { search, ...wish }, page)).map(({ messageid }) => messageid)
}

test('existing messages are indexed in the background, and the last few by the next search', async () => {
  const store = await createStore()
  const failed: unknown[] = []
  const log = { error: (what: unknown) => failed.push(what) } as unknown as Log
  const rows = Array.from({ length: 1000 }, (_, n) => addMessage(createText(`m${n}`, `alpha word${n}`)))
  await store.commit(rows)
  expect(await indexWaiting(store)).toBe(false)
  const indexing = startIndexing(store, log, { check: 1, pause: 1 })
  await until(async () => (await find(store, 'word900')).length === 1)
  await indexing.stop()
  expect(await find(store, 'word999')).toEqual([])
  expect(await indexWaiting(store)).toBe(true)
  expect(await find(store, 'word999')).toEqual(['m999'])
  expect(await find(store, 'word0 ALPHA')).toEqual(['m0'])
  expect(failed).toEqual([])
})

test('a message in the row of a deleted one is found, and the deleted one is not', async () => {
  const store = await createStore()
  await store.commit(['a', 'b', 'c'].map((id) => addMessage(createText(id, `text ${id}`))))
  await indexWaiting(store)
  await store.commit([statement("DELETE FROM messages WHERE messageid IN ('b', 'c')")])
  await store.commit([addMessage(createText('d', 'other words'))])
  await indexWaiting(store)
  expect(await find(store, 'text')).toEqual(['a'])
  expect(await find(store, 'other')).toEqual(['d'])
})

test('a message in the row of a deleted one is found, also where the last of the deleted were not indexed yet', async () => {
  const store = await createStore()
  await store.commit(['a', 'b', 'c'].map((id) => addMessage(createText(id, `text ${id}`))))
  await indexWaiting(store)
  await store.commit([addMessage(createText('d', 'text d'))])
  await store.commit([statement("DELETE FROM messages WHERE messageid <> 'a'")])
  await store.commit(['e', 'f'].map((id) => addMessage(createText(id, 'other words'))))
  expect(await indexWaiting(store)).toBe(true)
  expect(await find(store, 'text')).toEqual(['a'])
  expect(await find(store, 'other')).toEqual(['f', 'e'])
})

test('what is rewritten is found by its new words, and what has disappeared by none', async () => {
  const store = await createStore()
  const [edited, gone] = [createText('edited', 'before'), createText('gone', 'secret', { disappearsAt: NOW })]
  await store.commit([addMessage(edited), addMessage(gone)])
  await indexWaiting(store)
  const record = { ...edited.record, text: 'after' }
  await store.commit([changeContent(store, { ...edited, record })])
  await deleteExpired(store, NOW)
  await indexWaiting(store)
  expect(await find(store, 'before')).toEqual([])
  expect(await find(store, 'after')).toEqual(['edited'])
  expect(await store.rows("SELECT rowid FROM message_words WHERE message_words MATCH 'secret'")).toEqual([])
})

test.each([
  ['我想要退款，谢谢', ['退款', '退', '我想要退款', '谢谢', '谢谢 退款'], ['款退', '退货']],
  ['明日の会議は東京タワーで', ['会議', '東京', 'タワー', '明日の'], ['京都', 'タワ東']],
  ['ราคาเท่าไหร่ครับ', ['เท่าไหร่', 'ราคา'], ['ไหร่เท่า']],
  ['Paid 🎉🎉 ❤️ thanks', ['🎉', '🎉🎉', '❤', '❤️', 'paid 🎉'], ['🎂', '🎉🎉🎉']],
  ['order№退款 now', ['退款', 'NOW'], ['退order']],
  [`${'長い文'.repeat(90)}終わり`, ['終わり', '文終わ', '文長い文長'], ['終い']],
])('of %s any part is found', async (text, parts, others) => {
  const store = await createStore()
  await store.commit([addMessage(createText('a', text)), addMessage(createText('b', 'other words'))])
  await indexWaiting(store)
  for (const part of parts) expect([part, await find(store, part)]).toEqual([part, ['a']])
  for (const other of others) expect([other, await find(store, other)]).toEqual([other, []])
})

test('a NUL parts words, in a text and in a search', async () => {
  const store = await createStore()
  await store.commit([addMessage(createText('a', 'before\0after \\u0000 \\\0last'))])
  expect(await indexWaiting(store)).toBe(true)
  for (const words of ['before', 'after', 'last', 'before\0last', '\0after'])
    expect({ words, found: await find(store, words) }).toEqual({ words, found: ['a'] })
})

test('what stands in a search is no syntax, and another account is not read', async () => {
  const store = await createStore()
  await store.commit([addMessage(createText('a', 'half-price "offer" AND more'))])
  await indexWaiting(store)
  for (const words of ['half-price', '"offer"', 'AND', 'more*', 'offer" OR "x'.slice(0, 6)])
    expect({ words, found: await find(store, words) }).toEqual({ words, found: ['a'] })
  for (const words of ['OR', 'NOT', 'words:more', '👍', '*', 'ione1x'])
    expect({ words, found: await find(store, words) }).toEqual({ words, found: [] })
  const others = await searchMessages(store, 'another', { search: 'offer' }, { limit: 50, offset: 0 })
  expect(others).toEqual([])
})

test(`a page of two words among ${MESSAGES.toLocaleString('en')} messages takes less than 20 ms of the processor, and sixty messages are indexed by three statements`, async () => {
  const store = await createStore()
  const words = Array.from({ length: 2000 }, (_, n) => `w${n.toString(36)}x`)
  const pick = (n: number) => words[Math.floor((((n * 7919) % 10_007) / 10_007) ** 3 * words.length)]
  for (let from = 0; from < MESSAGES; from += 5000)
    await store.commit(
      Array.from({ length: 5000 }, (_, n) => {
        const text = Array.from({ length: 10 }, (_, k) => pick((from + n) * 10 + k)).join(' ')
        return addMessage(
          createText(`m${from + n}`, text, {
            at: NOW - (from + n) * 1000,
            chatid: `${n % 500}@s.msgnet.net`,
          }),
        )
      }),
    )
  const before = store.writeStats.statements
  while (!(await indexWaiting(store)));
  expect((store.writeStats.statements - before) / MESSAGES).toBeLessThan(0.051)
  for (const search of [`${words[0]}`, `${words[0]} ${words[1]}`, `${words[0]} ${words[900]}`]) {
    const began = process.cpuUsage()
    for (let run = 0; run < 10; run += 1) await find(store, search)
    const { user, system } = process.cpuUsage(began)
    expect((user + system) / 10_000, search).toBeLessThan(20)
  }
})
