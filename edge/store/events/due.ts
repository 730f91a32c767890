// What a courier needs of an event that is due, and of where it goes: as it is read, and as it is handed over.

import type { events, subscriptions } from '../../../shared/db/edge-tables.ts'

type EventRow = typeof events.$inferSelect

/** What an attempt needs of an event. */
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
  | 'nextAttemptAt'
  | 'requestId'
  | 'traceparent'
>

export interface Destined {
  instanceName: string
  subscription: typeof subscriptions.$inferSelect
}

/** An instance that has something to deliver now, or somebody who listens. */
export interface Arrival {
  instance: string
  /** What there is, where it can be told without reading on. */
  handed?: Handed
}

/** New events of one instance in their order, and where they went when they were kept. */
export interface Handed {
  destined: Destined
  events: DueEvent[]
  /** The `seq` of the event that waits in the ordered queue before the first of them, 0 when none does. */
  behind: number
  /** Before they were kept: any change of the subscription that was told earlier is in `destined`. */
  at: number
}
