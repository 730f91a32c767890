// A host's own file: statements that are prepared once, and commits of one turn that are made together.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, statement } from '@msgnet/session-host/store/host-store.ts'
import { expect, test } from 'vitest'

test('a statement works again after a refusal, after hundreds of others, and after its table was changed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kept-'))
  const store = await openStore(join(folder, 'host.db'), () => undefined)
  const createInsert = (id: number) => statement('INSERT INTO kept (id) VALUES (?)', id)
  const readIds = async () => (await store.rows('SELECT * FROM kept ORDER BY id')).map((row) => ({ ...row }))
  await store.commit([statement('CREATE TABLE kept (id INTEGER PRIMARY KEY)')])
  await store.commit([createInsert(1)])
  await expect(store.commit([createInsert(2), createInsert(1)])).rejects.toThrow(/UNIQUE/)
  expect(await readIds()).toEqual([{ id: 1 }])
  await store.commit([createInsert(2)])

  for (let n = 0; n < 300; n++) expect(await store.rows(`SELECT ${n} AS n`)).toMatchObject([{ n }])
  await store.commit([createInsert(3)])
  expect(await readIds()).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }])
  await store.commit([statement('ALTER TABLE kept ADD COLUMN word TEXT')])
  await store.commit([createInsert(4)])
  expect(await store.rows('SELECT id, word FROM kept WHERE id = ?', 4)).toMatchObject([{ id: 4, word: null }])
  await store.close()
  rmSync(folder, { recursive: true })
})

test('commits of one turn are stored or refused independently, in order', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'turn-'))
  const store = await openStore(join(folder, 'host.db'), () => undefined)
  const createInsert = (id: number) => statement('INSERT INTO turn (id) VALUES (?)', id)
  await store.commit([statement('CREATE TABLE turn (id INTEGER PRIMARY KEY)')])
  const outcomes = await Promise.allSettled([
    store.commit([createInsert(1), createInsert(2)]),
    store.commit([createInsert(3), createInsert(1)]),
    store.commit([createInsert(4)]),
    store.commit([statement('INSERT INTO nowhere VALUES (1)')]),
    store.commit([createInsert(5)]),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'rejected',
    'fulfilled',
  ])
  expect(await store.rows('SELECT id FROM turn ORDER BY rowid')).toEqual([1, 2, 4, 5].map((id) => ({ id })))
  await store.close()
  rmSync(folder, { recursive: true })
})
