// One event to its receiver: attempted, and what came of it said in statements that settle row and health.

import type { Statement } from '../../shared/db/statements.ts'
import type { Env } from '../env.ts'
import { log } from '../log.ts'
import { count } from '../metrics.ts'
import type { Store } from '../store/database.ts'
import { type Destined, recordAttempt, recordDelivered, recordFailure } from '../store/deliveries.ts'
import type { EventRow } from '../store/events.ts'
import type { Attempt } from './attempt.ts'
import { envelope } from './envelope.ts'
import { post } from './post.ts'
import { FAILURES_THAT_BLOCK, waitAfter } from './schedule.ts'

export interface Delivered {
  statements: Statement[]
  /** When it is tried again. */
  retryAt?: number
  /** Those behind it wait for that. */
  blocks?: boolean
  /** The destination takes nothing more. */
  halt?: boolean
}

export async function deliver(
  env: Env,
  store: Store,
  { instanceName, subscription }: Destined,
  event: EventRow,
): Promise<Delivered> {
  const started = Date.now()
  const result = await post(env, subscription, event.id, envelope(event, instanceName))
  const delivered = record(store, { instanceName, subscription }, event, result)
  count('edge_delivery_attempts_total', { result: result.delivered ? 'delivered' : 'failed' })
  log(env, result.delivered ? 'info' : 'warn', 'attempt', {
    ...{ instance: event.instanceId, event: event.id, seq: event.seq, attempt: event.attempts + 1 },
    ...{ status: result.status, ms: Date.now() - started },
    ...(!result.delivered && { error: result.error, settled: delivered.retryAt ? 'pending' : 'dead' }),
  })
  return delivered
}

function record(store: Store, { subscription }: Destined, event: EventRow, result: Attempt): Delivered {
  const now = Date.now()
  const attempts = event.attempts + 1
  if (result.delivered) {
    const how = { id: event.id, attempts, httpStatus: result.status, at: now }
    return { statements: recordDelivered(subscription, how) }
  }

  const { error, gone, status, retryAfterMs } = result
  const failure = { eventId: event.id, type: event.type, at: now, attempts, status, error }
  const health = recordFailure(store, subscription, failure, gone)
  const seen = { attempts, lastAttemptAt: now, lastStatus: status || null }
  const rowWith = (change: Partial<EventRow>) => recordAttempt(store, event.id, { ...seen, ...change })
  const wait = gone ? undefined : waitAfter(attempts, retryAfterMs)
  if (wait === undefined) {
    const row = rowWith({ status: 'dead', deadAt: now, nextAttemptAt: null, lastError: error })
    return { statements: [row, health], halt: gone }
  }
  const retryAt = now + wait
  const row = rowWith({ nextAttemptAt: retryAt, lastError: error })
  return { statements: [row, health], retryAt, blocks: attempts < FAILURES_THAT_BLOCK }
}
