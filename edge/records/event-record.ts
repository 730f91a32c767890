// Converts stored events and their failures to the records that callers see.

import type { EventName } from '@msgnet/shared/contract/event-names.ts'
import type {
  Attempt,
  DeliveryFailure,
  EventDelivery,
  EventRecord,
} from '@msgnet/shared/contract/responses/event-responses.ts'
import { formatDateTime } from '@msgnet/shared/date-time.ts'
import { openLastResponse } from '../sealed/last-responses.ts'
import type { Env } from '../settings/env.ts'
import type { AttemptRow } from '../store/events/attempt-queries.ts'
import type { EventRow, FailedRow } from '../store/events/event-queries.ts'
import type { Outcome } from '../store/events/outcome-queries.ts'

/** Settled at once, because no webhook was to receive it: nothing was posted. */
const isUnaddressed = (
  { wanted, refused }: Pick<EventRow, 'wanted' | 'refused'>,
  outcomes: Outcome[],
): boolean => wanted === 0 && refused === null && outcomes.length === 0

/**
 * The contract's Event record, without fields for what never happened. `withTexts`: with what people wrote, and the
 * response of the receiver.
 */
export async function toEventRecord(
  env: Env,
  row: EventRow,
  outcomes: Outcome[],
  withTexts = true,
): Promise<EventRecord> {
  const own = outcomes.filter(({ eventId }) => eventId === row.id)
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
    unaddressed: isUnaddressed(row, own),
    ...(row.deliveredAt && { deliveredAt: formatDateTime(row.deliveredAt) }),
    ...(row.deadAt && { deadAt: formatDateTime(row.deadAt) }),
    ...(row.lastAttemptAt && { lastAttemptAt: formatDateTime(row.lastAttemptAt) }),
    ...(row.nextAttemptAt && { nextAttemptAt: formatDateTime(row.nextAttemptAt) }),
    ...(row.lastStatus && { lastStatus: row.lastStatus }),
    ...(row.lastError && { lastError: row.lastError }),
    ...(row.lastResponse && withTexts && { lastResponse: await openLastResponse(env, row) }),
    deliveries: own.map(toDelivery),
  }
}

const toDelivery = (outcome: Outcome): EventDelivery => ({
  webhookId: outcome.webhookId,
  status: outcome.status,
  attempts: outcome.attempts,
  ...(outcome.lastStatus && { lastStatus: outcome.lastStatus }),
  ...(outcome.lastError && { lastError: outcome.lastError }),
  ...(outcome.lastAttemptAt && { lastAttemptAt: formatDateTime(outcome.lastAttemptAt) }),
  ...(outcome.nextAttemptAt && { nextAttemptAt: formatDateTime(outcome.nextAttemptAt) }),
  ...(outcome.deliveredAt && { deliveredAt: formatDateTime(outcome.deliveredAt) }),
  ...(outcome.deadAt && { deadAt: formatDateTime(outcome.deadAt) }),
})

/** All attempts of an event, oldest first; `withTexts`: with the responses of the receiver. */
export async function toAttemptRecords(
  env: Env,
  row: EventRow,
  earlier: AttemptRow[],
  withTexts: boolean,
): Promise<Attempt[]> {
  const last = toLastAttempt(row, (earlier.at(-1)?.number ?? 0) + 1)
  const rows = last ? [...earlier, last] : earlier
  return Promise.all(rows.map((attempt) => toAttemptRecord(env, row.id, attempt, withTexts)))
}

function toLastAttempt(row: EventRow, number: number): AttemptRow | undefined {
  if (row.lastAttemptAt === null) return undefined
  return {
    number: Math.max(number, row.attempts),
    at: row.lastAttemptAt,
    duration: row.lastDuration,
    status: row.lastStatus,
    error: row.lastError,
    response: row.lastResponse,
  }
}

const toAttemptRecord = async (
  env: Env,
  eventId: string,
  { number, at, duration, status, error, response }: AttemptRow,
  withTexts: boolean,
): Promise<Attempt> => ({
  number,
  at: formatDateTime(at),
  ms: duration ?? 0,
  status: status ?? 0,
  error: error === 'destination_changed' ? describeStatus(status ?? 0) : (error ?? ''),
  response: withTexts ? await openLastResponse(env, { id: eventId, lastResponse: response }) : '',
})

/** The event's error was replaced when another URL was saved; of its last attempt only the status is left. */
const describeStatus = (status: number): string =>
  status === 0 ? 'unknown' : status < 300 ? '' : `status_${status}`

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
