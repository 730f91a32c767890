// How the instance that a path names is found, on a real file of the database.

import { buildSearchByName, findInstanceIdByName } from '@msgnet/edge/store/instance-queries.ts'
import { expect, test } from 'vitest'
import { addInstances, openEdgeFile } from './edge-file.ts'

test('an instance is found by its id, its handle or the digits of its account, each by an index', async () => {
  const { store, database } = await openEdgeFile()
  await database.write([
    addInstances(3),
    { sql: "update instances set handle = 'shop' where id = 'id-00001'", args: [] },
    { sql: "update instances set jid = '5511900000009@s.msgnet.net' where id = 'id-00002'", args: [] },
  ])
  const found = await Promise.all(
    ['id-00003', 'shop', '5511900000009', 'nobody'].map((name) => findInstanceIdByName(store, name)),
  )
  expect(found).toEqual(['id-00003', 'id-00001', 'id-00002', undefined])
  // Whoever asks may be nobody: a name must not cost a read of all instances.
  const { sql, params } = buildSearchByName(store, 'nobody').toSQL()
  const [plan] = await database.read([{ sql: `explain query plan ${sql}`, args: params as string[] }])
  const steps = (plan?.rows ?? []).map(([, , , detail]) => String(detail))
  expect(steps.filter((step) => step.startsWith('SCAN'))).toEqual([])
  expect(steps).toContainEqual(expect.stringContaining('instances_by_account'))
})
