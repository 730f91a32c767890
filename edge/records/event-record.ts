// Converts stored events and their failures to the records that callers see.

import type { EventName } from '../../shared/contract/event-names.ts'
import type { DeliveryFailure, EventRecord } from '../../shared/contract/responses/event-responses.ts'
import { formatDateTime } from '../../shared/date-time.ts'
import type { Env } from '../env.ts'
import { openLastResponse } from '../last-responses.ts'
import type { EventRow, FailedRow } from '../store/events/event-queries.ts'

/**
 * The contract's Event record, without fields for what never happened. `withTexts`: with what people wrote, and the
 * response of the receiver.
 */
export async function toEventRecord(env: Env, row: EventRow, withTexts = true): Promise<EventRecord> {
  return {
    id: row.id,
    instanceId: row.instanceId,
    seq: row.seq,
    type: row.type as EventName,
    messageid: row.messageid ?? '',
    payload: withTexts ? row.payload : {},
    createdAt: formatDateTime(row.createdAt),
    attempts: row.attempts,
    status: row.status,
    ...(row.deliveredAt && { deliveredAt: formatDateTime(row.deliveredAt) }),
    ...(row.deadAt && { deadAt: formatDateTime(row.deadAt) }),
    ...(row.lastAttemptAt && { lastAttemptAt: formatDateTime(row.lastAttemptAt) }),
    ...(row.nextAttemptAt && { nextAttemptAt: formatDateTime(row.nextAttemptAt) }),
    ...(row.lastStatus && { lastStatus: row.lastStatus }),
    ...(row.lastError && { lastError: row.lastError }),
    ...(row.lastResponse && withTexts && { lastResponse: await openLastResponse(env, row) }),
  }
}

export const toFailureRecord = async (env: Env, row: FailedRow): Promise<DeliveryFailure> => ({
  eventId: row.id,
  seq: row.seq,
  type: row.type,
  status: row.status,
  attempts: row.attempts,
  lastStatus: row.lastStatus ?? 0,
  lastError: row.lastError ?? '',
  lastResponse: await openLastResponse(env, row),
  lastAttemptAt: formatDateTime(row.lastAttemptAt),
  nextAttemptAt: formatDateTime(row.nextAttemptAt),
  deadAt: formatDateTime(row.deadAt),
})
