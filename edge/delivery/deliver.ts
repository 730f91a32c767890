// One event to its receiver: attempted, and the row and the destination's health settled by what came of it.

import type { Env } from '../env.ts'
import { log } from '../log.ts'
import type { Statement, Store } from '../store/database.ts'
import { type Destined, recordAttempt, recordDelivered, recordFailure } from '../store/deliveries.ts'
import type { EventRow } from '../store/events.ts'
import { type Attempt, attempt } from './attempt.ts'
import { envelope } from './envelope.ts'
import { FAILURES_THAT_BLOCK, waitAfter } from './schedule.ts'
import { signingSecrets } from './secrets.ts'
import { signedHeaders } from './signature.ts'

export interface Delivered {
  /** Those behind it wait until then. */
  blockedUntil?: number
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
  const body = envelope(event, instanceName)
  const secrets = await signingSecrets(env, subscription)
  const headers = await signedHeaders(event.id, started, body, secrets)
  const result = await attempt(env, subscription.url, headers, body)

  const { change, statements, ...delivered } = settle(store, { instanceName, subscription }, event, result)
  await store.write([recordAttempt(store, event.id, change), ...statements])
  log(env, result.delivered ? 'info' : 'warn', 'attempt', {
    ...{ instance: event.instanceId, event: event.id, seq: event.seq, attempt: event.attempts + 1 },
    ...{ status: result.status, ms: Date.now() - started },
    ...(!result.delivered && { error: result.error, settled: change.status ?? 'pending' }),
  })
  return delivered
}

interface Settlement extends Delivered {
  change: Partial<EventRow>
  statements: Statement[]
}

function settle(store: Store, { subscription }: Destined, event: EventRow, result: Attempt): Settlement {
  const now = Date.now()
  const attempts = event.attempts + 1
  const seen = { attempts, lastAttemptAt: now, lastStatus: result.status || null }
  if (result.delivered) {
    return {
      change: { ...seen, status: 'delivered', deliveredAt: now, nextAttemptAt: null, lastError: null },
      statements: [recordDelivered(store, subscription, now)],
    }
  }

  const { error, gone, status, retryAfterMs } = result
  const failure = { eventId: event.id, type: event.type, at: now, attempts, status, error }
  const statements = [recordFailure(store, subscription, failure, gone)]
  const wait = gone ? undefined : waitAfter(attempts, retryAfterMs)
  if (wait === undefined) {
    const change = { ...seen, status: 'dead', deadAt: now, nextAttemptAt: null, lastError: error } as const
    return { change, statements, halt: gone }
  }
  const nextAttemptAt = now + wait
  return {
    change: { ...seen, nextAttemptAt, lastError: error },
    statements,
    ...(attempts < FAILURES_THAT_BLOCK && { blockedUntil: nextAttemptAt }),
  }
}
