// Converts stored events and their failures to the records that callers see.

import { dateTime } from '../../shared/clock.ts'
import type { DeliveryFailure, EventRecord } from '../../shared/contract/answers/event.ts'
import type { EventName } from '../../shared/contract/events.ts'
import type { Env } from '../env.ts'
import { openLastResponse } from '../last-responses.ts'
import type { EventRow, FailedRow } from '../store/events/events.ts'

/**
 * The contract's Event record, without fields for what never happened. `withTexts`: with what people wrote, and what the
 * receiver answered.
 */
export async function eventRecord(env: Env, row: EventRow, withTexts = true): Promise<EventRecord> {
  return {
    id: row.id,
    instanceId: row.instanceId,
    seq: row.seq,
    type: row.type as EventName,
    messageid: row.messageid ?? '',
    payload: withTexts ? row.payload : {},
    createdAt: dateTime(row.createdAt),
    attempts: row.attempts,
    status: row.status,
    ...(row.deliveredAt && { deliveredAt: dateTime(row.deliveredAt) }),
    ...(row.deadAt && { deadAt: dateTime(row.deadAt) }),
    ...(row.lastAttemptAt && { lastAttemptAt: dateTime(row.lastAttemptAt) }),
    ...(row.nextAttemptAt && { nextAttemptAt: dateTime(row.nextAttemptAt) }),
    ...(row.lastStatus && { lastStatus: row.lastStatus }),
    ...(row.lastError && { lastError: row.lastError }),
    ...(row.lastResponse && withTexts && { lastResponse: await openLastResponse(env, row) }),
  }
}

export const failureRecord = async (env: Env, row: FailedRow): Promise<DeliveryFailure> => ({
  eventId: row.id,
  seq: row.seq,
  type: row.type,
  status: row.status,
  attempts: row.attempts,
  lastStatus: row.lastStatus ?? 0,
  lastError: row.lastError ?? '',
  lastResponse: await openLastResponse(env, row),
  lastAttemptAt: dateTime(row.lastAttemptAt),
  nextAttemptAt: dateTime(row.nextAttemptAt),
  deadAt: dateTime(row.deadAt),
})
