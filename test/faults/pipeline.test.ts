// The edge's way to the database, against a real server: streams that stay open, batches that are done or not.

import { formatCounters } from '@msgnet/edge/observability/counters.ts'
import type { Query, Result } from '@msgnet/edge/runtime/query-types.ts'
import { answerReads, answerWrites, type Call } from '@msgnet/edge/store/database/server/answer-calls.ts'
import { type Post, readEach, writeAll } from '@msgnet/edge/store/database/server/pipeline.ts'
import { DatabaseRefusal, StorageError } from '@msgnet/edge/store/database/storage-error.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DatabaseProxy, startDatabaseProxy } from '../chaos/database-proxy.ts'

let database: DatabaseProxy
/** The statements of each request, and its baton. */
let requests: { baton: string | null }[] = []

beforeAll(async () => {
  database = await startDatabaseProxy()
  await writeAll(postQuery, [
    createQuery('CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT NOT NULL, size REAL)'),
  ])
})
afterAll(() => database.close())

const createQuery = (text: string, ...args: (string | number | null)[]) => ({ sql: text, args })

const postQuery: Post = async (path, body) => {
  requests.push(JSON.parse(body))
  const headers = { authorization: `Bearer ${database.token}`, 'content-type': 'application/json' }
  const response = await fetch(database.url + path, { method: 'POST', headers, body })
  return { status: response.status, text: await response.text() }
}

const readRows = async () => {
  const [found] = await readEach(postQuery, [createQuery('SELECT id, name, size FROM things ORDER BY id')])
  return found instanceof DatabaseRefusal ? [] : (found?.rows ?? [])
}

test('one stream serves several batches', async () => {
  requests = []
  for (let n = 0; n < 3; n++) await readRows()
  expect(requests.map(({ baton }) => typeof baton)).toEqual(['string', 'string', 'string'])
})

test('a batch on an expired stream is sent again on a new one', async () => {
  await readRows()
  const postWithoutBaton: Post = (path, body) => {
    const { baton, ...request } = JSON.parse(body)
    return postQuery(path, JSON.stringify({ ...request, baton: baton && `${baton.slice(0, -8)}AAAAAAAA` }))
  }
  requests = []
  await writeAll(postWithoutBaton, [createQuery('INSERT INTO things (id, name) VALUES (?, ?)', 1, 'once')])
  expect(requests.map(({ baton }) => typeof baton)).toEqual(['string', 'object'])
  expect(await readRows()).toEqual([[1, 'once', null]])
})

test('a write with an invalid statement writes nothing, and its error has the code of the database', async () => {
  const refused = writeAll(postQuery, [
    createQuery('INSERT INTO things (id, name) VALUES (?, ?)', 2, 'first'),
    createQuery('INSERT INTO things (id, name) VALUES (?, ?)', 1, 'taken'),
    createQuery('INSERT INTO things (id, name) VALUES (?, ?)', 3, 'last'),
  ])
  await expect(refused).rejects.toMatchObject({ code: expect.stringMatching(/^SQLITE_CONSTRAINT/) })
  expect(await readRows()).toHaveLength(1)
  const [, added] = await writeAll(postQuery, [
    createQuery('INSERT INTO things (id, name, size) VALUES (?, ?, ?)', 2, 'whole', 2.5),
    createQuery('INSERT INTO things (id, name, size) VALUES (?, ?, ?) RETURNING id', 3, 'number', 4),
  ])
  expect(added?.rows).toEqual([[3]])
  expect((await readRows()).slice(1)).toEqual([
    [2, 'whole', 2.5],
    [3, 'number', 4],
  ])
})

test('of several reads only the invalid one is refused', async () => {
  const [first, second, third] = await readEach(postQuery, [
    createQuery('SELECT 1 AS one'),
    createQuery('SELECT name FROM nowhere'),
    createQuery('SELECT ? AS word', 'still'),
  ])
  expect(first).toMatchObject({ columns: ['one'], rows: [[1]] })
  expect(second).toBeInstanceOf(DatabaseRefusal)
  expect(third).toMatchObject({ rows: [['still']] })
})

function startCall(...queries: Query[]) {
  const { promise, resolve, reject } = Promise.withResolvers<Result[]>()
  const call: Call = { queries, over: false, resolve, reject }
  return { call, answer: promise.then(([result]) => result?.rows[0]?.[0]) }
}

test('reads that are too large together are answered one by one', async () => {
  // The server answers 10 MiB at most.
  const callLarge = () => startCall(createQuery('SELECT hex(zeroblob(2000000))'))
  const calls = [callLarge(), callLarge(), callLarge(), startCall(createQuery('SELECT 1'))]
  await answerReads(
    postQuery,
    calls.map(({ call }) => call),
  )
  const results = await Promise.all(calls.map(({ answer: response }) => response))
  expect(results.map((result) => String(result).length)).toEqual([4_000_000, 4_000_000, 4_000_000, 1])
})

test('a refused write fails alone, even if the server cannot parse it', async () => {
  const addRow = (id: number) =>
    startCall(createQuery('INSERT INTO things (id, name) VALUES (?, ?) RETURNING id', id, 'together'))
  const calls = [
    addRow(10),
    addRow(1),
    startCall(createQuery('INSERT INTO things nothing of it')),
    addRow(11),
  ]
  const outcomes = Promise.allSettled(calls.map(({ answer }) => answer))
  await answerWrites(
    postQuery,
    calls.map(({ call }) => call),
  )
  expect((await outcomes).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'rejected',
    'fulfilled',
  ])
  expect((await readRows()).map(([id]) => id)).toEqual([1, 2, 3, 10, 11])
})

test('a failed write is counted, and one with a refused statement is not', async () => {
  const countFailedWrites = () =>
    Number(/^edge_database_failed_writes_total (\d+)$/m.exec(formatCounters())?.[1] ?? 0)
  const before = countFailedWrites()
  const taken = startCall(createQuery('INSERT INTO things (id, name) VALUES (?, ?)', 1, 'taken'))
  const [refused] = await Promise.allSettled([taken.answer, answerWrites(postQuery, [taken.call])])
  expect(refused).toMatchObject({ reason: { code: expect.stringMatching(/^SQLITE_CONSTRAINT/) } })
  expect(countFailedWrites()).toBe(before)

  const postInVain: Post = async () => {
    throw new StorageError('the database did not respond')
  }
  const unanswered = startCall(createQuery('INSERT INTO things (id, name) VALUES (?, ?)', 20, 'unanswered'))
  const [failed] = await Promise.allSettled([unanswered.answer, answerWrites(postInVain, [unanswered.call])])
  expect(failed).toMatchObject({ reason: expect.any(StorageError) })
  expect(countFailedWrites()).toBe(before + 1)
})

const countSteps = () =>
  requests.map((request) => (request as unknown as { requests: [Batch] }).requests[0].batch.steps.length)
type Batch = { batch: { steps: unknown[] } }

const createNameQuery = (id: number, bulkSql = BULK_NAMES): Query => ({
  ...createQuery('SELECT name FROM things WHERE id = ?', id),
  bulk: { sql: bulkSql, item: id, name: String(id) },
})
const BULK_NAMES =
  'SELECT given.value, things.name FROM json_each(?1) given JOIN things ON things.id = given.value'

test('equal reads with different values become one statement, and each gets its own rows', async () => {
  const ids = [1, 2, 99, 3, 1]
  const calls = ids.map((id) => startCall(createNameQuery(id)))
  const counted = startCall(createQuery('SELECT count(*) FROM things'))
  requests = []
  await answerReads(
    postQuery,
    [...calls, counted].map(({ call }) => call),
  )
  expect(countSteps()).toEqual([2])
  const names = await Promise.all(calls.map(({ answer }) => answer))
  expect(names).toEqual(['once', 'whole', undefined, 'number', 'once'])
  expect(await counted.answer).toBe((await readRows()).length)
})

test('reads without a bulk form are sent one by one', async () => {
  const calls = [1, 2].map((id) => startCall(createNameQuery(id, 'SELECT nothing FROM nowhere')))
  await answerReads(
    postQuery,
    calls.map(({ call }) => call),
  )
  expect(await Promise.all(calls.map(({ answer }) => answer))).toEqual(['once', 'whole'])
})

const ADD = 'ON CONFLICT (id) DO NOTHING RETURNING name'
const addNamed = (id: number, name: string): Query => ({
  ...createQuery(`INSERT INTO things (id, name) VALUES (?, ?) ${ADD}`, id, name),
  bulk: {
    sql: `INSERT INTO things (id, name) SELECT given.value ->> 0, given.value ->> 1 FROM json_each(?1) given WHERE true ${ADD}`,
    item: [id, name],
    name,
  },
})
const addCalls = async (...queries: Query[][]) => {
  const made = queries.map((group) => {
    const { promise, resolve, reject } = Promise.withResolvers<Result[]>()
    return { call: { queries: group, over: false, resolve, reject } satisfies Call, promise }
  })
  requests = []
  await answerWrites(
    postQuery,
    made.map(({ call }) => call),
  )
  return Promise.all(
    made.map(async ({ promise }) =>
      (await promise).map(({ rows, rowsAffected }) => [rows.length, rowsAffected]),
    ),
  )
}

test('of several writes of one row in one statement, the first one gets it and the others learn that', async () => {
  const outcomes = await addCalls([addNamed(20, 'first')], [addNamed(20, 'second')], [addNamed(21, 'third')])
  expect(outcomes).toEqual([[[1, 1]], [[0, 0]], [[1, 1]]])
  expect(countSteps()).toEqual([1])
  expect((await readRows()).filter(([id]) => Number(id) >= 20)).toEqual([
    [20, 'first', null],
    [21, 'third', null],
  ])
})

test('statements of one call stay in their order', async () => {
  const gone = createQuery('DELETE FROM things WHERE id = ?', 20)
  const outcomes = await addCalls([addNamed(22, 'fourth')], [gone, addNamed(20, 'anew')])
  expect(outcomes).toEqual([
    [[1, 1]],
    [
      [0, 1],
      [1, 1],
    ],
  ])
  expect((await readRows()).find(([id]) => id === 20)).toEqual([20, 'anew', null])
})
