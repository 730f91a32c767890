// Reports that a host sends in the order of its outbox: states of sessions and events of the network.

import * as z from 'zod'
import { deliveredEvents } from '../contract/event-names.ts'
import { limits } from '../contract/limits.ts'
import { SessionState } from './session-state.ts'

const reportHead = {
  /** Number in the host's outbox; grows by one a report and is never used again. 0 for a report that its disk could not store. */
  n: z.int().nonnegative(),
  instance: z.uuid(),
  /** Of the assignment at that time. The edge refuses an older one than it knows. */
  epoch: z.int().positive(),
}

export const StateReport = z.object({ t: z.literal('state'), ...reportHead, state: SessionState })

/** Longer than version 00 needs, because later versions may add to the header. */
export const MAX_TRACEPARENT_LENGTH = 256

const Cause = z.object({
  requestId: z.string().max(limits.maxRequestIdLength),
  traceparent: z.string().max(MAX_TRACEPARENT_LENGTH),
})

export const EventReport = z.object({
  t: z.literal('event'),
  ...reportHead,
  /** The host makes it when it commits the event to its outbox. It becomes `webhook-id`. */
  id: z.uuid(),
  type: z.enum(deliveredEvents),
  /** The digits of the linked account at that time; empty if none was linked. */
  owner: z.string(),
  /** Milliseconds since the epoch. */
  at: z.int().positive(),
  /** One of `EventPayloads`, by `type`. */
  payload: z.record(z.string(), z.unknown()),
  /** For an edit: its payload as a new message, for deployments that deliver edits as messages. */
  also: z.record(z.string(), z.unknown()).optional().catch(undefined),
  /** The request that caused it, if any and if the edge has sent it. An event is valid without it. */
  cause: Cause.optional().catch(undefined),
})

const Report = z.discriminatedUnion('t', [StateReport, EventReport])
export type StateReport = z.infer<typeof StateReport>
export type EventReport = z.infer<typeof EventReport>
export type Report = z.infer<typeof Report>

/** The fields of an invalid report that are needed to set it aside; `id` is empty if there is nothing to store. */
const InvalidReport = z.object({
  t: z.literal('unreadable'),
  n: reportHead.n.catch(0),
  instance: z.uuid().catch(''),
  epoch: reportHead.epoch.catch(1),
  id: z.uuid().catch(''),
  type: EventReport.shape.type.or(z.literal('')).catch(''),
  owner: z.string().max(64).catch(''),
  at: EventReport.shape.at.catch(() => Date.now()),
})
export type InvalidReport = z.infer<typeof InvalidReport>

/** The edge's schema: an invalid report does not make the other reports of its frame invalid. */
export const ReceivedReport = z
  .union([Report, InvalidReport])
  .catch(({ value }) => InvalidReport.parse({ ...(typeof value === 'object' ? value : {}), t: 'unreadable' }))
export type ReceivedReport = z.infer<typeof ReceivedReport>
