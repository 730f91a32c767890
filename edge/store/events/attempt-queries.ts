// Queries for the history of attempts: the last attempt is in the event's row, the ones before it have rows of their own.

import { earlierAttempts } from '@msgnet/shared/db/edge-tables.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { asc, eq, sql } from 'drizzle-orm'
import type { DueEvent } from '../../objects/due-events.ts'
import type { Store } from '../database/open-store.ts'

export type AttemptRow = typeof earlierAttempts.$inferSelect

/** Of one event. A caller may replay an event without end, and each replay is an attempt. */
export const MAX_EARLIER_ATTEMPTS = 50

const MOVE_LAST = `
insert into earlier_attempts (event_id, number, at, duration, status, error, response)
select id, 1 + coalesce((select max(number) from earlier_attempts where event_id = events.id), 0),
  last_attempt_at, last_duration, last_status, last_error, last_response
from events where id = ?1 and status = 'pending' and last_attempt_at = ?2`

const DELETE_OLDEST = `
delete from earlier_attempts where event_id = ?1
  and number <= (select max(number) from earlier_attempts where event_id = ?1) - ${MAX_EARLIER_ATTEMPTS}`

/**
 * Moves the last attempt out of the event's row; for the write that records the next one there, before it. Empty for an
 * event's first attempt. Written twice, it does nothing the second time.
 */
export const archiveLastAttempt = ({
  id,
  lastAttemptAt,
}: Pick<DueEvent, 'id' | 'lastAttemptAt'>): Statement[] =>
  lastAttemptAt === null
    ? []
    : [
        { sql: MOVE_LAST, args: [id, lastAttemptAt] },
        { sql: DELETE_OLDEST, args: [id] },
      ]

/** All but the last, oldest first. */
export const listEarlierAttempts = (store: Store, eventId: string): Promise<AttemptRow[]> =>
  store.db
    .select()
    .from(earlierAttempts)
    .where(eq(earlierAttempts.eventId, eventId))
    .orderBy(asc(earlierAttempts.number))

/** Deletes the responses of receivers to attempts before that time; the attempts stay. */
export async function purgeEarlierResponses(store: Store, olderThan: number, max: number): Promise<number> {
  const { response, at } = earlierAttempts
  const some = sql`rowid in (select rowid from ${earlierAttempts}
    where ${response} is not null and ${at} < ${olderThan} limit ${max})`
  const { rowsAffected } = await store.db.update(earlierAttempts).set({ response: null }).where(some)
  return rowsAffected
}
