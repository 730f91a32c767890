// The interfaces of the two kinds of objects, for requests, for the tick, and for each other.

import type { ActorKind } from '@msgnet/shared/contract/audit-actions.ts'
import type { ReplayRequest } from '@msgnet/shared/contract/replay-request.ts'
import type { Redriven } from '@msgnet/shared/contract/responses/event-responses.ts'
import type { StoredFormat } from '@msgnet/shared/contract/webhook-formats.ts'
import type { FaultName } from '@msgnet/shared/fault-table.ts'
import type { Act, Assignment } from '@msgnet/shared/wire/link-frames.ts'
import type { Outcome } from '@msgnet/shared/wire/outcome.ts'
import type { Arrival, PresenceBatch } from './due-events.ts'

/**
 * `not started`: the host has not begun it, so nothing happened; nor will it if it is `never`. `isStored`: the link stores the response for
 * the request's key.
 */
export type ActOutcome = (Outcome & { isStored?: true }) | { kind: 'not started'; never?: true } | OverQuota

/** The Idempotency-Key of an act's request. When the act is done, the link stores the response for it with status 200. */
export interface KeyedResponse {
  owner: { scope: string; key: string; actId: string }
  /** Undefined for the act's result. */
  response?: unknown
  /** The request makes the response of the result, and stores it. Until then the link keeps the outcome. */
  byRequest?: true
}

/** Refused before it reached the host; it would be accepted after so many milliseconds. */
export interface OverQuota {
  kind: 'over quota'
  waitMs: number
}

/** The link to one session host. */
export interface LinkObject {
  /** Sends an act to the host once, and waits `patience` milliseconds until it is done and its response is stored. `not started` if no host is linked. */
  dispatchAct(act: Act, patience: number, keyedResponse?: KeyedResponse): Promise<ActOutcome>
  /**
   * Requests the outcome of an act of an earlier request from the host; where it is not linked, once it has dialled. `unknown` when the
   * budget of the act is over, `not started` if another request asks already. If the host is still the process `boot`, it does not start
   * the act any more.
   */
  requestOutcome(act: Act, boot: string, keyedResponse: KeyedResponse): Promise<ActOutcome>
  isPending(id: string): Promise<boolean>
  /** Whether the host is linked. */
  isLinked(): Promise<boolean>
  /** Sends new assignments to the host. If it is not linked, it gets them with its next `welcome`. */
  sendAssignments(assignments: Assignment[]): Promise<void>
  /** Watches the lease of a host that may never dial again: at its end others take over. For an object that may have lost its memory. */
  watchLease(host: string): Promise<void>
  /** Requests the host to yield the sessions that other hosts have slots for. */
  drainHost(): Promise<void>
  /** Closes the link at once, because the token is not valid any more. */
  closeLink(reason: string): Promise<void>
  /** Sends the bytes of a transfer to its download. Resolves when the last byte was downloaded; to false if it was not. */
  uploadTransfer(transfer: string, body: ReadableStream<Uint8Array>, signal?: AbortSignal): Promise<boolean>
  /** Resolves when the upload begins; to undefined if there is no upload, or if it was downloaded before. */
  downloadTransfer(transfer: string, signal?: AbortSignal): Promise<ReadableStream<Uint8Array> | undefined>
}

/** The caller of the route that opens a stream of events. */
export interface StreamListener {
  instanceId: string
  /** Checked at every read: a stream ends when its token does. */
  tokenHash: string
  /** Whose token it is. The token of the environment ends with the process. */
  credential: ActorKind
  /** Events after this seq. */
  afterSeq: number
  /** The form of its events, as it is stored of a webhook. */
  format: StoredFormat
  /** Only those of these names. */
  events?: string[]
  /** Only those of these chats, and those that are about none. */
  chats?: string[]
}

/** The courier of one instance. */
export interface CourierObject {
  /** Delivers what is due, and returns when that is done. */
  deliverDue(instanceId: string): Promise<void>
  /** Called after new events were stored; with the events themselves if nothing else can be due. Failed events are not affected. */
  onEventsStored(arrival: Arrival): Promise<void>
  /** Presence of other people: for its webhooks that want it, and for its streams. */
  onPresence(batch: PresenceBatch): Promise<void>
  onSubscriptionChanged(instanceId: string): Promise<void>
  /** Counts a webhook test. Returns 0, or the milliseconds until the next one is allowed. */
  countTest(): Promise<number>
  /** One at a time. */
  replayEvents(instanceId: string, request: ReplayRequest): Promise<Redriven | { refused: FaultName }>
  /** Called after the instance's token was renewed. */
  onTokenChanged(): Promise<void>
  /** Called after the instance was deleted. */
  onInstanceDeleted(): Promise<void>
  /** Opens a stream of the instance's events, as Server-Sent Events. `signal` is aborted when its reader disconnects. */
  openStream(listener: StreamListener, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>
}
