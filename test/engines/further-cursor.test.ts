// The cursor of webhooks beside the first, on a real file of the database with more events than one read or write takes.

import type { FurtherWebhookRow } from '@msgnet/edge/objects/due-events.ts'
import {
  passOverUnwanted,
  readFurtherInOrder,
  readFurtherRetries,
} from '@msgnet/edge/store/events/further-queue.ts'
import { countSelectedFurther, makeDueAgainFurther } from '@msgnet/edge/store/events/further-replay.ts'
import {
  changeFurtherWebhook,
  type FurtherChange,
  listFurtherWebhooks,
} from '@msgnet/edge/store/further-webhook-queries.ts'
import { findSubscription, saveDestination } from '@msgnet/edge/store/subscription-queries.ts'
import { expect, test } from 'vitest'
import { addEvents, addInstances, openEdgeFile } from './edge-file.ts'

const EVENTS = 1300
const instanceId = 'id-00001'
const id = 'webhook'

/** An instance with a webhook that is at its beginning, and messages. */
async function openWaiting(events: string[], enabled: boolean) {
  const { store, database } = await openEdgeFile()
  const write = (sql: string, ...args: (string | number)[]) => database.write([{ sql, args }])
  await database.write([addInstances(1), addEvents(instanceId, EVENTS, 'status', "'delivered'")])
  await write('update instances set last_seq = ?1', EVENTS)
  await write(
    `insert into further_webhooks (id, instance_id, url, events, ignored_events, enabled, created_at, updated_at, cursor)
    values (?1, ?2, 'https://a.example/', ?3, '[]', ?4, 1, 1, 0)`,
    id,
    instanceId,
    JSON.stringify(events),
    enabled ? 1 : 0,
  )
  const find = async () => {
    const [webhook] = await listFurtherWebhooks(store, instanceId, id)
    if (!webhook) throw new Error('the webhook is gone')
    return webhook
  }
  const change = async (settings: FurtherChange['settings']) =>
    changeFurtherWebhook(store, await find(), { settings, secret: { kind: 'keep' }, also: [] })
  const countRows = async () => {
    const [found] = await database.read([
      { sql: 'select status, last_error, count(*) from further_deliveries group by 1, 2', args: [] },
    ])
    return found?.rows
  }
  return { store, write, find, change, countRows }
}

test('the tick passes over what a paused webhook does not want, up to what it wants', async () => {
  const { store, write, find } = await openWaiting(['groups'], false)
  await write("update events set type = 'groups' where seq = 900")
  const cursors: number[] = []
  for (let tick = 0; tick < 3; tick++) {
    await passOverUnwanted(store)
    cursors.push((await find()).cursor)
  }
  expect(cursors).toEqual([500, 899, 899])
  expect((await find()).pending).toBe(1)
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
    saveDestination(store, instanceId, { ...destination, url }, { kind: 'keep' }, [])
  await save('https://a.example/')
  await write("update events set status = 'pending', next_attempt_at = 1")
  await save('https://b.example/')
  expect(await findSubscription(store, instanceId)).toMatchObject({ pending: 0, dead: 0 })
})

test('another choice of events passes over what was not wanted before, and leaves what waits', async () => {
  const { write, find, change } = await openWaiting(['groups'], false)
  await write("update events set type = 'groups' where seq = 1200")
  await change({ events: ['groups', 'messages'] })
  expect(await find()).toMatchObject({ cursor: 1199, pending: EVENTS - 1199 })
  await write('update further_webhooks set cursor = 1200')
  await change({ events: ['calls'] as unknown as FurtherWebhookRow['events'] })
  await change({ events: ['messages'] })
  expect(await find()).toMatchObject({ cursor: EVENTS, pending: 0 })
})

test('a replay queues the first events that match, in order, and pages of them are read without the rest', async () => {
  const { store, write } = await openWaiting(['messages'], true)
  await write('update further_webhooks set cursor = ?1', EVENTS)
  const selection = { fromSeq: 101 }
  expect(await countSelectedFurther(store, id, selection)).toBe(EVENTS - 100)
  expect(await makeDueAgainFurther(store, id, selection, 1100)).toBe(1100)
  const page = await readFurtherRetries(store, id, 16)
  expect(page?.events.map(({ seq }) => seq)).toEqual(Array.from({ length: 16 }, (_, n) => 101 + n))
  expect(await makeDueAgainFurther(store, id, { ids: [`${instanceId}7`, 'unknown'] }, 10)).toBe(1)
})

test('a page in order ends with its limit, or with what was looked through', async () => {
  const { store, write } = await openWaiting(['messages'], true)
  expect(await readFurtherInOrder(store, id, 0, 16)).toMatchObject({ seenUpTo: 16, hasMore: true })
  await write("update further_webhooks set events = '[]'")
  const unwanted = { events: [], hasMore: true, seenUpTo: 500 }
  expect(await readFurtherInOrder(store, id, 0, 16)).toMatchObject(unwanted)
  expect(await readFurtherInOrder(store, id, 1000, 16)).toMatchObject({
    events: [],
    hasMore: false,
    seenUpTo: EVENTS,
  })
  await write('update further_webhooks set gone = 1')
  expect(await readFurtherInOrder(store, id, 0, 16)).toBeUndefined()
})
