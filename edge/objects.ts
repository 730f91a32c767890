// What the two kinds of objects can be asked: by requests, by the minute's tick, and by each other.

import type { Redriven } from '../shared/contract/answers/event.ts'
import type { ReplayRequest } from '../shared/contract/events-request.ts'
import type { FaultName } from '../shared/faults.ts'
import type { Act, Assignment } from '../shared/wire/frames.ts'
import type { Outcome } from '../shared/wire/outcome.ts'
import type { Handed } from './store/events/due.ts'

/** `not started`: the host never began it, so nothing happened. `kept`: the link sees to it that the request's key repeats it. */
export type Answer = (Outcome & { kept?: true }) | { kind: 'not started' } | OverQuota

/** The Idempotency-Key of an act's request. When the act is done it repeats this with status 200. */
export interface Keeping {
  owned: { scope: string; key: string; actId: string }
  /** Undefined for the act's result. */
  always?: unknown
}

/** Refused before anybody else heard of it: in so many milliseconds it would be let through. */
export interface OverQuota {
  kind: 'over quota'
  waitMs: number
}

/** The link to one session host. Its `fetch` takes the host's WebSocket, and transfers bytes too large for a frame. */
export interface LinkObject extends Rpc.DurableObjectBranded {
  /** Hands an act over, once, and waits `patience` milliseconds for it and for its answer to be kept. `not started` when there is nobody to hand it to. */
  act(act: Act, patience: number, keeping?: Keeping): Promise<Answer>
  /** What became of an act that was handed over by an edge that is no more; `not started` when nobody knows. */
  recall(act: Act): Promise<Answer>
  isPending(id: string): Promise<boolean>
  /** Whether there is anybody to hand an act to. */
  isLinked(): Promise<boolean>
  /** These are the host's now. One that cannot be told now is told with its next welcome. */
  hold(assignments: Assignment[]): Promise<void>
  /** Asks the host to give up what others have slots for. */
  drain(): Promise<void>
  /** Its token is not valid any more: the link is closed at once. */
  dismiss(why: string): Promise<void>
}

/** The courier of one instance. Its `fetch` opens a stream of the instance's events. */
export interface CourierObject extends Rpc.DurableObjectBranded {
  /** Delivers what is due, and returns when that is done. */
  work(instanceId: string): Promise<void>
  /** New events, handed over where they are all that can be due: what failed before is not concerned. */
  arrived(instanceId: string, handed?: Handed): Promise<void>
  subscriptionChanged(instanceId: string): Promise<void>
  /** Counts a test of the webhook, and answers 0, or in how many milliseconds the next is let through. */
  countTest(): Promise<number>
  /** One at a time. */
  replay(instanceId: string, request: ReplayRequest): Promise<Redriven | { refused: FaultName }>
  /** The instance's token is another one now. */
  tokenChanged(): Promise<void>
  /** The instance was deleted. */
  forget(): Promise<void>
}
