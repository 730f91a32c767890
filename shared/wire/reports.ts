// What a host reports without being asked, in the order of its outbox: states of sessions and events of the network.

import * as z from 'zod'
import { deliveredEvents } from '../contract/events.ts'
import { limits } from '../contract/version.ts'
import { SessionState } from './session-state.ts'

const about = {
  /** Place in the host's outbox; grows by one a report, never reused. 0 for what its disk does not take. */
  n: z.int().nonnegative(),
  instance: z.uuid(),
  /** The assignment under which it was seen. The edge refuses an older one than it knows. */
  epoch: z.int().positive(),
}

export const StateReport = z.object({ t: z.literal('state'), ...about, state: SessionState })

/** With room for what later versions of the header add. */
export const TRACEPARENT_LENGTH = 256

const Cause = z.object({
  requestId: z.string().max(limits.requestIdLength),
  traceparent: z.string().max(TRACEPARENT_LENGTH),
})

export const EventReport = z.object({
  t: z.literal('event'),
  ...about,
  /** Made by the host when the event is committed to its outbox; becomes `webhook-id`. */
  id: z.uuid(),
  type: z.enum(deliveredEvents),
  /** The linked account's digits when it happened, empty when unlinked. */
  owner: z.string(),
  /** Milliseconds since the epoch. */
  at: z.int().positive(),
  /** One of `EventPayloads`, by `type`. */
  payload: z.record(z.string(), z.unknown()),
  /** Of an edit: the payload of the message that says it anew, for those who are told of edits as messages. */
  also: z.record(z.string(), z.unknown()).optional().catch(undefined),
  /** The request whose effect this is, where there was one and its edge has said so. An event counts without it. */
  cause: Cause.optional().catch(undefined),
})

const Report = z.discriminatedUnion('t', [StateReport, EventReport])
export type StateReport = z.infer<typeof StateReport>
export type EventReport = z.infer<typeof EventReport>
export type Report = z.infer<typeof Report>

/** What of a report that does not parse is of use in setting it aside; `id` is empty where there is nothing to keep. */
const Unreadable = z.object({
  t: z.literal('unreadable'),
  n: about.n.catch(0),
  instance: z.uuid().catch(''),
  epoch: about.epoch.catch(1),
  id: z.uuid().catch(''),
  type: EventReport.shape.type.or(z.literal('')).catch(''),
  owner: z.string().max(64).catch(''),
  at: EventReport.shape.at.catch(() => Date.now()),
})
export type Unreadable = z.infer<typeof Unreadable>

/** As the edge reads one: a report that does not parse takes none of those beside it with it. */
export const ReportTaken = z
  .union([Report, Unreadable])
  .catch(({ value }) => Unreadable.parse({ ...(typeof value === 'object' ? value : {}), t: 'unreadable' }))
export type ReportTaken = z.infer<typeof ReportTaken>
