// Calls the tick at the start and then once a minute, as the cron trigger does on Cloudflare.

import { MINUTE, SECOND } from '../../shared/clock.ts'
import { withDeadline } from '../../shared/deadline.ts'
import type { Env } from '../env.ts'
import { tick } from '../tick.ts'

/** What a tick has not done by then, the next process does. */
const ENDS_WITHIN = SECOND

export interface Minute {
  /** Waits a moment for ticks that have begun. */
  stop(): Promise<void>
}

export function startMinute(env: Env): Minute {
  const running = new Set<Promise<void>>()
  function begin(): void {
    const run = tick(env)
    running.add(run)
    void run.finally(() => running.delete(run))
  }
  // At once, because deliveries may have fallen due while nothing ran.
  begin()
  const timer = setInterval(begin, MINUTE)
  return {
    async stop() {
      clearInterval(timer)
      await withDeadline(Promise.all(running), ENDS_WITHIN, () => undefined)
    },
  }
}
