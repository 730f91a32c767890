// The search for chats in a store: names in every spelling, also those that have just changed, by indexes and without a write a message.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Client, createClient, type InStatement, type InValue } from '@libsql/client'
import type { ActionContext } from '@msgnet/session-host/actions/action.ts'
import { findChats } from '@msgnet/session-host/actions/search-actions.ts'
import { createRow } from '@msgnet/session-host/sessions/message-records.ts'
import { findChats as findStoredChats } from '@msgnet/session-host/store/chat-search.ts'
import { updateChat } from '@msgnet/session-host/store/chat-store.ts'
import { MIGRATIONS, openStore, type Store, statement } from '@msgnet/session-host/store/host-store.ts'
import { addMessage } from '@msgnet/session-host/store/message-store.ts'
import { buildNameStatements } from '@msgnet/session-host/store/name-store.ts'
import { buildSettingStatements } from '@msgnet/session-host/store/setting-store.ts'
import { openSharedStore } from '@msgnet/session-host/store/shared-store.ts'
import { storeUsernames } from '@msgnet/session-host/store/username-store.ts'
import { emptyMessage } from '@msgnet/shared/contract/message-requests.ts'
import { PERSON_SUFFIX } from '@msgnet/shared/jid.ts'
import { actionInputs } from '@msgnet/shared/wire/session-actions.ts'
import { drizzle } from 'drizzle-orm/libsql'
import { migrate } from 'drizzle-orm/libsql/migrator'
import { expect, onTestFinished, test } from 'vitest'
import { startDatabaseServer } from '../database-server.ts'

const instance = 'one'
const toJid = (number: string) => number + PERSON_SUFFIX
const toPerson = (number: string) => ({ id: toJid(number), pn: toJid(number), lid: `${number}0@lid` })

function createFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'search-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'host.db')
}

async function openStage(file = createFile()) {
  const store = await openStore(file, () => undefined)
  onTestFinished(() => void store.close())
  return createStage(store)
}

function createStage(store: Store) {
  let stored = 0
  const createMessage = (number: string, senderName: string) => {
    stored += 1
    const record = {
      ...emptyMessage,
      messageid: `m${stored}`,
      chatid: toJid(number),
      chatlid: `${number}0@lid`,
      senderName,
      messageTimestamp: stored * 1000,
    }
    return [addMessage(createRow(record, instance, new Uint8Array())), updateChat(instance, record)]
  }
  const receive = (number: string, senderName: string) => store.commit(createMessage(number, senderName))
  const saveContact = (number: string, name: string) =>
    store.commit(
      buildSettingStatements(store, instance, {
        kind: 'contact',
        person: toPerson(number),
        name,
        firstName: '',
      }),
    )
  const session = { store, instance, state: { owner: '1', now: { jid: '', lid: '' } } }
  const deadline = new AbortController().signal
  const context = { session, network: undefined, turnDeadline: deadline, log: { warn: () => undefined } }
  /** The numbers of the chats, newest first. */
  async function find(query: object): Promise<string[]> {
    const outcome = await findChats(
      context as unknown as ActionContext,
      actionInputs['chat.find'].parse(query),
    )
    if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome))
    expect(outcome.result.total).toBe(outcome.result.chats.length)
    return outcome.result.chats.map(({ id }) => id.replace(PERSON_SUFFIX, ''))
  }
  return { store, createMessage, receive, saveContact, find }
}

test.each([
  [{ search: 'sao jose' }, ['5511980000001']],
  [{ search: 'JOSÉ são' }, ['5511980000001']],
  [{ search: 'jose padaria' }, ['5511980000001']],
  [{ search: 'strasse' }, ['5511980000002']],
  [{ search: '@maria.s' }, ['5511980000002']],
  [{ search: 'maria' }, ['5511980000002']],
  [{ search: '(11) 98000-0002' }, ['5511980000002']],
  [{ search: '11 8000-0002' }, ['5511980000002']],
  [{ search: 's.msgnet' }, []],
  [{ search: 'jose strasse' }, []],
  [{ search: '100%' }, ['5511980000003']],
  [{ search: '\u0301' }, ['5511980000003', '5511980000002', '5511980000001']],
  [{ wa_name: '~padaria' }, ['5511980000001']],
  [{ wa_name: '~são' }, []],
  [{ wa_contactName: '~SAO' }, []],
  [{ wa_contactName: '~JOSE' }, ['5511980000001']],
  [{ name: '~STRASSE' }, ['5511980000002']],
  [{ name: '~' }, ['5511980000003', '5511980000002', '5511980000001']],
  [{ wa_contactName: '~', search: 'jose' }, ['5511980000001']],
  [{ operator: 'OR', name: '~weiß', phone: '~0003' }, ['5511980000003', '5511980000002']],
  [{ search: 'jose', wa_isGroup: true }, []],
])('%j finds %j', async (query, numbers) => {
  const { store, receive, saveContact, find } = await openStage()
  await receive('5511980000001', 'São José')
  await saveContact('5511980000001', 'Padaria do José')
  await receive('5511980000002', 'Weiße Straße')
  await store.commit([storeUsernames(instance, [{ ...toPerson('5511980000002'), username: 'Maria.S' }])])
  await receive('5511980000003', '100% Ben')
  expect(await find(query)).toEqual(numbers)
})

test('a name that has changed is found at once, whatever has changed it', async () => {
  const { store, receive, saveContact, find } = await openStage()
  const number = '5511980000001'
  await receive(number, '')
  await receive('5511980000002', 'Other')
  const findBoth = async (word: string) => [await find({ search: word }), await find({ name: `~${word}` })]
  const both = [[number], [number]]
  expect(await findBoth('zoe')).toEqual([[], []])
  for (const statements of buildNameStatements(instance, [{ person: toPerson(number), name: 'Zoë' }]))
    await store.commit(statements)
  expect(await findBoth('zoe')).toEqual(both)
  await receive(number, 'Łukasz')
  expect([await findBoth('zoe'), await findBoth('lukasz')]).toEqual([[[], []], both])
  await saveContact(number, 'Søren')
  expect(await findBoth('soren')).toEqual(both)
  await saveContact(number, 'Jürgen')
  expect([await findBoth('soren'), await findBoth('jurgen')]).toEqual([[[], []], both])
  await saveContact(number, '')
  expect([await findBoth('jurgen'), await findBoth('lukasz')]).toEqual([[[], []], both])
  // A version that does not know how names are folded.
  await store.commit([statement("UPDATE chats SET name = 'Ángel' WHERE chatid = ?", toJid(number))])
  expect([await findBoth('lukasz'), await findBoth('angel')]).toEqual([[[], []], both])
})

test('the names of a store of an earlier version are found', async () => {
  const file = createFile()
  const folder = join(file, '..', 'migrations')
  cpSync(MIGRATIONS, folder, { recursive: true })
  const list = join(folder, 'meta', '_journal.json')
  const journal = JSON.parse(readFileSync(list, 'utf8')) as { entries: { idx: number }[] }
  writeFileSync(list, JSON.stringify({ ...journal, entries: journal.entries.filter(({ idx }) => idx <= 6) }))
  const client = createClient({ url: pathToFileURL(file).href })
  await migrate(drizzle(client), { migrationsFolder: folder })
  const addChat =
    'INSERT INTO chats (instance, chatid, name, is_group, last_at, last_messageid) VALUES (?, ?, ?, 0, ?, ?)'
  const addContact = 'INSERT INTO contacts (instance, jid, name) VALUES (?, ?, ?)'
  await client.batch(
    Array.from({ length: 700 }, (_, n): InStatement[] => {
      const jid = toJid(String(5511980000000 + n))
      return [
        { sql: addChat, args: [instance, jid, `João ${n}`, n, ''] },
        { sql: addContact, args: [instance, jid, n % 2 ? `Müller ${n}` : `Nuñez ${n}`] },
      ]
    }).flat(),
    'write',
  )
  client.close()
  const { store, find } = await openStage(file)
  expect(await find({ search: 'joao 699' })).toEqual(['5511980000699'])
  expect(await find({ search: 'nunez 698' })).toEqual(['5511980000698'])
  expect(await store.rows('SELECT count(*) AS n FROM chats WHERE folded IS NULL')).toMatchObject([{ n: 0 }])
})

test('names are found in a store that hosts share', async () => {
  const server = await startDatabaseServer()
  onTestFinished(() => server.close())
  const store = await openSharedStore(server.url, server.token)
  onTestFinished(() => void store.close())
  const { receive, saveContact, find } = createStage(store)
  await receive('5511980000001', 'São José')
  expect(await find({ search: 'sao jose' })).toEqual(['5511980000001'])
  await saveContact('5511980000001', 'Zoë')
  expect([await find({ search: 'zoe' }), await find({ name: '~jose' })]).toEqual([['5511980000001'], []])
})

test('a search writes new names once, and a message with a known name writes none', async () => {
  const { store, receive, find } = await openStage()
  await receive('5511980000001', 'José')
  const { statements } = store.writeStats
  await find({ search: 'jose' })
  expect(store.writeStats.statements).toBe(statements + 1)
  await receive('5511980000001', 'José')
  await find({ search: 'jose' })
  expect(store.writeStats.statements).toBe(statements + 3)
  expect(await store.rows('SELECT folded FROM chats')).toMatchObject([{ folded: 'jose' }])
})

test('a name with a NUL in it is found, and the search for it ends', async () => {
  const { receive, saveContact, find } = await openStage()
  await receive('5511980000001', 'Ann\0Lee')
  await receive('5511980000002', 'Ben')
  await saveContact('5511980000002', '\0Cleo')
  expect(await find({ search: 'lee ann' })).toEqual(['5511980000001'])
  expect(await find({ search: 'cleo' })).toEqual(['5511980000002'])
})

test('a search that cannot store names compares them as they are', async () => {
  const { store, receive, find } = await openStage()
  await receive('5511980000001', 'Jose')
  await store.rows('PRAGMA query_only = ON')
  expect(await find({ search: 'JOSE' })).toEqual(['5511980000001'])
})

test('commits and quick reads do not wait for a search of many chats', async () => {
  const { store, createMessage, find } = await openStage()
  const numbers = Array.from({ length: 2000 }, (_, n) => String(5511980000000 + n))
  await store.commit(numbers.flatMap((number) => createMessage(number, `Somebody ${number}`)))
  const order: string[] = []
  const search = { wa_lastMessageTextVote: '~x', wa_lastMessageSender: '~y', phone: '~z', operator: 'OR' }
  const finding = find(search).then(() => order.push('found'))
  for (let n = 0; n < 3; n += 1) {
    await store.commit(createMessage('5511970000000', 'Meanwhile'))
    await store.rows('SELECT count(*) FROM chats')
    order.push('committed')
  }
  await finding
  expect(order).toEqual(['committed', 'committed', 'committed', 'found'])
})

test('names are searched in their indexes, and a page is read by its keys', async () => {
  const { store } = await openStage()
  const plans: string[] = []
  async function execute({ sql, args }: { sql: string; args: InValue[] }) {
    const steps = await store.rows(`EXPLAIN QUERY PLAN ${sql}`, ...args)
    plans.push(steps.map(({ detail }) => String(detail)).join('\n'))
    return { rows: plans.length === 1 ? [[1, '["a chat"]']] : [] }
  }
  const reader = { ...store, db: drizzle({ execute } as unknown as Client) }
  const explain = (query: object) =>
    findStoredChats(reader, instance, actionInputs['chat.find'].parse(query), {
      owner: '',
      own: [],
      blocked: [],
    })
  await explain({ search: 'jose' })
  expect(plans[0]).toMatch(/SEARCH chats USING INDEX chats_by_folded \(instance=\?\)/)
  expect(plans[0]).toMatch(/SEARCH contacts USING INDEX contacts_by_folded \(instance=\?\)/)
  expect(plans[0]).not.toMatch(/messages/)
  expect(plans[1]).toMatch(/SEARCH chats USING INDEX sqlite_autoindex_chats_1 \(instance=\? AND chatid=\?\)/)
  plans.length = 0
  await explain({})
  expect(plans[0]).toMatch(/SEARCH chats USING INDEX chats_by_age \(instance=\?\)/)
  expect(plans[0]).not.toMatch(/messages|contacts/)
})
