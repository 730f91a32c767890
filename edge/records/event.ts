// Converts stored events and their failures to the records that callers see.

import { dateTime } from '../../shared/clock.ts'
import type { DeliveryFailure, EventRecord } from '../../shared/contract/answers/event.ts'
import type { EventName } from '../../shared/contract/events.ts'
import type { EventRow, FailedRow } from '../store/events/events.ts'

/** The contract's Event record, without fields for what never happened. */
export function eventRecord(row: EventRow): EventRecord {
  return {
    id: row.id,
    seq: row.seq,
    type: row.type as EventName,
    payload: row.payload,
    createdAt: dateTime(row.createdAt),
    attempts: row.attempts,
    status: row.status,
    ...(row.deliveredAt && { deliveredAt: dateTime(row.deliveredAt) }),
    ...(row.deadAt && { deadAt: dateTime(row.deadAt) }),
    ...(row.lastAttemptAt && { lastAttemptAt: dateTime(row.lastAttemptAt) }),
    ...(row.nextAttemptAt && { nextAttemptAt: dateTime(row.nextAttemptAt) }),
    ...(row.lastStatus && { lastStatus: row.lastStatus }),
    ...(row.lastError && { lastError: row.lastError }),
  }
}

export const failureRecord = (row: FailedRow): DeliveryFailure => ({
  eventId: row.id,
  seq: row.seq,
  type: row.type,
  status: row.status,
  attempts: row.attempts,
  lastStatus: row.lastStatus ?? 0,
  lastError: row.lastError ?? '',
  lastAttemptAt: dateTime(row.lastAttemptAt),
  nextAttemptAt: dateTime(row.nextAttemptAt),
  deadAt: dateTime(row.deadAt),
})
