// Queries for the history of attempts: the last attempt is in the row of the delivery, the ones before it have rows of their own.

import type { deliveryAttempts } from '@msgnet/shared/db/edge-tables.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import type { DueEvent } from '../../objects/due-events.ts'
import { type Store, toRecords } from '../database/open-store.ts'

export type AttemptRow = Omit<typeof deliveryAttempts.$inferSelect, 'lane' | 'seq'>

/** Of one event. A caller may replay an event without end, and each replay is an attempt. */
const MAX_EARLIER_ATTEMPTS = 50

const MOVE_LAST = `
insert into delivery_attempts (lane, seq, number, at, duration, status, error, response)
select lane, seq, 1 + coalesce((select max(number) from delivery_attempts a where a.lane = ?1 and a.seq = ?2), 0),
  last_attempt_at, last_duration, last_status, last_error, last_response
from deliveries where lane = ?1 and seq = ?2 and status = 'pending' and last_attempt_at = ?3`

const DELETE_OLDEST = `
delete from delivery_attempts where lane = ?1 and seq = ?2
  and number <= (select max(number) from delivery_attempts a where a.lane = ?1 and a.seq = ?2) - ${MAX_EARLIER_ATTEMPTS}`

/**
 * Moves the last attempt out of the delivery's row; for the write that records the next one there, before it. Empty for the
 * first attempt. Written twice, it does nothing the second time.
 */
export const archiveLastAttempt = (
  lane: number,
  { seq, lastAttemptAt }: Pick<DueEvent, 'seq' | 'lastAttemptAt'>,
): Statement[] =>
  lastAttemptAt === null
    ? []
    : [
        { sql: MOVE_LAST, args: [lane, seq, lastAttemptAt] },
        { sql: DELETE_OLDEST, args: [lane, seq] },
      ]

const EARLIER = `select a.number, a.at, a.duration, a.status, a.error, a.response
from webhooks w join delivery_attempts a on a.lane = w.lane and a.seq = ?2
where w.instance_id = ?1 and w.position = 0 order by a.number`

/** At the first webhook, all but the last, oldest first. */
export async function listEarlierAttempts(
  store: Store,
  { instanceId, seq }: Pick<DueEvent, 'instanceId' | 'seq'>,
): Promise<AttemptRow[]> {
  const [found] = await store.readAll({ sql: EARLIER, args: [instanceId, seq] })
  return (found ? toRecords(found) : []) as unknown as AttemptRow[]
}

// Tables without a rowid.
const PURGES = {
  lastResponses: `update deliveries set last_response = null where (lane, seq) in (
    select lane, seq from deliveries where last_response is not null and last_attempt_at < ?1 limit ?2)`,
  earlierResponses: `update delivery_attempts set response = null where (lane, seq, number) in (
    select lane, seq, number from delivery_attempts where response is not null and at < ?1 limit ?2)`,
}

/** Deletes the responses of receivers to attempts before that time; the attempts stay. Returns how many, at most so many. */
export async function purgeResponses(
  store: Store,
  which: keyof typeof PURGES,
  olderThan: number,
  max: number,
): Promise<number> {
  const [purged] = await store.write([{ sql: PURGES[which], args: [olderThan, max] }])
  return purged?.rowsAffected ?? 0
}
