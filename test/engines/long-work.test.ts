// What may take long on the edge's file: large reads go by a thread, and deletions and changes of many rows go in batches.

import { setImmediate as turn } from 'node:timers/promises'
import { listInstancePages } from '@msgnet/edge/records/instance-list.ts'
import { deleteInstance } from '@msgnet/edge/routes/instance-deletion.ts'
import { writeInBatches } from '@msgnet/edge/store/database/batches.ts'
import { isRefusal } from '@msgnet/edge/store/database/storage-error.ts'
import { listEvents } from '@msgnet/edge/store/events/event-queries.ts'
import { makeDueAgain } from '@msgnet/edge/store/events/replay-queries.ts'
import { saveServerWebhook } from '@msgnet/edge/store/server-webhook-queries.ts'
import { findFirstWebhook, findLane, saveFirstWebhook } from '@msgnet/edge/store/webhook-queries.ts'
import { instances } from '@msgnet/shared/db/edge-tables.ts'
import { expect, test } from 'vitest'
import { WAITING } from '../stored-deliveries.ts'
import { addEvents, addInstances, openEdgeFile } from './edge-file.ts'

const COUNTING =
  'with recursive n(i) as (select 1 union all select i + 1 from n where i < ?) select count(*) from n'
const createLargeQuery = (rows: number) => ({ sql: COUNTING, args: [rows], isLarge: true as const })
const ONE = { sql: 'select 1', args: [] }
const destination = { events: ['messages' as const], ignoredEvents: [], excludeMessages: null, enabled: true }
const keepTime = { kind: 'keep' as const }

const countRows = async (
  { store }: Awaited<ReturnType<typeof openEdgeFile>>,
  what: string,
): Promise<number> => {
  const [result] = await store.readAll({ sql: `select count(*) from ${what}`, args: [] })
  return Number(result?.rows[0]?.[0])
}

test('other reads are answered during a large one', async () => {
  const { database } = await openEdgeFile()
  const finished: string[] = []
  const reading = database.read([createLargeQuery(3_000_000)]).then(([result]) => {
    finished.push('large')
    return result?.rows
  })
  await database.read([ONE])
  await turn()
  await database.read([ONE])
  finished.push('small')
  expect(await reading).toEqual([[3_000_000]])
  expect(finished).toEqual(['small', 'large'])
})

test('a large read finds the last write, and a refused one does not end the next', async () => {
  const { store, database } = await openEdgeFile()
  await store.write([addInstances(3)])
  expect(await store.large.select({ id: instances.id }).from(instances)).toHaveLength(3)
  const refused = database.read([{ sql: 'select nothing', args: [], isLarge: true }])
  expect(isRefusal(await refused.catch((error) => error))).toBe(true)
  expect((await database.read([createLargeQuery(5)]))[0]?.rows).toEqual([[5]])
})

test('equal large reads that wait run once, and find what was written before they were requested', async () => {
  const { store, database } = await openEdgeFile()
  const counting = { sql: 'select count(*) from instances', args: [], isLarge: true as const }
  const first = database.read([createLargeQuery(1_000_000)])
  const one = database.read([counting])
  await store.write([addInstances(3)])
  const other = database.read([counting])
  await first
  expect((await other)[0]?.rows).toEqual([[3]])
  expect(await one).toBe(await other)
})

test('a page of events ends before 256 KiB, but one event is always in it', async () => {
  const { store } = await openEdgeFile()
  await store.write([addInstances(1), addEvents('id-00001', 200)])
  const listSeqs = async (filter: object) => {
    const { rows, hasMore } = await listEvents(store, 'id-00001', { limit: 200, ...filter })
    return [rows.map(({ seq }) => seq), hasMore]
  }
  const setLength = (length: number, where: string) =>
    store.write([`update events set payload = json_object('text', printf('%.*c', ${length}, 'x')) ${where}`])
  await setLength(100_000, '')
  expect(await listSeqs({})).toEqual([[200, 199], true])
  expect(await listSeqs({ afterSeq: 0 })).toEqual([[1, 2], true])
  expect(await listSeqs({ beforeSeq: 3 })).toEqual([[2, 1], false])
  expect(await listSeqs({ from: 0 })).toEqual([[200, 199], true])
  await setLength(600_000, 'where seq in (198, 3)')
  expect(await listSeqs({ beforeSeq: 199 })).toEqual([[198], true])
  expect(await listSeqs({ beforeSeq: 200 })).toEqual([[199], true])
  expect(await listSeqs({ afterSeq: 2, beforeSeq: 4 })).toEqual([[3], false])
  expect((await listSeqs({ withoutTexts: true }))[0]).toHaveLength(200)
})

test('a database that is closed during a large read ends after it, and the process continues', async () => {
  const { database } = await openEdgeFile()
  const reading = database.read([createLargeQuery(1_000_000)])
  const waiting = database.read([createLargeQuery(1)])
  const settled = Promise.allSettled([reading, waiting])
  await database.close()
  expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
})

test('between two batches of a deletion, reads are answered', async () => {
  const edge = await openEdgeFile()
  await edge.store.write([addInstances(1), addEvents('id-00001', 3000)])
  const seen = new Set<number>()
  const deleting = writeInBatches(edge.store, async (max) => {
    const some = `delete from events where rowid in (select rowid from events limit ${max})`
    const [result] = await edge.store.write([some])
    return result?.rowsAffected ?? 0
  })
  const watching = (async () => {
    while (!seen.has(0)) {
      seen.add(await countRows(edge, 'events'))
      await turn()
    }
  })()
  expect(await deleting).toBe(3000)
  await watching
  expect(seen.size).toBeGreaterThan(3)
})

test('a batch has no more rows than are left of the limit, and an empty one is the last', async () => {
  const sizes: number[] = []
  const createTaker = (there: number) => async (max: number) => {
    sizes.push(max)
    const taken = Math.min(max, there)
    there -= taken
    return taken
  }
  const quick = { maxWriteMs: 1_000_000 }
  expect(await writeInBatches(quick, createTaker(5000), 2000)).toBe(2000)
  expect(await writeInBatches(quick, createTaker(1200))).toBe(1200)
  expect(Math.max(...sizes)).toBe(1000)
  sizes.length = 0
  expect(await writeInBatches({ maxWriteMs: 0 }, createTaker(220))).toBe(220)
  expect(sizes).toEqual([100, 50, 50, 50])
})

test('a list in pages is complete and in order while instances are added', async () => {
  const { store } = await openEdgeFile()
  await store.write([addInstances(3203)])
  const listed: string[] = []
  for await (const page of listInstancePages(store)) {
    if (listed.length === 0) await store.write([addInstances(3240, 3204)])
    for (const { id } of JSON.parse(`[${page}]`)) listed.push(id)
  }
  expect(listed).toEqual(Array.from({ length: 3240 }, (_, n) => `id-${String(n + 1).padStart(5, '0')}`))
})

test('an instance with many rows is deleted with all of them, and no row of another is', async () => {
  const edge = await openEdgeFile()
  await edge.store.write([
    addInstances(2),
    addEvents('id-00001', 1500),
    addEvents('id-00002', 10),
    ...['id-00001', 'id-00002'].flatMap((id) => [
      {
        sql: `insert into idempotency_keys (scope, key, fingerprint, state, act_id, created_at, expires_at)
          select instance_id, id, '', 'answered', id, 0, 1e15 from events where instance_id = ?`,
        args: [id],
      },
      {
        sql: `insert into late_outcomes (act, outcome, instance_id, at)
          select id, 'x', instance_id, 0 from events where instance_id = ?`,
        args: [id],
      },
    ]),
  ])
  await deleteInstance(edge.store, 'id-00001', [])
  for (const [table, rows] of Object.entries({
    events: 10,
    idempotency_keys: 10,
    late_outcomes: 10,
    instances: 1,
  }))
    expect([table, await countRows(edge, table)]).toEqual([table, rows])
})

test('thousands of events that wait for a previous URL become dead, and those of other instances wait on', async () => {
  const edge = await openEdgeFile()
  const { store } = edge
  await store.write([addInstances(2)])
  for (const id of ['id-00001', 'id-00002'])
    await saveFirstWebhook(store, id, { ...destination, url: 'https://a.example' }, keepTime, [])
  await store.write([
    addEvents('id-00001', 1700, 1),
    addEvents('id-00002', 1700, 1),
    'update instances set last_seq = 1700',
  ])
  await saveFirstWebhook(
    store,
    'id-00001',
    { ...destination, url: 'https://a.example', enabled: false },
    keepTime,
    [],
  )
  expect(await countRows(edge, `(${WAITING})`)).toBe(3400)
  await saveFirstWebhook(store, 'id-00001', { ...destination, url: 'https://b.example' }, keepTime, [])
  expect(
    await countRows(edge, "deliveries where status = 'dead' and last_error = 'destination_changed'"),
  ).toBe(1700)
  expect((await findFirstWebhook(store, 'id-00001'))?.pending).toBe(0)
  expect((await findFirstWebhook(store, 'id-00002'))?.pending).toBe(1700)
})

test('the global webhook is copied to more instances than one write holds', async () => {
  const edge = await openEdgeFile()
  const { store } = edge
  await store.write([addInstances(350)])
  await saveFirstWebhook(store, 'id-00007', { ...destination, url: 'https://own.example' }, keepTime, [])
  await saveServerWebhook(store, 'saved', { ...destination, url: 'https://a.example' }, keepTime)
  await store.write([
    addEvents('id-00005', 900, 1),
    "update instances set last_seq = 900 where id = 'id-00005'",
  ])
  await saveServerWebhook(store, 'saved', { ...destination, url: 'https://b.example' }, keepTime)
  expect(await countRows(edge, "webhooks where mode = 'inherited' and url = 'https://b.example'")).toBe(349)
  expect(await countRows(edge, "deliveries where status = 'dead'")).toBe(900)
  expect((await findFirstWebhook(store, 'id-00007'))?.url).toBe('https://own.example')
})

test('a replay makes all events due that the subscription receives, in several writes', async () => {
  const edge = await openEdgeFile()
  const { store } = edge
  await store.write([addInstances(1), addEvents('id-00001', 2500), 'update instances set last_seq = 2500'])
  await store.write(["update events set type = 'groups' where seq % 5 = 0"])
  await saveFirstWebhook(store, 'id-00001', { ...destination, url: 'https://a.example' }, keepTime, [])
  const lane = (await findLane(store, 'id-00001')) ?? 0
  expect(await makeDueAgain(store, lane, { fromSeq: 0 }, 1500)).toBe(1500)
  expect(await countRows(edge, "deliveries where status = 'pending'")).toBe(1500)
  expect(await countRows(edge, "deliveries where status = 'pending' and seq > 1875")).toBe(0)
  expect(await makeDueAgain(store, lane, { fromSeq: 0 }, 10_000)).toBe(2000)
})
