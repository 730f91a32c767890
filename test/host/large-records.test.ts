// Large records: read in bounded pages, and exported cut where no page holds one.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ActionContext } from '@msgnet/session-host/actions/action.ts'
import { exportRows } from '@msgnet/session-host/actions/host-session-actions.ts'
import { findMessages } from '@msgnet/session-host/actions/search-actions.ts'
import type { NetworkGroup } from '@msgnet/session-host/driver/group-network.ts'
import { storeGroup } from '@msgnet/session-host/store/group-store.ts'
import { openStore, type Store } from '@msgnet/session-host/store/host-store.ts'
import { addMessage, listUnreadMessages, type MessageRow } from '@msgnet/session-host/store/message-store.ts'
import { emptyMessage } from '@msgnet/shared/contract/message-requests.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'

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
    storedAt: null,
    expiresAt: null,
  }
}

function createGroup(name: string, size: number): NetworkGroup {
  const person = { id: 'ben', pn: '', lid: '' }
  const member = { ...person, role: 'member' as const, name: 'n'.repeat(100), error: 0 }
  return {
    jid: `${name}@g.us`,
    owner: person,
    subject: name,
    topic: '',
    created: 1,
    locked: false,
    announce: false,
    ephemeral: 0,
    joinApproval: false,
    memberAddMode: 'admin_add',
    addressing: 'lid',
    members: Array.from({ length: size }, () => member),
  }
}

beforeAll(async () => {
  store = await openStore(join(folder, 'host.db'), () => undefined)
  const rows = Array.from({ length: 60 }, (_, n) => createRow('long', n, 'x'.repeat(200 * KIB)))
  const sizes = { before: 1, large: 4000, other: 1 }
  const groups = Object.entries(sizes).map(([name, members]) => createGroup(name, members))
  await store.commit([...rows.map(addMessage), ...groups.map((group) => storeGroup(store, instance, group))])
  const { parse } = JSON
  JSON.parse = (text, reviver) => {
    read += text.length
    return parse(text, reviver)
  }
  const session = { store, instance, groups: { isOwnMember: () => false }, network: undefined }
  context = { session, deadline: new AbortController().signal } as unknown as ActionContext
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

test('no more records are read than a page holds', async () => {
  read = 0
  const first = await readPage('long', 0)
  expect(first).toMatchObject({ nextOffset: 1, hasMore: true })
  expect(read).toBeLessThan(1300 * KIB)
  expect((await readPage('long', 59)).hasMore).toBe(false)
})

/** All rows of an export, in pages that a frame holds. */
async function exportAll(what: 'message' | 'group'): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = []
  let after: string | null = ''
  while (after !== null) {
    read = 0
    const outcome = await exportRows(context, { what, after })
    if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome))
    expect(JSON.stringify(outcome.result.rows).length).toBeLessThan(560 * KIB)
    expect(read).toBeLessThan(3000 * KIB)
    rows.push(...outcome.result.rows)
    after = outcome.result.next
  }
  return rows
}

test('an export has each record once', async () => {
  const ids = (await exportAll('message')).map(({ messageid }) => messageid)
  expect(ids).toHaveLength(60)
  expect(new Set(ids).size).toBe(60)
})

test('an export has a group that no frame holds cut and marked, and those behind it', async () => {
  expect((await exportAll('group')).map(({ Name, truncated }) => [Name, truncated])).toEqual([
    ['before', undefined],
    ['large', true],
    ['other', undefined],
  ])
})

test('unread messages are found without reading their texts', async () => {
  read = 0
  const unread = await listUnreadMessages(store, instance, ['long'], 100)
  expect(unread).toHaveLength(60)
  expect(unread[0]).toEqual({ messageid: 'long059', chatid: 'long', sender: 'friend', isGroup: false })
  expect(read).toBe(0)
})
