// The queue of a webhook, on a real file of the database.

import { DatabaseRefusal } from '@msgnet/edge/store/database/storage-error.ts'
import { readInOrder, readRetries } from '@msgnet/edge/store/events/lane-queue.ts'
import { expect, test } from 'vitest'
import { addEvents, addInstances, openEdgeFile } from './edge-file.ts'

const INSTANCE = 'id-00001'
const INSERT_WEBHOOK = `insert into webhooks (lane, id, instance_id, position, mode, url, events, ignored_events, enabled, created_at, updated_at, cursor)
    values (1, 'w', '${INSTANCE}', 0, 'own', 'https://example.com', '["messages"]', '[]', 1, 0, 0, 0)`

test('an event that is stored between the statements of a read is not passed over', async () => {
  const { store, database } = await openEdgeFile()
  const write = (sql: string) => database.write([{ sql, args: [] }])
  await database.write([addInstances(1)])
  await write(INSERT_WEBHOOK)
  // A database server answers each statement of a read by itself, and others write in between.
  let stored = 0
  const interrupted: typeof store = Object.create(store, {
    readAll: {
      async value(...queries: Parameters<typeof store.readAll>) {
        const results = []
        for (const query of queries) {
          results.push(...(await store.readAll(query)))
          stored++
          await write(`insert into events (id, instance_id, seq, type, owner, payload, at, created_at, status, wanted)
            values ('e${stored}', '${INSTANCE}', ${stored}, 'messages', '', '{}', 1, 1, 'delivered', 1)`)
        }
        return results
      },
    },
  })
  const first = await readInOrder(interrupted, 1, 0, 16)
  const then = await readInOrder(store, 1, first?.seenUpTo ?? 0, 16)
  const all = [first, then].flatMap((page) => page?.events.map(({ seq }) => seq) ?? [])
  expect(all).toEqual([1, 2, 3])
})

test('a page of due events that the database shortened says that there are more', async () => {
  const { store, database } = await openEdgeFile()
  await database.write([addInstances(1), addEvents(INSTANCE, 5, 1)])
  await database.write([{ sql: INSERT_WEBHOOK, args: [] }])
  const smallStore: typeof store = Object.create(store, {
    readAll: {
      async value(...queries: Parameters<typeof store.readAll>) {
        const results = await store.readAll(...queries)
        if (results.some(({ rows }) => rows.length > 2))
          throw new DatabaseRefusal('the answer is too large', 'RESPONSE_TOO_LARGE')
        return results
      },
    },
  })
  const page = await readInOrder(smallStore, 1, 0, 8)
  expect([page?.events.map(({ seq }) => seq), page?.hasMore]).toEqual([[1, 2], true])
  expect(await readInOrder(store, 1, 0, 8)).toMatchObject({ hasMore: false })
})

test('events in order and those that failed are found by an index, without sorting', async () => {
  const { store, database } = await openEdgeFile()
  const plans: string[] = []
  const planning: typeof store = Object.create(store, {
    readAll: {
      async value(...queries: Parameters<typeof store.readAll>) {
        const { sql, args } = queries.at(-1) ?? { sql: '', args: [] }
        const [plan] = await database.read([{ sql: `explain query plan ${sql}`, args }])
        plans.push(...(plan?.rows ?? []).map(([, , , detail]) => String(detail)))
        return []
      },
    },
  })
  await readInOrder(planning, 1, 0, 4)
  await readRetries(planning, 1, 4)
  expect(plans.filter((step) => /SCAN events|TEMP B-TREE|SCAN deliveries/.test(step))).toEqual([])
  expect(plans).toContainEqual(expect.stringContaining('INDEX deliveries_due (lane=?'))
})
