// The edge's database as a file: what a call answers, what one refused statement costs the others, and a file that is locked or gone.

import { existsSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { FileDatabase } from '@msgnet/edge/node/file-database.ts'
import { findFailureKind, isRefusal, isStorageError } from '@msgnet/edge/store/database/storage-error.ts'
import { LocalFile } from '@msgnet/shared/node/local-file.ts'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../until.ts'

const createQuery = (sql: string, ...args: (string | number | Uint8Array)[]) => ({ sql, args })
const createInsert = (id: number, name = 'x') => createQuery('insert into things values (?, ?)', id, name)

function openFile() {
  const folder = mkdtempSync(join(tmpdir(), 'file-database-'))
  const path = join(folder, 'edge.db')
  const other = new LocalFile(path)
  other.execute('create table things (id integer primary key, name)')
  const database = new FileDatabase(path, (error) => {
    throw error
  })
  onTestFinished(async () => {
    await database.close()
    other.close()
    rmSync(folder, { recursive: true })
  })
  const readIds = async () => {
    const [result] = await database.read([createQuery('select id from things order by id')])
    return result?.rows.flat()
  }
  return { database, other, readIds, path }
}

test('rows are arrays, integers are numbers, and blobs are ArrayBuffers', async () => {
  const { database } = openFile()
  await database.write([createQuery('insert into things values (?, ?)', 1, Uint8Array.of(1, 2, 255))])
  const [result] = await database.read([createQuery('select id, name from things')])
  expect(result).toEqual({
    columns: ['id', 'name'],
    rows: [[1, Uint8Array.of(1, 2, 255).buffer]],
    rowsAffected: 1,
  })
})

test('a read of one row is of its own values, whatever the same statement has read before', async () => {
  const { database } = openFile()
  await database.write([createInsert(1), createInsert(2)])
  const readRows = async (id: number, atMost: number) => {
    const query = createQuery('select id from things where id = ? limit ?', id, atMost)
    return (await database.read([query]))[0]?.rows
  }
  expect(await readRows(1, 5)).toEqual([[1]])
  expect(await readRows(2, 1)).toEqual([[2]])
  expect(await readRows(3, 1)).toEqual([])
  expect(await readRows(1, 1)).toEqual([[1]])
})

test('a write is all or nothing', async () => {
  const { database, readIds } = openFile()
  const twice = database.write([createInsert(1), createInsert(1)])
  expect(isRefusal(await twice.catch((error) => error))).toBe(true)
  expect(await readIds()).toEqual([])
})

test('only the refused write of the same moment fails', async () => {
  const { database, readIds } = openFile()
  const writes = [
    database.write([createInsert(1), createInsert(2)]),
    database.write([createInsert(2)]),
    database.write([createInsert(3)]),
  ]
  expect((await Promise.allSettled(writes)).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
  ])
  expect(await readIds()).toEqual([1, 2, 3])
})

test('a write waits while another connection has locked the file, and reads continue', async () => {
  const { database, other, readIds } = openFile()
  other.execute('begin immediate')
  let isWritten = false
  const written = database.write([createInsert(1)]).then(() => {
    isWritten = true
  })
  expect(await readIds()).toEqual([])
  expect(isWritten).toBe(false)
  other.execute('commit')
  await written
  expect(await until(readIds)).toEqual([1])
})

test.each([
  'insert into things values (1, 2)',
  'insert into things values (1, 2) returning id',
  'with one as (select 1 as id) insert into things select id, 2 from one',
])('after it found the file locked, `%s` is in the way of no transaction', (sql) => {
  const { other, path } = openFile()
  const file = new LocalFile(path)
  onTestFinished(() => file.close())
  other.execute('begin immediate')
  expect(() => file.execute(sql)).toThrow('database is locked')
  other.execute('commit')
  file.commit(['insert into things values (2, 3)'])
  file.execute(sql)
  expect(other.execute('select id from things order by id').rows.flat()).toEqual([1, 2])
})

test('a file that was moved away accepts no write and no ping until it is back', async () => {
  const { database, readIds, path } = openFile()
  await database.write([createInsert(1)])
  renameSync(path, `${path}.away`)
  await expect(database.ping()).rejects.toThrow('moved or deleted')
  const refused = await until(async () => {
    const [write] = await Promise.allSettled([database.write([createInsert(Date.now())])])
    return write.status === 'rejected' && write.reason
  })
  expect(refused).toMatchObject({ code: 'SQLITE_READONLY_DBMOVED' })
  renameSync(`${path}.away`, path)
  await database.ping()
  await database.write([createInsert(2)])
  expect(await readIds()).toContain(2)
})

test('a disk that cannot tell whether the file is there says that, and takes no write until it can', async () => {
  const { database, readIds, path } = openFile()
  const folder = dirname(path)
  renameSync(folder, `${folder}.away`)
  // A link to itself: its error is neither that of a missing file nor one that root is spared.
  symlinkSync(folder, folder)
  const restoreFolder = () => {
    rmSync(folder)
    renameSync(`${folder}.away`, folder)
  }
  try {
    expect(await database.ping().catch((error) => error)).toMatchObject(unknownPlace)
    const refused = await until(async () => {
      const [write] = await Promise.allSettled([database.write([createInsert(Date.now())])])
      return write.status === 'rejected' && write.reason
    })
    expect(refused).toMatchObject(unknownPlace)
    expect([isStorageError(refused), findFailureKind(refused)]).toEqual([true, 'disk_error'])
  } finally {
    restoreFolder()
  }
  await database.ping()
  await database.write([createInsert(2)])
  expect(await readIds()).toContain(2)
})

const unknownPlace = { message: 'the file cannot be looked up (ELOOP)', code: 'SQLITE_CANTOPEN' }

test('a missing file is not created', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'file-database-')), 'edge.db')
  expect(() => new FileDatabase(path, () => undefined)).toThrow('ENOENT')
  expect(existsSync(path)).toBe(false)
})
