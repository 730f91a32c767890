// Responses with stored events and failed deliveries (contract, "Event record").

import * as z from 'zod'
import { deliveredEvents } from '../event-names.ts'
import { DateTime, DateTimeOrNever } from './response-fields.ts'

export const EventStatus = z.enum(['pending', 'delivered', 'dead'])

const LastResponse = z
  .string()
  .describe(
    'The first 1 KiB of the body with which the receiver refused the last attempt, without control characters; stored for 7 days.',
  )

/** What became of an event at one webhook. Fields for what never happened are absent. */
const EventDelivery = z.object({
  webhookId: z.uuid(),
  status: EventStatus,
  attempts: z.int(),
  lastStatus: z.int().optional(),
  lastError: z.string().optional(),
  lastAttemptAt: DateTime.optional(),
  nextAttemptAt: DateTime.optional(),
  deliveredAt: DateTime.optional(),
  deadAt: DateTime.optional(),
})
export type EventDelivery = z.infer<typeof EventDelivery>

/** Fields for what never happened are absent. */
export const EventRecord = z.object({
  id: z.uuid().describe('The `webhook-id` of its deliveries.'),
  instanceId: z.uuid(),
  seq: z.int().describe('The number of the event of this instance, from 1 and without gaps.'),
  type: z.enum(deliveredEvents),
  messageid: z
    .string()
    .describe('The id of the message that the event is about; empty for none or several messages.'),
  payload: z
    .record(z.string(), z.unknown())
    .describe(
      'The stored form; the delivered body is made from it. Empty for an admin token of scope `read`.',
    ),
  createdAt: DateTime,
  attempts: z.int().describe('0 for an event without a receiver.'),
  status: EventStatus,
  unaddressed: z
    .boolean()
    .describe(
      'No webhook was to receive it: delivery was off, or its type or a filter excludes it. Its status is `delivered`, but nothing was posted.',
    ),
  deliveredAt: DateTime.optional(),
  deadAt: DateTime.optional(),
  lastAttemptAt: DateTime.optional(),
  nextAttemptAt: DateTime.optional(),
  lastStatus: z.int().optional(),
  lastError: z.string().optional(),
  lastResponse: LastResponse.optional(),
  deliveries: z
    .array(EventDelivery)
    .describe(
      'At each webhook that got it, or is to get it, the first before the others. What became of it at the first is in the fields above too.',
    ),
})
export type EventRecord = z.infer<typeof EventRecord>

export const EventList = z.object({
  events: z.array(EventRecord),
  hasMore: z
    .boolean()
    .describe('Whether other events match: go on from the `seq` of the last one of this page.'),
  status: EventStatus.optional().describe('The filter of the request.'),
})
export type EventList = z.infer<typeof EventList>

export const Attempt = z.object({
  number: z.int().describe('From 1. A replay counts on; of the earlier ones at most 50 are stored.'),
  at: DateTime.describe('When it ended.'),
  ms: z.int().describe('How long it took.'),
  status: z.int().describe('The status of the response of the receiver; 0 if it did not respond.'),
  error: z
    .string()
    .describe('Why the event was not delivered, such as `status_500` or `timeout`; empty if it was.'),
  response: z
    .string()
    .describe(
      'The first 1 KiB of the body with which the receiver refused this attempt; stored for 7 days. Empty for an admin token of scope `read`.',
    ),
})
export type Attempt = z.infer<typeof Attempt>

export const EventDetail = z.object({
  event: EventRecord,
  envelope: z
    .record(z.string(), z.unknown())
    .describe(
      'The body as it was posted, or would be. Empty for an admin token of scope `read`; an admin token does not see the token that it may contain.',
    ),
  attempts: z.array(Attempt).describe('Oldest first.'),
  nextAttemptAt: DateTime.nullable().describe(
    'Of an event that waits. Delivery that is paused makes no attempt.',
  ),
  unaddressed: z.boolean().describe('As in the event.'),
})
export type EventDetail = z.infer<typeof EventDetail>

export const DeliveryFailure = z.object({
  eventId: z.uuid(),
  seq: z.int(),
  type: z.string(),
  status: EventStatus,
  attempts: z.int(),
  lastStatus: z.int().describe('The status of the response of the receiver; 0 if it did not respond.'),
  lastError: z.string(),
  lastResponse: LastResponse,
  lastAttemptAt: DateTimeOrNever,
  nextAttemptAt: DateTimeOrNever,
  deadAt: DateTimeOrNever,
})
export type DeliveryFailure = z.infer<typeof DeliveryFailure>

export const FailureList = z.object({ errors: z.array(DeliveryFailure) })
export type FailureList = z.infer<typeof FailureList>

export const Redriven = z.object({
  matched: z.int().describe('The number of events that match the request.'),
  queued: z
    .int()
    .describe('The number of them that the present webhook accepts, 10,000 at most; they are due at once.'),
})
export type Redriven = z.infer<typeof Redriven>
