// All metrics of the edge as one text: what it counted, and what the database knows at this moment.

import { formatCounters } from './counters.ts'
import { formatDatabaseHealth } from './database-health.ts'
import { log } from './edge-log.ts'
import type { Env } from './env.ts'
import { formatFleet } from './fleet-metrics.ts'
import { formatHistograms } from './histograms.ts'
import { openStore } from './store/database/open-store.ts'
import { countFleet } from './store/fleet-queries.ts'

export async function formatMetrics(env: Env): Promise<string> {
  // First: if the database does not answer, the others say so already.
  const fleet = await formatFleetNow(env)
  return formatCounters() + formatHistograms() + formatDatabaseHealth() + fleet
}

/** Empty if the database does not answer. */
async function formatFleetNow(env: Env): Promise<string> {
  try {
    return formatFleet(await countFleet(openStore(env)))
  } catch (error) {
    log(env, 'warn', 'failed to count hosts and instances', { error })
    return ''
  }
}
