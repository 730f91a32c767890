// The canary: two instances of this host write to each other now and then, each way that callers have, and metrics show whether it arrived.

import { SECOND } from '@msgnet/shared/date-time.ts'
import type { Log } from '../process/host-log.ts'
import type { Cancel, Clock } from '../process/machine-clock.ts'
import type { CanaryMetrics } from './canary-metrics.ts'
import { paths, type Try, tryPath } from './canary-paths.ts'
import type { CanaryWatch, OpenLine } from './watched-driver.ts'

export interface CanarySettings {
  instances: readonly [string, string]
  everyMs: number
}

/** After a start sessions are brought back first. */
const FIRST_MS = 30 * SECOND
/** A message has this long to arrive, and less where rounds follow quickly. */
const ARRIVAL_MS = { max: 45 * SECOND, min: 3 * SECOND }

interface Deps extends CanarySettings {
  watch: CanaryWatch
  metrics: CanaryMetrics
  clock: Clock
  log: Log
}

/** Returns a function that ends it. */
export function startCanary({ everyMs, watch, metrics, clock, log }: Deps): () => void {
  const over = new AbortController()
  const group = { jid: '' }
  const withinMs = Math.min(ARRIVAL_MS.max, Math.max(ARRIVAL_MS.min, everyMs))
  let cancel: Cancel = clock.runAfter(Math.min(everyMs, FIRST_MS), runNext)

  async function runRound([one, other]: [OpenLine, OpenLine]): Promise<void> {
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const)
      for (const path of paths) {
        if (over.signal.aborted) return
        const outcome = await tryPath(path, { from, to, watch, group, withinMs, over: over.signal })
        if (!over.signal.aborted) reportTry(from, path, outcome)
      }
  }

  function reportTry({ instance }: OpenLine, path: (typeof paths)[number], result: Try): void {
    metrics.recordTry(path, instance, result)
    if (result.outcome === 'ok') return
    log.warn({ instance, path, ...result }, 'canary message did not arrive')
  }

  /** One round after the other, however long one takes. */
  function runNext(): void {
    const [one, other] = watch.listOpenLines()
    const round = one && other ? runRound([one, other]) : Promise.resolve()
    round
      .catch((error) => log.error({ error }, 'canary round failed'))
      .finally(() => {
        if (!over.signal.aborted) cancel = clock.runAfter(everyMs, runNext)
      })
  }

  return () => {
    over.abort()
    cancel()
  }
}
