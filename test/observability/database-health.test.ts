// Since when the database fails, and why, from the responses of a database that the test controls.
//
// Alone in its process: it reads what its process has counted from its start.
// @vitest-environment-options { "process": "database-health" }

import { formatDatabaseHealth } from '@msgnet/edge/observability/database-health.ts'
import { answerReads, answerWrites, type Call } from '@msgnet/edge/store/database/server/answer-calls.ts'
import type { Post } from '@msgnet/edge/store/database/server/pipeline.ts'
import { DatabaseRefusal, StorageError } from '@msgnet/edge/store/database/storage-error.ts'
import { expect, test } from 'vitest'
import { until } from '../until.ts'

const readMetric = (series: string) =>
  Number(
    formatDatabaseHealth()
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.split(' ')
      .at(-1),
  )
const readFailing = (operation: 'read' | 'write') =>
  readMetric(`edge_database_failing_seconds{operation="${operation}"}`)

const failBy =
  (error: Error): Post =>
  async () => {
    throw error
  }

/** A batch of one statement that changes so many rows. */
const answerChanged =
  (changed: number): Post =>
  async () => {
    const result = { cols: [], rows: [], affected_row_count: changed }
    const response = { result: { step_results: [result], step_errors: [null] } }
    return { status: 200, text: JSON.stringify({ baton: null, results: [{ type: 'ok', response }] }) }
  }

async function runStatement(
  answerCalls: typeof answerReads | typeof answerWrites,
  post: Post,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const call: Call = { queries: [{ sql: 'SELECT 1', args: [] }], over: false, resolve, reject }
  await Promise.allSettled([promise, answerCalls(post, [call])])
}

test('every kind of failure has a count of 0 from the start, so that its first increase is seen', () => {
  expect(readMetric('edge_database_failures_total{operation="write",kind="full"}')).toBe(0)
  expect(readMetric('edge_database_failures_total{operation="read",kind="unanswered"}')).toBe(0)
})

test.each([
  ['full', new DatabaseRefusal('SQLite error: database or disk is full', 'SQLITE_UNKNOWN')],
  ['full', new StorageError('write failed', { cause: new Error('ENOSPC: no space left on device') })],
  ['disk_error', new DatabaseRefusal('disk I/O error', 'SQLITE_IOERR_WRITE')],
  ['readonly', new DatabaseRefusal('attempt to write a readonly database', 'SQLITE_READONLY')],
  ['busy', new DatabaseRefusal('database is locked', 'SQLITE_BUSY')],
  ['unanswered', new StorageError('the database did not respond')],
])('writes fail, by %s, until one changes something', async (kind, error) => {
  const failures = `edge_database_failures_total{operation="write",kind="${kind}"}`
  const before = readMetric(failures)
  await runStatement(answerWrites, failBy(error))
  expect(readMetric(failures)).toBe(before + 1)
  expect(readMetric(`edge_database_failure_age_seconds{kind="${kind}"}`)).toBeLessThan(60)
  await until(() => readFailing('write') > 0)
  await runStatement(answerWrites, answerChanged(0))
  expect(readFailing('write')).toBeGreaterThan(0)
  await runStatement(answerWrites, answerChanged(1))
  expect(readFailing('write')).toBe(0)
})

test.each(['SQLITE_CONSTRAINT', 'SQL_PARSE_ERROR', 'RESPONSE_TOO_LARGE'])(
  'a database that refuses a statement with %s works',
  async (code) => {
    await runStatement(answerReads, failBy(new StorageError('the database did not respond')))
    await until(() => readFailing('read') > 0)
    await runStatement(answerReads, failBy(new DatabaseRefusal('refused', code)))
    expect(readFailing('read')).toBe(0)
    await runStatement(answerWrites, failBy(new DatabaseRefusal('refused', code)))
    expect(readFailing('write')).toBe(0)
  },
)
