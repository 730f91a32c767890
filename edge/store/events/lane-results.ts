// Statements that record what became of an event at a webhook. The same write moves the cursor past an event that delays no other any more.

import type { LastFailure } from '@msgnet/shared/db/edge-tables.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import type { Delivered, DueEvent, FailedAttempt, LaneRow } from '../../objects/due-events.ts'
import { archiveLastAttempt } from './attempt-queries.ts'
import { moveCursor } from './lane-queue.ts'

// Nothing is written for a webhook that was deleted or got another URL during the attempt, nor for an event that was deleted.
const RECEIVES = `from webhooks w where w.lane = ?1 and w.url = ?3
  and exists (select 1 from events e where e.instance_id = w.instance_id and e.seq = ?2)`

const DELIVER = `
insert into deliveries (lane, seq, status, attempts, last_attempt_at, last_duration, last_status)
select ?1, ?2, 'delivered', ?4, ?5, ?6, ?7 ${RECEIVES}
on conflict (lane, seq) do update set status = 'delivered', attempts = excluded.attempts,
  last_attempt_at = excluded.last_attempt_at, last_duration = excluded.last_duration, last_status = excluded.last_status,
  next_attempt_at = null, last_error = null, last_response = null
where deliveries.status = 'pending'`

const PART = `
insert into deliveries (lane, seq, status, attempts, next_attempt_at, parts_done)
select ?1, ?2, 'pending', ?4, ?5, ?6 ${RECEIVES}
on conflict (lane, seq) do update set parts_done = excluded.parts_done where deliveries.status = 'pending'`

/** Some parts of the event were delivered: after a kill the next attempt goes on behind them. */
export const recordParts = (
  { lane, url }: LaneRow,
  { seq, attempts }: DueEvent,
  partsDone: number,
): Statement => ({
  sql: PART,
  args: [lane, seq, url, attempts, Date.now(), partsDone],
})

const PASS = `
insert into deliveries (lane, seq, status, attempts) select ?1, ?2, 'delivered', ?4 ${RECEIVES}
on conflict (lane, seq) do update set status = 'delivered', next_attempt_at = null, last_error = null, last_response = null
where deliveries.status = 'pending'`

/** The webhook's form has no words for the event: it is settled without a request. */
export const recordPassed = ({ lane, url }: LaneRow, { seq, attempts }: DueEvent): Statement[] => [
  { sql: PASS, args: [lane, seq, url, attempts] },
  moveCursor(lane, url, seq),
]

const TOUCH = `update webhooks set cursor = max(cursor, ?3), last_delivered_at = ?4, failing_since = 0
where lane = ?1 and url = ?2`

export const recordDelivered = (
  { lane, url }: LaneRow,
  event: DueEvent,
  { attempts, httpStatus, at, duration }: Delivered,
): Statement[] => [
  ...archiveLastAttempt(lane, event),
  { sql: DELIVER, args: [lane, event.seq, url, attempts, at, duration, httpStatus] },
  { sql: TOUCH, args: [lane, url, event.seq, at] },
]

const FAIL = `
insert into deliveries (lane, seq, status, attempts, last_attempt_at, last_duration, last_status, next_attempt_at, dead_at,
  last_error, last_response)
select ?1, ?2, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12 ${RECEIVES}
on conflict (lane, seq) do update set status = excluded.status, attempts = excluded.attempts,
  last_attempt_at = excluded.last_attempt_at, last_duration = excluded.last_duration, last_status = excluded.last_status,
  next_attempt_at = excluded.next_attempt_at, dead_at = excluded.dead_at,
  last_error = excluded.last_error, last_response = excluded.last_response
where deliveries.status = 'pending'`

// After a 410 an attempt that was under way does not hide it.
const TROUBLE = `update webhooks set cursor = max(cursor, ?3), last_failure = iif(gone, last_failure, ?4),
  failing_since = iif(failing_since = 0, ?5, failing_since), gone = max(gone, ?6), gave_up_at = max(gave_up_at, ?7)
where lane = ?1 and url = ?2`

export interface FailureState {
  /** The receiver accepts no more events. */
  gone: boolean
  /** The next attempt is before any later event. */
  blocks: boolean
}

export const recordFailure = (
  { lane, url }: LaneRow,
  event: DueEvent,
  change: FailedAttempt,
  failure: LastFailure,
  { gone, blocks }: FailureState,
): Statement[] => [
  ...archiveLastAttempt(lane, event),
  {
    sql: FAIL,
    args: [
      lane,
      event.seq,
      url,
      change.status,
      change.attempts,
      change.lastAttemptAt,
      change.lastDuration,
      change.lastStatus,
      change.nextAttemptAt,
      change.deadAt,
      change.lastError,
      change.lastResponse,
    ],
  },
  {
    sql: TROUBLE,
    args: [
      lane,
      url,
      blocks ? 0 : event.seq,
      JSON.stringify(failure),
      failure.at,
      gone ? 1 : 0,
      (!gone && change.deadAt) || 0,
    ],
  },
]
