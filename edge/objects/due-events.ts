// Types of due events and their destination, as a courier reads them and gets them from the link.

import type { PresenceItem } from '@msgnet/shared/contract/presence-event.ts'
import type { deliveries, events, webhooks } from '@msgnet/shared/db/edge-tables.ts'

type EventRow = typeof events.$inferSelect
type DeliveryRow = typeof deliveries.$inferSelect
export type WebhookRow = typeof webhooks.$inferSelect

/** The columns of an event that an attempt needs. */
export type DueEvent = Pick<
  EventRow,
  'id' | 'instanceId' | 'seq' | 'type' | 'owner' | 'at' | 'payload' | 'beyond' | 'requestId' | 'traceparent'
> &
  Pick<DeliveryRow, 'attempts' | 'partsDone' | 'lastAttemptAt' | 'nextAttemptAt'>

/** A webhook that events are sent to. */
export interface LaneTarget {
  instanceName: string
  /** Null without one. */
  handle: string | null
  webhook: WebhookRow
}

/** Names a webhook as it was when an attempt began. */
export type LaneRow = Pick<WebhookRow, 'lane' | 'url'>

/** What a signed request needs of a webhook. */
export interface PostDestination
  extends Pick<
    WebhookRow,
    | 'id'
    | 'url'
    | 'format'
    | 'formatOptions'
    | 'events'
    | 'excludeMessages'
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

/** A confirmed attempt. `attempts` includes it. */
export interface Delivered {
  attempts: number
  httpStatus: number
  at: number
  duration: number
}

/** What any other attempt leaves in the row of the delivery. */
export type FailedAttempt = Omit<DeliveryRow, 'lane' | 'seq' | 'partsDone'>

/** An instance that has something to deliver now, or an open stream. */
export interface Arrival {
  instance: string
  /** The events themselves, with the webhooks that may get them. Without any, the courier is only created. */
  batch?: EventBatch
}

/** An event with a bit for each webhook that is to get it, by position. */
export type StoredEvent = DueEvent & Pick<EventRow, 'wanted'>

/** All events of one instance that one write has stored, in order, with its webhooks as that write has found them. */
export interface EventBatch extends Pick<LaneTarget, 'instanceName' | 'handle'> {
  /** Those to which something may be sent. */
  webhooks: WebhookRow[]
  events: StoredEvent[]
  /** False if the write had events that were stored before, which are to be read. */
  isWhole: boolean
  /** A time before they were stored: `webhooks` include every earlier change. */
  at: number
}

/** Presence of one instance on its way to its courier, which stores nothing of it. */
export interface PresenceBatch extends Pick<LaneTarget, 'instanceName' | 'handle'> {
  instance: string
  /** The webhooks that want presence, with what is for each; without any it is for streams only. */
  destinations: { destination: PostDestination; items: PresenceItem[] }[]
  items: PresenceItem[]
}
