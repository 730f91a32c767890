// A host's own file: statements that are prepared once, and commits of one turn that are made together.

import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { openStore, statement } from '@msgnet/session-host/store/host-store.ts'
import { LocalFile } from '@msgnet/shared/node/local-file.ts'
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

/** Has the file for itself as long as a process does that was killed and is not gone yet. */
const HOLDER = `
const { parentPort, workerData } = require('node:worker_threads')
const Database = require(workerData.library)
const database = new Database(workerData.path)
database.exec('PRAGMA locking_mode = EXCLUSIVE')
database.exec('PRAGMA journal_mode = WAL')
database.exec('CREATE TABLE held (id INTEGER)')
parentPort.postMessage('locked')
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
database.close()`

test('a file that its killed process has locked for a moment longer is opened', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'held-'))
  const path = join(folder, 'host.db')
  const library = createRequire(import.meta.url).resolve('libsql')
  const holder = new Worker(HOLDER, { eval: true, workerData: { library, path } })
  await once(holder, 'message')
  const file = new LocalFile(path)
  expect(file.execute('SELECT * FROM held').rows).toEqual([])
  file.close()
  rmSync(folder, { recursive: true })
})
