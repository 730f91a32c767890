// Types of due events and their destination, as a courier reads them and gets them from the link.

import type { PresenceItem } from '../../../shared/contract/presence-event.ts'
import type { events, subscriptions } from '../../../shared/db/edge-tables.ts'

type EventRow = typeof events.$inferSelect

/** The columns of an event that an attempt needs. */
export type DueEvent = Pick<
  EventRow,
  | 'id'
  | 'instanceId'
  | 'seq'
  | 'type'
  | 'owner'
  | 'at'
  | 'payload'
  | 'attempts'
  | 'lastAttemptAt'
  | 'nextAttemptAt'
  | 'requestId'
  | 'traceparent'
>

export interface DeliveryTarget {
  instanceName: string
  subscription: typeof subscriptions.$inferSelect
}

/** An instance that has something to deliver now, or an open stream. */
export interface Arrival {
  instance: string
  /** The events themselves, if they are known without another read. */
  batch?: EventBatch
}

/** New events of one instance in order, with the destination at the time when they were stored. */
export interface EventBatch {
  target: DeliveryTarget
  events: DueEvent[]
  /** The `seq` of the event that waits before the first of them in the ordered queue; 0 if none does. */
  behind: number
  /** A time before they were stored: `destined` includes every earlier change of the subscription. */
  at: number
}

/** Presence of one instance on its way to its courier, which stores nothing of it. */
export interface PresenceBatch {
  instance: string
  instanceName: string
  /** Undefined if its webhook does not want presence: then it is for streams only. */
  webhook: DeliveryTarget | undefined
  items: PresenceItem[]
}
