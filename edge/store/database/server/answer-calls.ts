// Answers calls of several requests from one batch to the database. An error in one call does not affect the others.

import { count } from '../../../observability/counters.ts'
import { recordDatabaseFailure, recordDatabaseSuccess } from '../../../observability/database-health.ts'
import type { Query, Result } from '../../../runtime/query-types.ts'
import { DatabaseRefusal, findFailureKind, isRefusal } from '../storage-error.ts'
import { mergeQueries } from './merge-queries.ts'
import { type Post, readEach, writeAll } from './pipeline.ts'

const MAX_BUSY_TRIES = 5

export interface Call {
  queries: Query[]
  /** True if it has its result, or if no request waits for it any more. */
  over: boolean
  resolve(results: Result[]): void
  reject(error: unknown): void
}

const listQueries = (calls: Call[]): Query[] => calls.flatMap(({ queries }) => queries)

export async function answerReads(post: Post, calls: Call[]): Promise<void> {
  try {
    const { queries, places } = removeRepeats(listQueries(calls))
    const merged = mergeQueries(queries)
    const received = await readAndRecord(post, merged.queries)
    // To find the call with the error, each is sent alone.
    const together = calls.length > 1 && merged.queries.length < queries.length
    const trouble = together && received.find((answer) => answer instanceof DatabaseRefusal)
    if (trouble) throw trouble
    const answers = merged.distribute(received)
    let next = 0
    for (const call of calls) {
      const own = call.queries.map(() => answers[places[next++] ?? 0] as Result | DatabaseRefusal)
      const refused = own.find((answer) => answer instanceof DatabaseRefusal)
      if (refused) markOver(call).reject(refused)
      else markOver(call).resolve(own as Result[])
    }
  } catch (error) {
    await answerAlone(post, calls, error, answerReads)
  }
}

/** Records whether the database works: it does if it refuses a statement. */
async function readAndRecord(post: Post, queries: Query[]): Promise<(Result | DatabaseRefusal)[]> {
  const recordHealth = (answers: unknown[]) => {
    const kind = answers.map(findFailureKind).find((found) => found !== undefined)
    if (kind) recordDatabaseFailure('read', kind)
    else recordDatabaseSuccess('read')
  }
  try {
    const answers = await readEach(post, queries)
    recordHealth(answers)
    return answers
  } catch (error) {
    recordHealth([error])
    throw error
  }
}

/** Equal reads of the same moment are sent once. `places` has the index of the answer of each query. */
function removeRepeats(queries: Query[]): { queries: Query[]; places: number[] } {
  const distinct: Query[] = []
  const known = new Map<string, Map<string, number>>()
  const places = queries.map((query) => {
    const alike = known.get(query.sql) ?? new Map<string, number>()
    known.set(query.sql, alike)
    // Values of other types may look equal as JSON.
    const plain = query.args.every((value) => typeof value === 'string' || typeof value === 'number')
    const values = plain ? JSON.stringify(query.args) : `at ${distinct.length}`
    const place = alike.get(values) ?? distinct.push(query) - 1
    alike.set(values, place)
    return place
  })
  return { queries: distinct, places }
}

/** A call is merged only if all its statements can be, because their order may matter. */
const selectBulkForms = ({ queries }: Call): Query[] =>
  queries.every(({ bulk }) => bulk) ? queries : queries.map(({ sql, args }) => ({ sql, args }))

export async function answerWrites(post: Post, calls: Call[]): Promise<void> {
  try {
    const merged = mergeQueries(calls.flatMap(selectBulkForms))
    const results = merged.distribute(await writeUnlessBusy(post, merged.queries))
    for (const call of calls) markOver(call).resolve(results.splice(0, call.queries.length))
  } catch (error) {
    await answerAlone(post, calls, error, answerWrites)
  }
}

/**
 * If the server refused the batch because of one call or the size of its response, each is sent alone, so that only that one
 * fails. If there was no response, nothing is sent again: it may have been done.
 */
async function answerAlone(
  post: Post,
  calls: Call[],
  error: unknown,
  answer: typeof answerReads,
): Promise<void> {
  if (calls.length > 1 && error instanceof DatabaseRefusal)
    for (const call of calls) await answer(post, [call])
  else for (const call of calls) markOver(call).reject(error)
}

async function writeUnlessBusy(post: Post, queries: Query[]): Promise<Result[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      const results = await writeAll(post, queries)
      // A write that changes nothing succeeds on a full disk too.
      if (results.some(({ rowsAffected }) => rowsAffected > 0)) recordDatabaseSuccess('write')
      return results
    } catch (error) {
      if (attempt === MAX_BUSY_TRIES || !isBusy(error)) {
        // A refused statement is no failure of the database.
        if (!isRefusal(error)) count('edge_database_failed_writes_total')
        const kind = findFailureKind(error)
        if (kind) recordDatabaseFailure('write', kind)
        throw error
      }
      // Another edge is writing. Our batch has not begun, so it can be sent again.
      await new Promise((resolve) => setTimeout(resolve, 20 * attempt))
    }
  }
}

function markOver(call: Call): Call {
  call.over = true
  return call
}

const isBusy = (error: unknown) => error instanceof DatabaseRefusal && error.code.startsWith('SQLITE_BUSY')
