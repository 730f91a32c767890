// The tick, once a minute: it continues deliveries and hand-overs that an alarm missed, and removes expired rows in small batches.

import { bootstrapServerWebhook } from './delivery/bootstrap.ts'
import { wakeDue } from './delivery/wake-due.ts'
import { type Env, keptFor } from './env.ts'
import { dropKeptTokens } from './family/tokens.ts'
import { takeOverFrom } from './hosts/handover.ts'
import { logUnwanted } from './http/unwanted.ts'
import { LAST_RESPONSE_KEPT } from './last-responses.ts'
import { log, reasonOf } from './log.ts'
import { count } from './metrics.ts'
import { purgeAudit } from './store/audit.ts'
import { openStore, type Store } from './store/database/database.ts'
import { purgeEvents, purgeLastResponses } from './store/events/events.ts'
import { listHosts } from './store/hosts.ts'
import { purgeKeys } from './store/idempotency-keys.ts'
import { purgePairings } from './store/instances.ts'
import { purgeLateOutcomes } from './store/late-outcomes.ts'

/** Rows of one deletion. The database takes one writer at a time, so a write must be short. */
const ROWS_A_DELETION = 500
const DELETIONS_A_TICK = 20

export async function tick(env: Env): Promise<void> {
  logUnwanted(env)
  const store = openStore(env)
  try {
    await bootstrapServerWebhook(env, store)
    await Promise.all([wakeDue(env), handOver(env, store)])
    const kept = keptFor(env)
    const events = await inBatches(() => purgeEvents(store, Date.now() - kept.events, ROWS_A_DELETION))
    const responses = await inBatches(() =>
      purgeLastResponses(store, Date.now() - LAST_RESPONSE_KEPT, ROWS_A_DELETION),
    )
    const keys = await inBatches(() => purgeKeys(store, ROWS_A_DELETION))
    const pairings = await inBatches(() => purgePairings(store, ROWS_A_DELETION))
    const outcomes = await inBatches(() => purgeLateOutcomes(store, ROWS_A_DELETION))
    const tokens = await dropKeptTokens(env, store)
    const audit = await inBatches(() => purgeAudit(store, Date.now() - kept.audit, ROWS_A_DELETION))
    count('edge_ticks_total', { result: 'done' })
    log(env, 'debug', 'tick', { events, responses, keys, pairings, outcomes, tokens, audit })
  } catch (error) {
    count('edge_ticks_total', { result: 'failed' })
    log(env, 'error', 'tick failed', { reason: reasonOf(error) })
  }
}

/**
 * Moves sessions of hosts that ended when no other had slots, and of hosts that drain step by step. A host that died while no
 * edge ran is heard of by nobody, so the leases that still run are watched.
 */
async function handOver(env: Env, store: Store): Promise<void> {
  for (const { id, live, draining, storeId } of await listHosts(store)) {
    if (storeId === '') continue
    if (!live) {
      await takeOverFrom(env, store, id)
      continue
    }
    await env.runtime.link(id).watchLease(id)
    if (draining) await env.runtime.link(id).drain()
  }
}

async function inBatches(deleteSome: () => Promise<number>): Promise<number> {
  let removed = 0
  for (let i = 0; i < DELETIONS_A_TICK; i++) {
    const deleted = await deleteSome()
    removed += deleted
    if (deleted < ROWS_A_DELETION) break
  }
  return removed
}
