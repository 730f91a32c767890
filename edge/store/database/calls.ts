// Calls of several requests, answered by one batch of the database: the mistake of one is nothing to the others.

import { count } from '../../metrics.ts'
import { merge } from './bulk.ts'
import { type Post, type Query, type Result, readEach, writeAll } from './pipeline.ts'
import { DatabaseRefusal, isRefusal } from './storage-error.ts'

const TRIES_WHEN_BUSY = 5

export interface Call {
  queries: Query[]
  /** Answered, or nobody waits any more. */
  over: boolean
  resolve(results: Result[]): void
  reject(error: unknown): void
}

const allOf = (calls: Call[]): Query[] => calls.flatMap(({ queries }) => queries)

export async function answerReads(post: Post, calls: Call[]): Promise<void> {
  try {
    const { asked, places } = withoutRepeats(allOf(calls))
    const merged = merge(asked)
    const said = await readEach(post, merged.asked)
    // Whose fault it is, is found out by asking each alone.
    const together = calls.length > 1 && merged.asked.length < asked.length
    const trouble = together && said.find((answer) => answer instanceof DatabaseRefusal)
    if (trouble) throw trouble
    const answers = merged.share(said)
    let next = 0
    for (const call of calls) {
      const mine = call.queries.map(() => answers[places[next++] ?? 0] as Result | DatabaseRefusal)
      const refused = mine.find((answer) => answer instanceof DatabaseRefusal)
      if (refused) settle(call).reject(refused)
      else settle(call).resolve(mine as Result[])
    }
  } catch (error) {
    await answerAlone(post, calls, error, answerReads)
  }
}

/** Each of them once, and the place among those of the answer to each. Reads of the same moment answer the same. */
function withoutRepeats(queries: Query[]): { asked: Query[]; places: number[] } {
  const asked: Query[] = []
  const known = new Map<string, Map<string, number>>()
  const places = queries.map((query) => {
    const alike = known.get(query.sql) ?? new Map<string, number>()
    known.set(query.sql, alike)
    // Values of other types are not told apart as JSON.
    const plain = query.args.every((value) => typeof value === 'string' || typeof value === 'number')
    const values = plain ? JSON.stringify(query.args) : `at ${asked.length}`
    const place = alike.get(values) ?? asked.push(query) - 1
    alike.set(values, place)
    return place
  })
  return { asked, places }
}

/** What else a call writes may have to stand before: then all of it stays as it is. */
const bulkOrNone = ({ queries }: Call): Query[] =>
  queries.every(({ bulk }) => bulk) ? queries : queries.map(({ sql, args }) => ({ sql, args }))

export async function answerWrites(post: Post, calls: Call[]): Promise<void> {
  try {
    const merged = merge(calls.flatMap(bulkOrNone))
    const results = merged.share(await writeUnlessBusy(post, merged.asked))
    for (const call of calls) settle(call).resolve(results.splice(0, call.queries.length))
  } catch (error) {
    await answerAlone(post, calls, error, answerWrites)
  }
}

/**
 * What one call asked for, or the size of its answer, has made the server refuse all of them: each on its own, so that only the
 * mistaken one fails. After silence nothing is asked again: it may have been done.
 */
async function answerAlone(
  post: Post,
  calls: Call[],
  error: unknown,
  answer: typeof answerReads,
): Promise<void> {
  if (calls.length > 1 && error instanceof DatabaseRefusal)
    for (const call of calls) await answer(post, [call])
  else for (const call of calls) settle(call).reject(error)
}

async function writeUnlessBusy(post: Post, queries: Query[]): Promise<Result[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await writeAll(post, queries)
    } catch (error) {
      if (attempt === TRIES_WHEN_BUSY || !isBusy(error)) {
        // A refused statement says nothing of the database.
        if (!isRefusal(error)) count('edge_database_failed_writes_total')
        throw error
      }
      // Another edge is writing. Nothing of ours has begun, so asking again is harmless.
      await new Promise((resolve) => setTimeout(resolve, 20 * attempt))
    }
  }
}

function settle(call: Call): Call {
  call.over = true
  return call
}

const isBusy = (error: unknown) => error instanceof DatabaseRefusal && error.code.startsWith('SQLITE_BUSY')
