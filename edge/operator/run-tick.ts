// The tick, once a minute: it continues deliveries and reassignments that an alarm missed, and removes expired rows in small batches.

import { bootstrapServerWebhook } from '../delivery/bootstrap-webhook.ts'
import { wakeDueCouriers } from '../delivery/wake-due-couriers.ts'
import { reassignFromDeadHost } from '../hosts/reassign-instances.ts'
import { logUnwanted } from '../http/unwanted-requests.ts'
import { purgeKeys } from '../idempotency/key-store.ts'
import { purgeLateOutcomes } from '../idempotency/late-outcomes.ts'
import { count } from '../observability/counters.ts'
import { log } from '../observability/edge-log.ts'
import { LAST_RESPONSE_RETENTION } from '../sealed/last-responses.ts'
import { type Env, readRetention } from '../settings/env.ts'
import { purgeAudit } from '../store/audit-queries.ts'
import { purgeCodes } from '../store/authorization-code-queries.ts'
import { writeInBatches } from '../store/database/batches.ts'
import { openStore, type Store } from '../store/database/open-store.ts'
import { purgeResponses } from '../store/events/attempt-queries.ts'
import { passOverUnwanted } from '../store/events/due-instances.ts'
import { purgeEvents } from '../store/events/event-queries.ts'
import { listHosts } from '../store/host-queries.ts'
import { purgePairings } from '../store/instance-queries.ts'
import { purgeLinks } from '../store/link-queries.ts'
import { purgeFiles } from '../store/uploaded-file-queries.ts'
import { purgeWebhookEvents } from '../store/webhook-event-queries.ts'
import { notifyOperator } from './notify-operator.ts'

/** Of each kind. The next tick goes on. More than come in a minute, or what has expired would never end. */
const ROWS_A_TICK = 100_000

export async function runTick(env: Env): Promise<void> {
  logUnwanted(env)
  const store = openStore(env)
  try {
    await bootstrapServerWebhook(env, store)
    await Promise.all([wakeDueCouriers(env), reassignDeadHosts(env, store)])
    await passOverUnwanted(store)
    await notifyOperator(env, store)
    const retention = readRetention(env)
    const purgeInBatches = (some: (atMost: number) => Promise<number>) =>
      writeInBatches(store, some, ROWS_A_TICK)
    const events = await purgeInBatches((rows) => purgeEvents(store, Date.now() - retention.events, rows))
    const webhookEvents = await purgeInBatches((rows) =>
      purgeWebhookEvents(store, Date.now() - retention.events, rows),
    )
    const responses = await purgeInBatches((rows) =>
      purgeResponses(store, 'lastResponses', Date.now() - LAST_RESPONSE_RETENTION, rows),
    )
    const earlierResponses = await purgeInBatches((rows) =>
      purgeResponses(store, 'earlierResponses', Date.now() - LAST_RESPONSE_RETENTION, rows),
    )
    const keys = await purgeInBatches((rows) => purgeKeys(store, rows))
    const pairings = await purgeInBatches((rows) => purgePairings(store, rows))
    const links = await purgeInBatches((rows) => purgeLinks(store, rows))
    const codes = await purgeInBatches((rows) => purgeCodes(store, rows))
    const uploads = await purgeInBatches((rows) => purgeFiles(store, rows))
    const outcomes = await purgeInBatches((rows) => purgeLateOutcomes(store, rows))
    const tokens = await purgeInBatches((rows) => env.dialects.purgeTokens(store, rows))
    const audit = await purgeInBatches((rows) => purgeAudit(store, Date.now() - retention.audit, rows))
    count('edge_ticks_total', { result: 'done' })
    log(env, 'debug', 'tick', {
      events,
      webhookEvents,
      responses,
      earlierResponses,
      keys,
      pairings,
      links,
      codes,
      uploads,
      outcomes,
      tokens,
      audit,
    })
  } catch (error) {
    count('edge_ticks_total', { result: 'failed' })
    log(env, 'error', 'failed to run tick', { error })
  }
}

/**
 * Moves sessions of hosts that ended when no other had slots, and of hosts that drain step by step. A host that died while no
 * edge ran is noticed by no link, so the leases that still run are watched.
 */
async function reassignDeadHosts(env: Env, store: Store): Promise<void> {
  for (const { id, live, draining, storeId } of await listHosts(store)) {
    if (storeId === '') continue
    if (!live) {
      await reassignFromDeadHost(env, store, id)
      continue
    }
    await env.runtime.getLink(id).watchLease(id)
    if (draining) await env.runtime.getLink(id).drainHost()
  }
}
