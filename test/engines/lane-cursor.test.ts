// The cursor of a webhook, on a real file of the database with more events than one read or write takes.

import { passOverUnwanted } from '@msgnet/edge/store/events/due-instances.ts'
import { readInOrder, readRetries } from '@msgnet/edge/store/events/lane-queue.ts'
import { countSelected, makeDueAgain } from '@msgnet/edge/store/events/replay-queries.ts'
import {
  changeWebhook,
  findFirstWebhook,
  findWebhook,
  saveFirstWebhook,
  type WebhookEdit,
} from '@msgnet/edge/store/webhook-queries.ts'
import { expect, test } from 'vitest'
import { addEvents, addInstances, openEdgeFile } from './edge-file.ts'

const EVENTS = 1300
const instanceId = 'id-00001'
const id = 'webhook'
const LANE = 7

const POSITION = 2
const WANTED = 1 << POSITION

/** An instance with a webhook that is at its beginning, and messages, which the webhook wants if it names them. */
async function openWaiting(events: string[], enabled: boolean) {
  const { store, database } = await openEdgeFile()
  const write = (sql: string, ...args: (string | number)[]) => database.write([{ sql, args }])
  const wanted = events.includes('messages') ? WANTED : 0
  await database.write([addInstances(1), addEvents(instanceId, EVENTS, wanted)])
  await write('update instances set last_seq = ?1', EVENTS)
  await write(
    `insert into webhooks (lane, id, instance_id, position, mode, url, events, ignored_events, enabled, created_at, updated_at, cursor)
    values (${LANE}, ?1, ?2, ${POSITION}, 'own', 'https://a.example/', ?3, '[]', ?4, 1, 1, 0)`,
    id,
    instanceId,
    JSON.stringify(events),
    enabled ? 1 : 0,
  )
  const find = async () => {
    const webhook = await findWebhook(store, instanceId, id)
    if (!webhook) throw new Error('the webhook is gone')
    return webhook
  }
  const change = async (settings: WebhookEdit['settings']) =>
    changeWebhook(store, await find(), { settings, secret: { kind: 'keep' }, also: [] })
  const countRows = async () => {
    const [found] = await database.read([
      { sql: 'select status, last_error, count(*) from deliveries group by 1, 2', args: [] },
    ])
    return found?.rows
  }
  return { store, write, find, change, countRows }
}

test('the tick passes over what a paused webhook does not want, up to what it wants', async () => {
  const { store, write, find } = await openWaiting(['groups'], false)
  await write(`update events set wanted = ${WANTED} where seq = 900`)
  const cursors: number[] = []
  for (let tick = 0; tick < 3; tick++) {
    await passOverUnwanted(store)
    cursors.push((await find()).cursor)
  }
  expect(cursors).toEqual([500, 899, 899])
  expect((await find()).pending).toBe(1)
})

test('the tick passes over no event that failed and delays others', async () => {
  const { store, write, find } = await openWaiting(['groups'], true)
  await write(
    `insert into deliveries (lane, seq, status, attempts, next_attempt_at) values (${LANE}, 300, 'pending', 1, 1e15)`,
  )
  await write(
    `insert into deliveries (lane, seq, status, attempts, next_attempt_at) values (${LANE}, 200, 'pending', 4, 1e15)`,
  )
  await passOverUnwanted(store)
  expect((await find()).cursor).toBe(299)
})

test('another URL leaves every event that waited as dead, though they are more than one write takes', async () => {
  const { find, change, countRows } = await openWaiting(['messages'], false)
  expect((await find()).pending).toBe(EVENTS)
  await change({ url: 'https://b.example/' })
  expect(await countRows()).toEqual([['dead', 'destination_changed', EVENTS]])
  expect(await find()).toMatchObject({ cursor: EVENTS, pending: 0, dead: 0, url: 'https://b.example/' })
})

test('the first webhook too: what waited for its previous URL does not count as dead at the next', async () => {
  const { store, write } = await openWaiting(['messages'], false)
  const destination = {
    url: 'https://a.example/',
    events: [],
    ignoredEvents: [],
    excludeMessages: null,
    enabled: true,
  }
  const save = (url: string) =>
    saveFirstWebhook(store, instanceId, { ...destination, url }, { kind: 'keep' }, [])
  await save('https://a.example/')
  await write('update webhooks set cursor = 0 where position = 0')
  await write('update events set wanted = 1')
  expect(await findFirstWebhook(store, instanceId)).toMatchObject({ pending: EVENTS })
  await save('https://b.example/')
  expect(await findFirstWebhook(store, instanceId)).toMatchObject({ pending: 0, dead: 0 })
})

test('another choice of events leaves out what waits, and does not bring what was not wanted before', async () => {
  const { write, find, change } = await openWaiting(['messages'], false)
  await write("update events set type = 'groups' where seq = 1200")
  await write('update events set wanted = 0 where seq <= 1000')
  expect(await find()).toMatchObject({ cursor: 0, pending: EVENTS - 1000 })
  await change({ events: ['groups'] })
  expect((await find()).pending).toBe(1)
  await change({ events: ['messages'] })
  expect((await find()).pending).toBe(0)
})

test('a replay queues the first events that match, in order, and pages of them are read without the rest', async () => {
  const { store, write } = await openWaiting(['messages'], true)
  await write('update webhooks set cursor = ?1', EVENTS)
  const selection = { fromSeq: 101 }
  expect(await countSelected(store, LANE, selection)).toBe(EVENTS - 100)
  expect(await makeDueAgain(store, LANE, selection, 1100)).toBe(1100)
  const page = await readRetries(store, LANE, 16)
  expect(page?.events.map(({ seq }) => seq)).toEqual(Array.from({ length: 16 }, (_, n) => 101 + n))
  expect(await makeDueAgain(store, LANE, { ids: [`${instanceId}7`, 'unknown'] }, 10)).toBe(1)
})

test('a page in order ends with its limit, or with what was looked through', async () => {
  const { store, write } = await openWaiting(['messages'], true)
  expect(await readInOrder(store, LANE, 0, 16)).toMatchObject({ seenUpTo: 16, hasMore: true })
  await write('update events set wanted = 0')
  const unwanted = { events: [], hasMore: true, seenUpTo: 500 }
  expect(await readInOrder(store, LANE, 0, 16)).toMatchObject(unwanted)
  expect(await readInOrder(store, LANE, 1000, 16)).toMatchObject({
    events: [],
    hasMore: false,
    seenUpTo: EVENTS,
  })
  await write('update webhooks set gone = 1')
  expect(await readInOrder(store, LANE, 0, 16)).toBeUndefined()
})

test('what failed too often to delay others is no part of the order, wherever the cursor is', async () => {
  const { store, write } = await openWaiting(['messages'], true)
  const insert = (seq: number, attempts: number) =>
    write(
      `insert into deliveries (lane, seq, status, attempts, next_attempt_at) values (${LANE}, ${seq}, 'pending', ${attempts}, 5)`,
    )
  await insert(1, 3)
  await insert(2, 2)
  const page = await readInOrder(store, LANE, 0, 2)
  expect(page?.events.map(({ seq, attempts }) => [seq, attempts])).toEqual([
    [2, 2],
    [3, 0],
  ])
  expect((await readRetries(store, LANE, 16))?.events.map(({ seq }) => seq)).toEqual([1])
})
