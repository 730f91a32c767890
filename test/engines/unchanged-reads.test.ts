// Large reads that a file need not repeat: what counts as a change, and what a list of instances shows then.

import { UnchangedReads } from '@msgnet/edge/node/unchanged-reads.ts'
import { listInstancePages } from '@msgnet/edge/records/instance-list.ts'
import type { Result } from '@msgnet/edge/runtime/query-types.ts'
import { LocalFile } from '@msgnet/shared/node/local-file.ts'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../until.ts'
import { addInstances, openEdgeFile } from './edge-file.ts'

/** Each time that it runs it finds something else, though no row changes. */
const createRead = (changesWith?: string) => ({
  sql: 'select hex(randomblob(8))',
  args: [],
  isLarge: true as const,
  ...(changesWith && { changesWith }),
})
/** Long enough for two reads on a busy machine. */
const LEASE_MS = 10_000

const rename = (name: string) => ({
  sql: "update instances set name = ? where id = 'id-00001'",
  args: [name],
})

async function openTwice() {
  const { file, database } = await openEdgeFile()
  await database.write([addInstances(1)])
  const other = new LocalFile(file)
  onTestFinished(() => other.close())
  const read = async (changesWith?: string) =>
    (await database.read([createRead(changesWith)]))[0]?.rows[0]?.[0]
  return { database, other, read }
}

test('a read that says what it changes with is not repeated while nothing is written', async () => {
  const { read } = await openTwice()
  const first = await read('select 1')
  expect([await read('select 1'), await read('select 1')]).toEqual([first, first])
  expect(await read('select 2')).not.toBe(first)
})

test('a read that does not say it is repeated each time', async () => {
  const { read } = await openTwice()
  expect(await read()).not.toBe(await read())
})

test('it is repeated after a write of this process, and after one of another', async () => {
  const { database, other, read } = await openTwice()
  const first = await read('select 1')
  await database.write([rename('Mine')])
  const second = await read('select 1')
  expect(second).not.toBe(first)
  other.execute(rename('Foreign'))
  const third = await read('select 1')
  expect(third).not.toBe(second)
  expect(await read('select 1')).toBe(third)
})

test('a write that was begun before a read, and is committed after it, is a change', async () => {
  const { other, read } = await openTwice()
  other.execute('begin immediate')
  other.execute(rename('Begun'))
  const before = await read('select 1')
  expect(await read('select 1')).toBe(before)
  other.execute('commit')
  expect(await read('select 1')).not.toBe(before)
})

test('any statement of a write with several is a change, also one that deletes', async () => {
  const { database, read } = await openTwice()
  await database.write([addInstances(3, 2)])
  const seen = new Set([await read('select 1')])
  await database.write([rename('One'), { sql: "delete from instances where id = 'id-00002'", args: [] }])
  seen.add(await read('select 1'))
  await database.write([{ sql: 'delete from instances', args: [] }])
  seen.add(await read('select 1'))
  expect(seen.size).toBe(3)
})

test('a write that is refused as a whole, and one that others of its moment are not, leave no old result', async () => {
  const { database, store } = await openEdgeFile()
  await database.write([addInstances(2)])
  const readNames = async () => {
    for await (const page of listInstancePages(store)) return page.match(/"name":"[^"]*"/g)
  }
  expect(await readNames()).toEqual(['"name":"x"', '"name":"x"'])
  // Of one turn of the event loop, so they are tried as one commit first, which is rolled back.
  const [refused, done] = await Promise.allSettled([
    database.write([rename('Refused'), addInstances(1)]),
    database.write([rename('Done')]),
  ])
  expect([refused.status, done.status]).toEqual(['rejected', 'fulfilled'])
  expect(await readNames()).toEqual(['"name":"Done"', '"name":"x"'])
})

test('a read that failed is tried again', async () => {
  const results: Result[] = [{ columns: ['one'], rows: [[1]], rowsAffected: 1 }]
  const answers = [Promise.reject(new Error('the disk failed')), Promise.resolve(results)]
  const reads = new UnchangedReads(
    () => 'the same',
    () => answers.shift() ?? Promise.reject(new Error('it was read once too often')),
  )
  const query = { sql: 'select 1', args: [], changesWith: 'select 1' }
  await expect(reads.readQuery(query)).rejects.toThrow('the disk failed')
  expect(await reads.readQuery(query)).toBe(results)
  expect(await reads.readQuery(query)).toBe(results)
})

test('the list of instances shows the end of a lease, which no write tells', async () => {
  const { store } = await openEdgeFile()
  await store.write([
    addInstances(1),
    {
      sql: "insert into hosts (id, region, token_hash, created_at, lease_until) values ('host', '', 'hash', 0, ?)",
      args: [Date.now() + LEASE_MS],
    },
    "update instances set host_id = 'host', status = 'connected'",
  ])
  const readStatus = async () => {
    for await (const page of listInstancePages(store)) return JSON.parse(page).status
  }
  expect([await readStatus(), await readStatus()]).toEqual(['connected', 'connected'])
  await until(async () => (await readStatus()) === 'connecting', { within: 4 * LEASE_MS })
}, 60_000)
