// Stores each minute until when the messages of all sessions that are up are here, in one statement, for a process that is killed.

import { MINUTE, SECOND } from '@msgnet/shared/date-time.ts'
import type { Log } from '../process/host-log.ts'
import type { Cancel, Clock } from '../process/machine-clock.ts'
import type { FencedStore } from '../store/fenced-store.ts'
import { moveCoverage } from '../store/gap-store.ts'
import type { Sessions } from './host-sessions.ts'

/** Less than a minute, so that a write that is slow is not late. */
const EVERY_MS = MINUTE - 10 * SECOND

interface Deps {
  store: FencedStore
  sessions: Sessions
  clock: Clock
  log: Log
}

export function startCoverageWrites({ store, sessions, clock, log }: Deps): Cancel {
  const write = async () => {
    const instances = sessions.moveCoverage()
    if (instances.length > 0) await store.commit([moveCoverage(store.holder, instances, Date.now())])
  }
  return clock.runEvery(EVERY_MS, () => {
    write().catch((error) => log.warn({ error }, 'failed to store coverage'))
  })
}
