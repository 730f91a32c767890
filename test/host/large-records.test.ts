// Records that are too large, as earlier versions stored them, and pages of large ones: answered cut, and in bounded parts.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ActionContext } from '../../session-host/actions/action.ts'
import { exportRows } from '../../session-host/actions/host-session-actions.ts'
import { findMessages } from '../../session-host/actions/search-actions.ts'
import { openStore, type Store } from '../../session-host/store/host-store.ts'
import { addMessage, listUnreadMessages, type MessageRow } from '../../session-host/store/message-store.ts'
import { emptyMessage } from '../../shared/contract/message-requests.ts'

const KIB = 1024
const folder = mkdtempSync(join(tmpdir(), 'large-'))
const instance = crypto.randomUUID()
let store: Store
let context: ActionContext
/** Bytes that were read of records. */
let read = 0

function createRow(chatid: string, n: number, text: string, content = {}): MessageRow {
  const messageid = `${chatid}${String(n).padStart(3, '0')}`
  const record = { ...emptyMessage, messageid, chatid, text, content, sender: 'friend', messageTimestamp: n }
  return {
    instance,
    messageid,
    chatid,
    at: n,
    fromMe: false,
    change: false,
    unread: true,
    trackId: '',
    record,
    encoded: null,
    requestId: null,
    traceparent: null,
  }
}

beforeAll(async () => {
  store = await openStore(join(folder, 'host.db'), () => undefined)
  const choices = Array.from({ length: 250_000 }, () => '')
  const rows = Array.from({ length: 60 }, (_, n) => createRow('long', n, 'x'.repeat(200 * KIB)))
  await store.commit([
    addMessage(createRow('poll', 1, 'before')),
    addMessage(createRow('poll', 2, 'which?', { votes: [{ sender: 'ben', choices }] })),
    addMessage(createRow('poll', 3, 'after')),
    ...rows.map(addMessage),
  ])
  const { parse } = JSON
  JSON.parse = (text, reviver) => {
    read += text.length
    return parse(text, reviver)
  }
  const session = { store, instance, groups: { isOwn: () => false }, network: undefined }
  context = { session } as unknown as ActionContext
})

afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

async function readPage(chatid: string, offset: number) {
  const found = await findMessages(context, { chatid, limit: 100, offset } as never)
  if (found.kind !== 'done') throw new Error(JSON.stringify(found))
  return found.result
}

test('a chat with a record larger than a frame is read to its end, and that record is cut and marked', async () => {
  const ids: string[] = []
  for (let offset = 0, hasMore = true; hasMore; ) {
    const { messages, ...place } = await readPage('poll', offset)
    expect(JSON.stringify(messages).length).toBeLessThan(560 * KIB)
    ids.push(...messages.map(({ messageid }) => messageid))
    for (const { messageid, truncated } of messages) expect(truncated).toBe(messageid === 'poll002')
    ;({ hasMore, nextOffset: offset } = place)
  }
  expect(ids).toEqual(['poll003', 'poll002', 'poll001'])
})

test('no more records are read than a page holds', async () => {
  read = 0
  const first = await readPage('long', 0)
  expect(first).toMatchObject({ nextOffset: 1, hasMore: true })
  expect(read).toBeLessThan(1300 * KIB)
  expect((await readPage('long', 59)).hasMore).toBe(false)
})

test('an export has each record once, and those larger than a frame are cut and marked', async () => {
  const ids: string[] = []
  let after: string | null = ''
  while (after !== null) {
    read = 0
    const outcome = await exportRows(context, { what: 'message', after })
    if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome))
    expect(JSON.stringify(outcome.result.rows).length).toBeLessThan(560 * KIB)
    expect(read).toBeLessThan(3000 * KIB)
    ids.push(...outcome.result.rows.map(({ messageid }) => String(messageid)))
    after = outcome.result.next
  }
  expect(ids).toHaveLength(63)
  expect(new Set(ids).size).toBe(63)
})

test('unread messages are found without reading their texts', async () => {
  read = 0
  const unread = await listUnreadMessages(store, instance, ['long'], 100)
  expect(unread).toHaveLength(60)
  expect(unread[0]).toEqual({ messageid: 'long059', chatid: 'long', sender: 'friend', isGroup: false })
  expect(read).toBe(0)
})
