// The queue of a webhook beside the first, on a real file of the database.

import { readFurtherInOrder } from '@msgnet/edge/store/events/further-queue.ts'
import { expect, test } from 'vitest'
import { addInstances, openEdgeFile } from './edge-file.ts'

const INSTANCE = 'id-00001'

test('an event that is stored between the statements of a read is not passed over', async () => {
  const { store, database } = await openEdgeFile()
  const write = (sql: string) => database.write([{ sql, args: [] }])
  await database.write([addInstances(1)])
  await write(`insert into further_webhooks (id, instance_id, url, events, ignored_events, enabled, created_at, updated_at, cursor)
    values ('w', '${INSTANCE}', 'https://example.com', '["messages"]', '[]', 1, 0, 0, 0)`)
  // A database server answers each statement of a read by itself, and others write in between.
  let stored = 0
  const interrupted: typeof store = Object.create(store, {
    readAll: {
      async value(...queries: Parameters<typeof store.readAll>) {
        const results = []
        for (const query of queries) {
          results.push(...(await store.readAll(query)))
          stored++
          await write(`insert into events (id, instance_id, seq, type, owner, payload, at, created_at, status)
            values ('e${stored}', '${INSTANCE}', ${stored}, 'messages', '', '{}', 1, 1, 'pending')`)
        }
        return results
      },
    },
  })
  const first = await readFurtherInOrder(interrupted, 'w', 0, 16)
  const then = await readFurtherInOrder(store, 'w', first?.seenUpTo ?? 0, 16)
  const all = [first, then].flatMap((page) => page?.events.map(({ seq }) => seq) ?? [])
  expect(all).toEqual([1, 2, 3])
})
