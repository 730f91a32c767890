// A database of before there was one delivery engine, taken over: what was delivered, waits, is dead or paused at any webhook is still so.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient } from '@libsql/client'
import { migrateEdge } from '@msgnet/cli/migrate.ts'
import { FileDatabase } from '@msgnet/edge/node/file-database.ts'
import type { Runtime } from '@msgnet/edge/runtime/runtime.ts'
import { openStore } from '@msgnet/edge/store/database/open-store.ts'
import { listEarlierAttempts } from '@msgnet/edge/store/events/attempt-queries.ts'
import { findEvent, listEvents } from '@msgnet/edge/store/events/event-queries.ts'
import { readInOrder, readRetries } from '@msgnet/edge/store/events/lane-queue.ts'
import { listFailures, listFirstFailures, listOutcomes } from '@msgnet/edge/store/events/outcome-queries.ts'
import { countSelected, makeDueAgain } from '@msgnet/edge/store/events/replay-queries.ts'
import { findFirstWebhook, listWebhooks } from '@msgnet/edge/store/webhook-queries.ts'
import { migrate } from 'drizzle-orm/libsql/migrator'
import { drizzle } from 'drizzle-orm/libsql/web'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..', '..')
/** The last migration of the version before. */
const BEFORE = 4
const folder = mkdtempSync(join(tmpdir(), 'take-over-'))
const file = join(folder, 'edge.db')
const url = pathToFileURL(file).href

/** The migrations of the version before, as it has them. */
function copyMigrations(): string {
  const copied = join(folder, 'migrations')
  cpSync(join(root, 'migrations', 'edge'), copied, { recursive: true })
  const journalFile = join(copied, 'meta', '_journal.json')
  const journal = JSON.parse(readFileSync(journalFile, 'utf8'))
  const entries = journal.entries.filter(({ idx }: { idx: number }) => idx <= BEFORE)
  writeFileSync(journalFile, JSON.stringify({ ...journal, entries }))
  return copied
}

const INSTANCES = `insert into instances (id, kind, name, token_hash, last_seq, created_at, updated_at) values
  ('own', 'msgnet', 'Own', 'hash 1', 12, 1, 1), ('inheriting', 'msgnet', 'Inheriting', 'hash 2', 2, 1, 1),
  ('off', 'msgnet', 'Off', 'hash 3', 1, 1, 1), ('new', 'msgnet', 'New', 'hash 4', 0, 1, 1), ('left', 'msgnet', 'Left', 'hash 5', 2, 1, 1)`

const SUBSCRIPTIONS = `insert into subscriptions
  (instance_id, id, mode, url, events, ignored_events, enabled, secret, headers, header_names, created_at, updated_at, since, last_delivered_at, failing_since, last_failure) values
  ('own', 'first', 'own', 'https://a.example/', '["messages"]', '["qrcode"]', 1, x'01', x'02', '["x-key"]', 5, 6, 7, 8, 9, '{"error":"status_500"}'),
  ('inheriting', 'inherited', 'inherited', 'https://g.example/', '["messages"]', '[]', 0, x'03', null, null, 5, 6, 7, 0, 0, null),
  ('off', 'off', 'off', '', '[]', '[]', 0, null, null, null, 5, 6, 7, 0, 0, null)`

const FURTHER = `insert into further_webhooks
  (id, instance_id, url, events, ignored_events, enabled, chats, secret, created_at, updated_at, cursor, since, gone) values
  ('paused', 'own', 'https://b.example/', '["messages"]', '[]', 0, null, x'04', 20, 20, 10, 20, 0),
  ('of groups', 'own', 'https://c.example/', '["messages"]', '[]', 1, '["groups"]', null, 21, 21, 9, 21, 0),
  ('resting', 'off', 'https://d.example/', '["messages","groups"]', '[]', 1, null, null, 22, 22, 0, 22, 1)`

/** Columns of an event that say what became of it. */
const none = { attempts: 0, next: null, last: null, delivered: null, dead: null, status: null, error: null }
interface Before {
  instance: string
  seq: number
  became: string
  outcome?: Partial<Record<keyof typeof none, number | string | null>>
  type?: string
  chat?: string
}
const delivered = { attempts: 1, last: 100, delivered: 100, status: 200 }
const events: Before[] = [
  { instance: 'own', seq: 1, became: 'delivered', outcome: delivered },
  { instance: 'own', seq: 2, became: 'delivered' },
  {
    instance: 'own',
    seq: 3,
    became: 'dead',
    outcome: { attempts: 12, last: 90, dead: 95, status: 500, error: 'status_500' },
  },
  { instance: 'own', seq: 4, became: 'dead', outcome: { dead: 5, error: 'destination_changed' } },
  { instance: 'own', seq: 5, became: 'dead', outcome: { dead: 50, error: 'not_storable' } },
  {
    instance: 'own',
    seq: 6,
    became: 'pending',
    outcome: { attempts: 5, last: 90, next: 9e15, status: 503, error: 'status_503' },
  },
  { instance: 'own', seq: 7, became: 'delivered', outcome: delivered },
  {
    instance: 'own',
    seq: 8,
    became: 'pending',
    outcome: { attempts: 2, last: 90, next: 8e15, status: 503, error: 'status_503' },
  },
  { instance: 'own', seq: 9, became: 'pending', outcome: { next: 60 } },
  { instance: 'own', seq: 10, became: 'delivered', type: 'call' },
  { instance: 'own', seq: 11, became: 'pending', outcome: { next: 60 }, chat: '120363000000000001@g.us' },
  { instance: 'own', seq: 12, became: 'pending', outcome: { next: 60 } },
  { instance: 'inheriting', seq: 1, became: 'pending', outcome: { next: 60 } },
  { instance: 'inheriting', seq: 2, became: 'pending', outcome: { next: 60 } },
  { instance: 'off', seq: 1, became: 'delivered' },
  { instance: 'left', seq: 1, became: 'delivered', outcome: delivered },
  { instance: 'left', seq: 2, became: 'delivered' },
]

function toInsert({
  instance,
  seq,
  became,
  outcome,
  type = 'messages',
  chat = '5511900000001@s.msgnet.net',
}: Before) {
  const { attempts, next, last, delivered: at, dead, status, error } = { ...none, ...outcome }
  const payload = JSON.stringify({ message: { chatid: chat, text: 'hello' } })
  return {
    sql: `insert into events (id, instance_id, seq, type, owner, payload, at, created_at, status, attempts, next_attempt_at,
      last_attempt_at, delivered_at, dead_at, last_status, last_error, last_response)
      values (?, ?, ?, ?, '', ?, 40, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    args: [
      `${instance} ${seq}`,
      instance,
      seq,
      type,
      payload,
      40 + seq,
      became,
      attempts,
      next,
      last,
      at,
      dead,
      status,
      error,
    ]
      .map((value) => value ?? null)
      .concat(error === 'status_500' ? [new Uint8Array([7]) as never] : [null]),
  }
}

const FURTHER_DELIVERIES = `insert into further_deliveries
  (webhook_id, event_id, seq, status, attempts, next_attempt_at, last_attempt_at, delivered_at, dead_at, last_status, last_error) values
  ('paused', 'own 1', 1, 'delivered', 1, null, 100, 100, null, 200, null),
  ('paused', 'own 3', 3, 'dead', 12, null, 90, null, 95, 500, 'status_500'),
  ('paused', 'own 6', 6, 'pending', 4, 9e15, 90, null, null, 503, 'status_503'),
  ('of groups', 'own 11', 11, 'pending', 1, 8e15, 90, null, null, 503, 'status_503')`

const store = () => openStore({ runtime: { openDatabase: () => database } as unknown as Runtime })
let database: FileDatabase

beforeAll(async () => {
  const client = createClient({ url })
  await migrate(drizzle(client), { migrationsFolder: copyMigrations() })
  await client.batch(
    [
      INSTANCES,
      SUBSCRIPTIONS,
      FURTHER,
      ...events.map(toInsert),
      FURTHER_DELIVERIES,
      `insert into earlier_attempts (event_id, number, at, duration, status, error) values ('own 3', 1, 80, 5, 500, 'status_500'), ('own 8', 1, 85, 5, 503, 'status_503')`,
    ],
    'write',
  )
  client.close()
  await migrateEdge({ url, token: '' })
  database = new FileDatabase(file, (error) => {
    throw error
  })
})
afterAll(async () => {
  await database.close()
  rmSync(folder, { recursive: true })
})

const findLane = async (instance: string, id: string) => {
  const found = (await listWebhooks(store(), instance)).find((webhook) => webhook.id === id)
  if (!found) throw new Error(`there is no webhook ${id}`)
  return found
}

test('each webhook keeps its settings, its secret, its health and its place', async () => {
  const own = await listWebhooks(store(), 'own')
  expect(own.map(({ id, position, mode, enabled }) => [id, position, mode, enabled])).toEqual([
    ['first', 0, 'own', true],
    ['paused', 1, 'own', false],
    ['of groups', 2, 'own', true],
  ])
  const [first, paused, ofGroups] = own
  expect(first).toMatchObject({
    url: 'https://a.example/',
    ignoredEvents: ['qrcode'],
    headerNames: ['x-key'],
    since: 7,
    lastDeliveredAt: 8,
    failingSince: 9,
    lastFailure: { error: 'status_500' },
  })
  expect([first?.secret, paused?.secret].map((bytes) => [...new Uint8Array(bytes ?? [])])).toEqual([[1], [4]])
  expect(ofGroups?.chats).toEqual(['groups'])
  expect(await findFirstWebhook(store(), 'inheriting')).toMatchObject({ mode: 'inherited', id: 'inherited' })
  expect(await findFirstWebhook(store(), 'off')).toMatchObject({ mode: 'off' })
  expect(await findFirstWebhook(store(), 'new')).toBeUndefined()
  expect((await listWebhooks(store(), 'off')).map(({ id, gone }) => [id, gone])).toEqual([['resting', true]])
})

test('an event says of itself what it said before', async () => {
  const { rows } = await listEvents(store(), 'own', { limit: 50, afterSeq: 0 })
  const shown = rows.map((row) => [row.seq, row.status, row.attempts, row.nextAttemptAt, row.lastError])
  expect(shown).toEqual([
    [1, 'delivered', 1, null, null],
    [2, 'delivered', 0, null, null],
    [3, 'dead', 12, null, 'status_500'],
    [4, 'dead', 0, null, 'destination_changed'],
    [5, 'dead', 0, null, 'not_storable'],
    [6, 'pending', 5, 9e15, 'status_503'],
    [7, 'delivered', 1, null, null],
    [8, 'pending', 2, 8e15, 'status_503'],
    [9, 'pending', 0, 49, null],
    [10, 'delivered', 0, null, null],
    [11, 'pending', 0, 51, null],
    [12, 'pending', 0, 52, null],
  ])
  expect(rows[0]).toMatchObject({ deliveredAt: 100, lastStatus: 200 })
  expect(rows[1]?.deliveredAt).toBeNull()
  const left = await findEvent(store(), 'left 1', undefined)
  expect(left?.event).toMatchObject({ status: 'delivered', deliveredAt: 100 })
})

test('events are found by what became of them', async () => {
  const listSeqs = async (filter: object) =>
    (await listEvents(store(), 'own', { limit: 50, ...filter })).rows.map(({ seq }) => seq)
  expect(await listSeqs({ status: 'pending' })).toEqual([12, 11, 9, 8, 6])
  expect(await listSeqs({ status: 'pending', afterSeq: 8 })).toEqual([9, 11, 12])
  expect(await listSeqs({ status: 'dead' })).toEqual([5, 4, 3])
  expect(await listSeqs({ status: 'delivered' })).toEqual([10, 7, 2, 1])
  expect(await listSeqs({ unaddressed: true })).toEqual([10, 2])
  expect(await listSeqs({ status: 'delivered', unaddressed: false })).toEqual([7, 1])
})

test('attempts and failures are those of before', async () => {
  const [event] = (await listEvents(store(), 'own', { limit: 1, beforeSeq: 4 })).rows
  if (!event) throw new Error('the event is gone')
  expect(event.lastResponse && [...new Uint8Array(event.lastResponse)]).toEqual([7])
  expect(await listEarlierAttempts(store(), event)).toMatchObject([{ number: 1, at: 80, status: 500 }])
  expect((await listFirstFailures(store(), 'own', 50)).map(({ seq }) => seq)).toEqual([8, 6, 5, 4, 3])
  const paused = await findLane('own', 'paused')
  expect((await listFailures(store(), paused, 50)).map(({ seq, status }) => [seq, status])).toEqual([
    [6, 'pending'],
    [3, 'dead'],
  ])
})

test('each webhook goes on where it was, in order, and nothing is sent again', async () => {
  const readSeqs = async (id: string) => {
    const { lane } = await findLane('own', id)
    await database.write([{ sql: 'update webhooks set enabled = 1 where lane = ?', args: [lane] }])
    const [ordered, retried] = [await readInOrder(store(), lane, 0, 50), await readRetries(store(), lane, 50)]
    return [ordered, retried].map((page) => page?.events.map(({ seq, attempts }) => [seq, attempts]))
  }
  expect(await readSeqs('first')).toEqual([
    [
      [8, 2],
      [9, 0],
      [11, 0],
      [12, 0],
    ],
    [[6, 5]],
  ])
  expect(await readSeqs('paused')).toEqual([
    [
      [11, 0],
      [12, 0],
    ],
    [[6, 4]],
  ])
  expect(await readSeqs('of groups')).toEqual([[[11, 1]], []])
  const inherited = await findFirstWebhook(store(), 'inheriting')
  expect(inherited).toMatchObject({ pending: 2, dead: 0 })
  expect((await findFirstWebhook(store(), 'own'))?.pending).toBe(5)
  // One died at this URL; the other before it was set.
  expect((await findFirstWebhook(store(), 'own'))?.dead).toBe(1)
  expect(await findLane('own', 'paused')).toMatchObject({ pending: 3, dead: 1 })
  expect(await findLane('off', 'resting')).toMatchObject({ pending: 1, dead: 0 })
})

test('what became of an event at each webhook is listed, the first before the others', async () => {
  const outcomes = await listOutcomes(store(), ['own 1', 'own 11'])
  const shown = outcomes.map(({ eventId, webhookId, status, attempts }) => [
    eventId,
    webhookId,
    status,
    attempts,
  ])
  expect(shown.filter(([id]) => id === 'own 1')).toEqual([
    ['own 1', 'first', 'delivered', 1],
    ['own 1', 'paused', 'delivered', 1],
  ])
  expect(shown.filter(([id]) => id === 'own 11')).toEqual([
    ['own 11', 'first', 'pending', 0],
    ['own 11', 'paused', 'pending', 0],
    ['own 11', 'of groups', 'pending', 1],
  ])
})

test('the dead are replayed, and a deleted event takes what became of it along', async () => {
  const { lane } = await findLane('own', 'first')
  expect(await countSelected(store(), lane, { status: 'dead' })).toBe(3)
  // One could not be stored whole: it is for no receiver.
  expect(await makeDueAgain(store(), lane, { status: 'dead' }, 10)).toBe(2)
  await database.write([{ sql: "delete from events where instance_id = 'own' and seq <= 3", args: [] }])
  const count = `select count(*) from deliveries d join webhooks w on w.lane = d.lane where w.instance_id = 'own' and d.seq <= 3`
  const [left] = await database.read([{ sql: count, args: [] }])
  expect(left?.rows).toEqual([[0]])
})
