// What reading and checking large bodies takes of the processor, by token: everybody waits meanwhile, so each token has so much of it a minute.

import { SECOND } from '../../shared/date-time.ts'
import { FairTurns } from '../../shared/fair-turns.ts'
import { formatHolder } from '../held-bytes.ts'
import { createQuotaFault } from '../quotas.ts'
import type { Actor } from '../request-context.ts'
import { registerTurns } from '../turns-in-metrics.ts'

/** A body of this size takes less than a millisecond. */
const SMALL_BYTES = 64 * 1024
/** Thousands of files in base64; in all other ways a body is refused before it costs much. */
const COST_PER_MINUTE = 15 * SECOND

/** Nothing waits here: a body is parsed at once or refused. */
const UNUSED = { maxUnderWay: 0, maxUnderWayOfOne: 0, maxWaiting: 0, maxWaitingOfOne: 0 }
let turns: FairTurns | undefined
const openTurns = (): FairTurns =>
  (turns ??= registerTurns('bodies', new FairTurns({ ...UNUSED, costPerMinute: COST_PER_MINUTE })))

/** A request that can be marked as one over its rate. */
interface Marked {
  set(name: 'overRate', value: boolean): void
}

/** Throws if this token has used its minute. To be called before the body is read. */
export function rejectSpentBodies(c: Marked, caller: Actor | undefined, bytes: number): void {
  if (bytes <= SMALL_BYTES) return
  const wait = openTurns().charge(formatHolder(caller), 0)
  if (wait === 0) return
  c.set('overRate', true)
  throw createQuotaFault('bodies', wait)
}

/** Runs `parse`, and charges the token for its time. */
export function chargeParsing(
  caller: Actor | undefined,
  bytes: number,
  parse: () => void,
  now = () => performance.now(),
): void {
  const began = now()
  try {
    parse()
  } finally {
    if (bytes > SMALL_BYTES) openTurns().charge(formatHolder(caller), now() - began)
  }
}
