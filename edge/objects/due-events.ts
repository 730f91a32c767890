// Types of due events and their destination, as a courier reads them and gets them from the link.

import type { PresenceItem } from '@msgnet/shared/contract/presence-event.ts'
import type { events, furtherWebhooks, LastFailure, subscriptions } from '@msgnet/shared/db/edge-tables.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'

type EventRow = typeof events.$inferSelect
export type FurtherWebhookRow = typeof furtherWebhooks.$inferSelect

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

/** What a signed request needs of a webhook. */
export interface PostDestination
  extends Pick<
    FurtherWebhookRow,
    | 'id'
    | 'url'
    | 'addUrlEvents'
    | 'addUrlTypes'
    | 'secret'
    | 'previousSecret'
    | 'previousSecretUntil'
    | 'headers'
  > {
  /** Whom its secret and its headers are sealed for. */
  owner: string
}

/** A webhook of an instance beside its first. */
export interface FurtherTarget {
  instanceName: string
  webhook: FurtherWebhookRow
}

/** A confirmed attempt. `attempts` includes it. */
export interface Delivered {
  attempts: number
  httpStatus: number
  at: number
  duration: number
}

/** Where the results of attempts at one webhook are written. */
export interface DeliveryLedger {
  recordDelivered(event: DueEvent, delivered: Delivered): Statement[]
  /** Any other attempt. `change`: of the event's row; `blocks`: the next attempt is before any later event. */
  recordFailure(
    event: DueEvent,
    change: FailedAttempt,
    failure: LastFailure,
    state: FailureState,
  ): Statement[]
}

export type FailedAttempt = Pick<
  EventRow,
  | 'attempts'
  | 'lastAttemptAt'
  | 'lastDuration'
  | 'lastStatus'
  | 'lastResponse'
  | 'lastError'
  | 'nextAttemptAt'
> &
  Partial<Pick<EventRow, 'status' | 'deadAt'>>

export interface FailureState {
  /** The receiver accepts no more events. */
  gone: boolean
  blocks: boolean
}

/** An instance that has something to deliver now, or an open stream. */
export interface Arrival {
  instance: string
  /** It has webhooks beside its first. */
  hasFurther: boolean
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
  /** The webhooks that want presence, with what is for each; without any it is for streams only. */
  destinations: { destination: PostDestination; items: PresenceItem[] }[]
  items: PresenceItem[]
}
