// The types of an action, its context, and its refusals.

import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import type { FaultName } from '@msgnet/shared/fault-table.ts'
import type { Cause } from '@msgnet/shared/trace-context.ts'
import {
  createRefusal,
  createUnknownOutcome,
  type Outcome,
  type RefusedOutcome,
  type UnknownOutcome,
} from '@msgnet/shared/wire/outcome.ts'
import type { ActionInput, ActionName, ActionResult } from '@msgnet/shared/wire/session-actions.ts'
import type { Connection, NetworkOutcome, Prevention } from '../driver/driver.ts'
import type { TrackedRequests } from '../driver/request-tracking.ts'
import type { DownloadTurns } from '../media/download-turns.ts'
import type { MediaJobs } from '../media/media-jobs.ts'
import type { Log } from '../process/host-log.ts'
import type { Session } from '../sessions/host-session.ts'
import type { Sessions } from '../sessions/host-sessions.ts'
import type { OutcomeCommit } from '../sessions/outcome-commit.ts'
import type { MessageRow } from '../store/message-store.ts'
import type { ChosenChats } from './chosen-chats.ts'
import type { Transfers } from './file-transfers.ts'
import type { ImportTurns } from './import-turns.ts'

export interface ActionContext {
  /** The action's name. */
  action: string
  session: Session
  sessions: Sessions
  /** The session's connections, one after another, with requests tracked for this act; undefined while not logged in. */
  readonly network: Connection | undefined
  requests: TrackedRequests
  transfers: Transfers
  mediaJobs: MediaJobs
  downloads: DownloadTurns
  imports: ImportTurns
  /** Aborted shortly before the edge answers the caller that the outcome is unknown. */
  deadline: AbortSignal
  /** Aborted earlier, for work that waits for its turn: its refusal must reach the edge in time. */
  turnDeadline: AbortSignal
  /** Undefined for a message that was scheduled: nobody waits for its outcome. */
  outcomeCommit: OutcomeCommit | undefined
  /** For a message that is scheduled, or was. */
  timed?: ScheduledStage | DueStage
  /** The request that asked for the act; undefined if the edge did not name it. */
  cause: Cause | undefined
  /** Those that its caller may see; undefined for all. */
  chats?: ChosenChats | undefined
  /** Registers work that continues after the act: a host that stops waits for it as for an act. */
  registerWork(work: Promise<unknown>): void
  log: Log
}

/** A message with `sendAt`, while it is accepted: it is stored in place of being sent. */
export interface ScheduledStage {
  kind: 'scheduled'
  openFile(): ReadableStream<Uint8Array>
  store(record: MessageRecord): Promise<Outcome<MessageRecord>>
}

/** The same message when it is due. */
export interface DueStage {
  kind: 'due'
  openFile(): ReadableStream<Uint8Array>
  /** As its caller knows it. */
  scheduledFor: string
  /** What is stored when it leaves. */
  prepare(row: MessageRow): void
  /** Whether it is stored as leaving, and is not sent again. Throws if the store did not take that. */
  hasBegun(): Promise<boolean>
  /** Why it failed before it began. */
  error: string
}

export type Action<Name extends ActionName> = (
  context: ActionContext,
  input: ActionInput<Name>,
) => Promise<Outcome<ActionResult<Name>>>

/** The actions of one chapter: `session`, `message`, `group`, `chat`, `call`. */
export type ActionTable<Chapter extends string> = {
  [Name in Extract<ActionName, `${Chapter}.${string}`>]: Action<Name>
}

export type FailedAnswer = Exclude<NetworkOutcome<unknown>, { kind: 'done' }>

/** The network's code for "too often", for every request. */
export const TOO_OFTEN = 429

/** Callers get the network's code; its text goes to the log only. */
export const refuseByCode = (code: number): RefusedOutcome =>
  createRefusal(code === TOO_OFTEN ? 'rate_limited' : 'operation_refused', undefined, code)

/** The message of a refusal, where one request changes several things one after the other. */
export const describePartialRefusal = (refused: string, changed: string[]): string =>
  changed.length === 0
    ? `The network refused ${refused}.`
    : `The network refused ${refused}; ${changed.join(', ')} had been changed before it.`

/** The outcome for an answer of the network that is not `done`. */
export function toFailedOutcome(answer: FailedAnswer): RefusedOutcome | UnknownOutcome {
  if (answer.kind === 'refused') return refuseByCode(answer.code)
  if (answer.kind !== 'prevented') return createUnknownOutcome()
  const { by, waitMs } = answer
  return { ...preventions[by], ...(waitMs !== undefined && { waitMs }) }
}

/** The outcome of an act, by what has left: it is unknown only then, and not refused for want of a connection. */
export function limitToWhatLeft<Result>(
  outcome: Outcome<Result>,
  { hasLeft }: Pick<TrackedRequests, 'hasLeft'>,
): Outcome<Result> {
  if (outcome.kind === 'unknown' && !hasLeft) return preventions.msgnet_unreachable
  const isForConnection = outcome.kind === 'refused' && connectionFaults.includes(outcome.fault)
  return isForConnection && hasLeft ? createUnknownOutcome() : outcome
}

const connectionFaults: FaultName[] = ['msgnet_unreachable', 'not_connected']

/** The refusal that stands in a failed message as its `error`; undefined for another error. */
export const findPrevention = (error: string): RefusedOutcome | undefined =>
  Object.hasOwn(preventions, error) ? preventions[error as Prevention] : undefined

const preventions: Record<Prevention, RefusedOutcome> = {
  lookup_incomplete: {
    ...createRefusal('msgnet_unreachable', 'The network did not say whether this number has an account.'),
    errorKey: 'lookup_incomplete',
  },
  encryption_failed: {
    ...createRefusal(
      'operation_refused',
      'The message could be encrypted for none of its recipients; nothing was sent.',
    ),
    errorKey: 'encryption_failed',
  },
  media_unavailable: createRefusal('media_unavailable'),
  msgnet_unreachable: createRefusal(
    'msgnet_unreachable',
    'The network could not be reached; nothing of this was sent.',
  ),
  not_connected: createRefusal(
    'not_connected',
    'The instance is not connected any more; nothing of this was sent.',
  ),
  quota_reached: createRefusal(
    'quota_reached',
    'The messages of the instance have gone to as many new devices as they may in a minute; nothing of this was sent.',
  ),
}
