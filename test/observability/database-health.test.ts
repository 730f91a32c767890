// Since when the database fails, and by what, from the answers of a database that does what the test says.

import { expect, test } from 'vitest'
import { databaseHealthText } from '../../edge/database-health.ts'
import { answerReads, answerWrites, type Call } from '../../edge/store/database/server/calls.ts'
import type { Post } from '../../edge/store/database/server/pipeline.ts'
import { DatabaseRefusal, StorageError } from '../../edge/store/database/storage-error.ts'
import { until } from '../until.ts'

const reading = (series: string) =>
  Number(
    databaseHealthText()
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.split(' ')
      .at(-1),
  )
const failing = (operation: 'read' | 'write') =>
  reading(`edge_database_failing_seconds{operation="${operation}"}`)

const failBy =
  (error: Error): Post =>
  async () => {
    throw error
  }

/** A batch of one statement that changes so many rows. */
const succeed =
  (changed: number): Post =>
  async () => {
    const result = { cols: [], rows: [], affected_row_count: changed }
    const response = { result: { step_results: [result], step_errors: [null] } }
    return { status: 200, text: JSON.stringify({ baton: null, results: [{ type: 'ok', response }] }) }
  }

async function run(answer: typeof answerReads | typeof answerWrites, post: Post): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const call: Call = { queries: [{ sql: 'SELECT 1', args: [] }], over: false, resolve, reject }
  await Promise.allSettled([promise, answer(post, [call])])
}

test('every kind of failure is counted from the start, so that its first step is seen', () => {
  expect(reading('edge_database_failures_total{operation="write",kind="full"}')).toBe(0)
  expect(reading('edge_database_failures_total{operation="read",kind="unanswered"}')).toBe(0)
})

test.each([
  ['full', new DatabaseRefusal('SQLite error: database or disk is full', 'SQLITE_UNKNOWN')],
  ['full', new StorageError('write failed', { cause: new Error('ENOSPC: no space left on device') })],
  ['disk_error', new DatabaseRefusal('disk I/O error', 'SQLITE_IOERR_WRITE')],
  ['readonly', new DatabaseRefusal('attempt to write a readonly database', 'SQLITE_READONLY')],
  ['busy', new DatabaseRefusal('database is locked', 'SQLITE_BUSY')],
  ['unanswered', new StorageError('the database did not answer')],
])('writes fail, by %s, until one changes something', async (kind, error) => {
  const failures = `edge_database_failures_total{operation="write",kind="${kind}"}`
  const before = reading(failures)
  await run(answerWrites, failBy(error))
  expect(reading(failures)).toBe(before + 1)
  expect(reading(`edge_database_failure_age_seconds{kind="${kind}"}`)).toBeLessThan(60)
  await until(() => failing('write') > 0)
  await run(answerWrites, succeed(0))
  expect(failing('write')).toBeGreaterThan(0)
  await run(answerWrites, succeed(1))
  expect(failing('write')).toBe(0)
})

test.each(['SQLITE_CONSTRAINT', 'SQL_PARSE_ERROR', 'RESPONSE_TOO_LARGE'])(
  'a database that refuses a statement with %s works',
  async (code) => {
    await run(answerReads, failBy(new StorageError('the database did not answer')))
    await until(() => failing('read') > 0)
    await run(answerReads, failBy(new DatabaseRefusal('refused', code)))
    expect(failing('read')).toBe(0)
    await run(answerWrites, failBy(new DatabaseRefusal('refused', code)))
    expect(failing('write')).toBe(0)
  },
)
