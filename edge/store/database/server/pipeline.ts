// The database's protocol (Hrana over HTTP, version 2): batches of statements on streams that stay open between requests.
//
// The server opens a connection for each new stream and reads the whole schema for it, which costs more than most statements.
// A stream is named by a text, its baton, so any request can continue it. Only one batch at a time uses it.

import { SECOND } from '@msgnet/shared/date-time.ts'
import { count } from '../../../observability/counters.ts'
import type { Query, Result } from '../../../runtime/query-types.ts'
import { DatabaseRefusal, StorageError } from '../storage-error.ts'
import { fromDatabase, toDatabase } from './values.ts'

/** One POST; rejects with a StorageError when there is no response in time. */
export type Post = (path: string, body: string) => Promise<{ status: number; text: string }>

/** Shorter than the ten seconds after which the server forgets a stream. */
const MAX_IDLE_MS = 8 * SECOND
const MAX_IDLE_STREAMS = 8

interface Stream {
  baton: string
  usedAt: number
}

type Condition = { type: 'ok'; step: number } | { type: 'not'; cond: Condition }

interface Step {
  stmt: { sql: string; args: object[]; want_rows: true }
  condition?: Condition
}

interface StepResult {
  cols: { name: string }[]
  rows: { type: string; value?: string | number; base64?: string }[][]
  affected_row_count: number
}

interface PipelineResponse {
  baton: string | null
  results: [
    | {
        type: 'ok'
        response: { result: { step_results: (StepResult | null)[]; step_errors: (Refused | null)[] } }
      }
    | { type: 'error'; error: Refused },
  ]
}

interface Refused {
  message: string
  code?: string
}

// Shared by the isolate. They belong to no request, because a baton is only text.
const idle: Stream[] = []

/** Each query succeeds or fails alone. */
export async function readEach(post: Post, queries: Query[]): Promise<(Result | DatabaseRefusal)[]> {
  count('edge_database_statements_total', undefined, queries.length)
  const { step_results: results, step_errors: errors } = await sendBatch(
    post,
    queries.map((query) => createStep(query)),
  )
  return queries.map((_, at) => (results[at] ? toResult(results[at]) : toRefusal(errors[at])))
}

/** All in one transaction; throws a DatabaseRefusal if nothing was written. */
export async function writeAll(post: Post, queries: Query[]): Promise<Result[]> {
  count('edge_database_statements_total', undefined, queries.length)
  const afterStep = (at: number): Condition => ({ type: 'ok', step: at })
  // A single statement is its own transaction.
  const alone = queries.length === 1
  const inside = queries.map((query, at) => createStep(query, alone ? undefined : afterStep(at)))
  const end = queries.length + 1
  const steps = alone
    ? inside
    : [
        createStep({ sql: 'BEGIN IMMEDIATE', args: [] }),
        ...inside,
        createStep({ sql: 'COMMIT', args: [] }, afterStep(end - 1)),
        createStep({ sql: 'ROLLBACK', args: [] }, { type: 'not', cond: afterStep(end) }),
      ]
  const { step_results: results, step_errors: errors } = await sendBatch(post, steps)
  const refused = errors.slice(0, end + 1).find((error) => error)
  if (refused) throw toRefusal(refused)
  count('edge_database_commits_total')
  return (alone ? results : results.slice(1, end)).map((result) => {
    if (!result) throw new StorageError('the database left a statement out')
    return toResult(result)
  })
}

const createStep = ({ sql, args }: Query, condition?: Condition): Step => ({
  stmt: { sql, args: args.map(toDatabase), want_rows: true },
  ...(condition && { condition }),
})

async function sendBatch(post: Post, steps: Step[]) {
  const stream = takeStream()
  const { baton, results } = await sendRequest(post, stream?.baton ?? null, {
    type: 'batch',
    batch: { steps },
  })
  const [result] = results
  if (result.type === 'error') {
    // The last steps did not run, so a transaction may still be open and would block all other writers.
    if (baton) await sendRequest(post, baton, { type: 'close' })
    throw toRefusal(result.error)
  }
  if (baton && idle.length < MAX_IDLE_STREAMS) idle.push({ baton, usedAt: Date.now() })
  return result.response.result
}

type Request = { type: 'batch'; batch: { steps: Step[] } } | { type: 'close' }

async function sendRequest(post: Post, baton: string | null, request: Request): Promise<PipelineResponse> {
  count('edge_database_calls_total')
  const body = JSON.stringify({ baton, requests: [request] })
  const { status, text } = await post('/v2/pipeline', body)
  if (status === 200) return JSON.parse(text)
  // The stream is gone: it was idle for too long, or the server was restarted. Nothing of this batch has begun.
  if (baton !== null && status === 400) return sendRequest(post, null, request)
  throw new StorageError(`the database answered ${status}: ${text.slice(0, 200)}`)
}

/** The stream that was used last; the others may expire. */
function takeStream(): Stream | undefined {
  const stream = idle.pop()
  if (!stream || Date.now() - stream.usedAt < MAX_IDLE_MS) return stream
  idle.length = 0
  return undefined
}

const toResult = ({ cols, rows, affected_row_count }: StepResult): Result => ({
  columns: cols.map(({ name }) => name),
  rows: rows.map((row) => row.map(fromDatabase)),
  rowsAffected: affected_row_count,
})

const toRefusal = (refused: Refused | null | undefined): DatabaseRefusal =>
  new DatabaseRefusal(refused?.message ?? 'a statement was not run', refused?.code ?? '')
