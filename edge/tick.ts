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
import { inBatches } from './store/database/batches.ts'
import { openStore, type Store } from './store/database/database.ts'
import { purgeEvents, purgeLastResponses } from './store/events/events.ts'
import { listHosts } from './store/hosts.ts'
import { purgeKeys } from './store/idempotency-keys.ts'
import { purgePairings } from './store/instances.ts'
import { purgeLateOutcomes } from './store/late-outcomes.ts'

/** Of each kind. The next tick goes on. */
const ROWS_A_TICK = 10_000

export async function tick(env: Env): Promise<void> {
  logUnwanted(env)
  const store = openStore(env)
  try {
    await bootstrapServerWebhook(env, store)
    await Promise.all([wakeDue(env), handOver(env, store)])
    const kept = keptFor(env)
    const purge = (some: (atMost: number) => Promise<number>) => inBatches(store, some, ROWS_A_TICK)
    const events = await purge((rows) => purgeEvents(store, Date.now() - kept.events, rows))
    const responses = await purge((rows) => purgeLastResponses(store, Date.now() - LAST_RESPONSE_KEPT, rows))
    const keys = await purge((rows) => purgeKeys(store, rows))
    const pairings = await purge((rows) => purgePairings(store, rows))
    const outcomes = await purge((rows) => purgeLateOutcomes(store, rows))
    const tokens = await purge((rows) => dropKeptTokens(env, store, rows))
    const audit = await purge((rows) => purgeAudit(store, Date.now() - kept.audit, rows))
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
