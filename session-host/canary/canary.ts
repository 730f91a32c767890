// The canary: two instances of this host write to each other now and then, each way that callers have, and metrics tell what became of it.

import { SECOND } from '../../shared/clock.ts'
import type { Cancel, Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { CanaryMetrics } from './canary-metrics.ts'
import { paths, type Try, tryPath } from './paths.ts'
import type { Line, Watching } from './watched-driver.ts'

export interface CanarySettings {
  instances: readonly [string, string]
  everyMs: number
}

/** After a start sessions are brought back first. */
const FIRST_MS = 30 * SECOND
/** A message has this long to arrive, and less where rounds follow quickly. */
const ARRIVAL_MS = { max: 45 * SECOND, min: 3 * SECOND }

interface Deps extends CanarySettings {
  watching: Watching
  metrics: CanaryMetrics
  clock: Clock
  log: Log
}

/** Answers a function that ends it. */
export function startCanary({ everyMs, watching, metrics, clock, log }: Deps): () => void {
  const over = new AbortController()
  const group = { jid: '' }
  const withinMs = Math.min(ARRIVAL_MS.max, Math.max(ARRIVAL_MS.min, everyMs))
  let cancel: Cancel = clock.after(Math.min(everyMs, FIRST_MS), next)

  async function runRound([one, other]: [Line, Line]): Promise<void> {
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const)
      for (const path of paths) {
        if (over.signal.aborted) return
        const outcome = await tryPath(path, { from, to, watching, group, withinMs, over: over.signal })
        if (!over.signal.aborted) report(from, path, outcome)
      }
  }

  function report({ instance }: Line, path: (typeof paths)[number], result: Try): void {
    metrics.record(path, instance, result)
    if (result.outcome === 'ok') return
    log.warn({ instance, path, ...result }, 'a message of the canary did not arrive')
  }

  /** One round after the other, however long one takes. */
  function next(): void {
    const [one, other] = watching.lines()
    const round = one && other ? runRound([one, other]) : Promise.resolve()
    round
      .catch((thrown) => log.error({ err: thrown }, 'a round of the canary failed'))
      .finally(() => {
        if (!over.signal.aborted) cancel = clock.after(everyMs, next)
      })
  }

  return () => {
    over.abort()
    cancel()
  }
}
