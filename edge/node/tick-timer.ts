// Calls the tick at the start and then once a minute, as the cron trigger does on Cloudflare.

import { MINUTE, SECOND } from '../../shared/date-time.ts'
import { withDeadline } from '../../shared/deadline.ts'
import type { Env } from '../env.ts'
import { runTick } from '../run-tick.ts'

/** What a tick has not done by then, the next process does. */
const STOP_TIMEOUT = SECOND

export interface TickTimer {
  /** Waits a moment for ticks that have begun. */
  stop(): Promise<void>
}

export function startTickTimer(env: Env): TickTimer {
  const running = new Set<Promise<void>>()
  function beginTick(): void {
    const run = runTick(env)
    running.add(run)
    void run.finally(() => running.delete(run))
  }
  // At once, because deliveries may have fallen due while nothing ran.
  beginTick()
  const timer = setInterval(beginTick, MINUTE)
  return {
    async stop() {
      clearInterval(timer)
      await withDeadline(Promise.all(running), STOP_TIMEOUT, () => undefined)
    },
  }
}
