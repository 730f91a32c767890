// All metrics of the edge as one text: what it counted, and what the database knows at this moment.

import { databaseHealthText } from './database-health.ts'
import type { Env } from './env.ts'
import { writeFleet } from './fleet-text.ts'
import { histogramsText } from './histograms.ts'
import { log, reasonOf } from './log.ts'
import { metricsText } from './metrics.ts'
import { openStore } from './store/database/database.ts'
import { countFleet } from './store/fleet.ts'

export async function writeMetrics(env: Env): Promise<string> {
  // First: if the database does not answer, the others say so already.
  const fleet = await readFleet(env)
  return metricsText() + histogramsText() + databaseHealthText() + fleet
}

/** Empty if the database does not answer. */
async function readFleet(env: Env): Promise<string> {
  try {
    return writeFleet(await countFleet(openStore(env)))
  } catch (error) {
    log(env, 'warn', 'hosts and instances were not counted', { reason: reasonOf(error) })
    return ''
  }
}
