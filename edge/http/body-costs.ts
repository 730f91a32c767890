// What large bodies cost, by token: bytes while they are read, and time of the processor while they are parsed and checked. Everybody
// waits meanwhile, so each token has so much of both a minute.

import { MIB } from '@msgnet/shared/contract/limits.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { FairTurns } from '@msgnet/shared/fair-turns.ts'
import { formatHolder } from '../limits/held-bytes.ts'
import { createQuotaFault } from '../limits/quotas.ts'
import { registerTurns } from '../observability/turns-in-metrics.ts'
import type { Actor } from '../request/request-context.ts'

/** A body of this size takes less than a millisecond. */
const SMALL_BYTES = 64 * 1024
/** Thousands of files in base64; in all other ways a body is refused before it costs much. */
const COST_PER_MINUTE = 15 * SECOND

/** What is refused after it was read has cost its bytes too. */
const BYTES = { costPerMinute: 2048 * MIB, maxSavedCost: 512 * MIB }

/** Files that are stored are written to the database of all, each with a row and a transaction of its own. */
const UPLOADS = { costPerMinute: 64 * MIB, maxSavedCost: 128 * MIB }
const MIN_UPLOAD_BYTES = 256 * 1024

/** Nothing waits here: a body is read and parsed at once, or refused. */
const UNUSED = { maxUnderWay: 0, maxUnderWayOfOne: 0, maxWaiting: 0, maxWaitingOfOne: 0 }
let opened: { parsing: FairTurns; reading: FairTurns; storing: FairTurns } | undefined
const openTurns = () =>
  (opened ??= {
    parsing: registerTurns('bodies', new FairTurns({ ...UNUSED, costPerMinute: COST_PER_MINUTE })),
    reading: registerTurns('body_bytes', new FairTurns({ ...UNUSED, ...BYTES })),
    storing: registerTurns('uploads', new FairTurns({ ...UNUSED, ...UPLOADS })),
  })

/** A request that can be marked as one over its rate. */
interface Marked {
  set(name: 'overRate', value: boolean): void
}

/** Throws if this token has used its minute. To be called before the body is read. */
export function rejectSpentBodies(c: Marked, caller: Actor | undefined, bytes: number): void {
  if (bytes <= SMALL_BYTES) return
  const { parsing, reading } = openTurns()
  const holder = formatHolder(caller)
  rejectSpent(c, 'bodies', parsing.charge(holder, 0))
  rejectSpent(c, 'body_bytes', reading.charge(holder, 0))
}

/** To be called with the bytes of each piece of a body once it is read: whether it says its length or not, a token pays for what came. */
export function createReadingCharge(c: Marked, caller: Actor | undefined): (bytes: number) => void {
  let size = 0
  return (bytes) => {
    const uncharged = size <= SMALL_BYTES ? size : 0
    size += bytes
    if (size > SMALL_BYTES)
      rejectSpent(c, 'body_bytes', openTurns().reading.charge(formatHolder(caller), uncharged + bytes))
  }
}

/** Throws if this token has stored the files of its minute. To be called before one is stored. */
export function chargeUpload(c: Marked, caller: Actor | undefined, bytes: number): void {
  const { storing } = openTurns()
  const holder = formatHolder(caller)
  rejectSpent(c, 'uploads', storing.charge(holder, 0))
  storing.charge(holder, Math.max(bytes, MIN_UPLOAD_BYTES))
}

function rejectSpent(c: Marked, quota: 'bodies' | 'body_bytes' | 'uploads', wait: number): void {
  if (wait === 0) return
  c.set('overRate', true)
  throw createQuotaFault(quota, wait)
}

/** Runs `parse`, and charges the token for its time. */
export function chargeParsing<Value>(
  caller: Actor | undefined,
  bytes: number,
  parse: () => Value,
  now = () => performance.now(),
): Value {
  const charge = createParsingCharge(caller, bytes, now)
  try {
    return parse()
  } finally {
    charge()
  }
}

/** To be called when what has begun with this call is parsed. */
export function createParsingCharge(
  caller: Actor | undefined,
  bytes: number,
  now = () => performance.now(),
): () => void {
  const began = now()
  return () => {
    if (bytes > SMALL_BYTES) openTurns().parsing.charge(formatHolder(caller), now() - began)
  }
}
