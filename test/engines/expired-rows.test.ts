// What has expired is deleted as fast as it came, on a real file of the database.

import { runTick } from '@msgnet/edge/operator/run-tick.ts'
import { expect, test } from 'vitest'
import { addEvents, addInstances, openEdgeFile } from './edge-file.ts'

test('a tick deletes the expired events of a minute of a large gateway', async () => {
  const { database } = await openEdgeFile()
  await database.write([addInstances(1), addEvents('id-00001', 25_000)])
  const env = {
    LOG_LEVEL: 'error',
    runtime: { openDatabase: () => database },
    dialects: { purgeTokens: async () => 0 },
  }
  await runTick(env as never)
  const [left] = await database.read([{ sql: 'select count(*) from events', args: [] }])
  expect(left?.rows).toEqual([[0]])
})
