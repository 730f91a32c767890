// The worker thread of large reads: it has its own connection to the file, so commits of the serving thread do not wait for it.

import { parentPort, workerData } from 'node:worker_threads'
import Database from 'libsql'
import type { Query, Result } from '../runtime/query-types.ts'
import { DatabaseRefusal } from '../store/database/storage-error.ts'
import { convertBlobs, wrapRefusal } from './file-statements.ts'
import type { LargeReadResult } from './large-reads.ts'

/** Characters and bytes of a result, which the serving thread reads in one piece. A single event is smaller. */
const MAX_RESULT_UNITS = 2_000_000

const database = new Database(workerData.file)
database.exec('PRAGMA query_only = ON')

parentPort?.on('message', (request: Query[] | 'stop') => {
  if (request === 'stop') {
    database.close()
    parentPort?.close()
  } else parentPort?.postMessage(runQueries(request))
})

function runQueries(queries: Query[]): LargeReadResult {
  try {
    return { results: queries.map((query) => wrapRefusal(() => readRows(query))) }
  } catch (error) {
    const { message, code } = error as Error & { code?: unknown }
    return { refused: { message, code: String(code ?? '') } }
  }
}

function readRows({ sql, args }: Query): Result {
  const statement = database.prepare(sql).raw(true)
  const columns = statement.columns().map(({ name }) => name)
  const rows: unknown[][] = []
  let size = 0
  // To the end in any case: a statement that is left in the middle prevents a restart of the file's log.
  for (const row of statement.iterate(args) as Iterable<unknown[]>) {
    size += countUnits(row)
    if (size > MAX_RESULT_UNITS) rows.length = 0
    else {
      convertBlobs(row)
      rows.push(row)
    }
  }
  if (size > MAX_RESULT_UNITS) throw new DatabaseRefusal('the answer is too large', 'RESPONSE_TOO_LARGE')
  return { columns, rows, rowsAffected: rows.length }
}

/** Characters of its texts, bytes of its blobs. */
const countUnits = (row: unknown[]): number =>
  row.reduce<number>((sum, value) => sum + ((value as { length?: number } | null)?.length ?? 0), 0)
