// Sends one message that is due. Its row stays until the write before its first frame, so that a host that dies before has sent nothing, and the next
// one sends it.

import { MINUTE } from '@msgnet/shared/date-time.ts'
import type { Outcome } from '@msgnet/shared/wire/outcome.ts'
import type { SchedulableAction } from '@msgnet/shared/wire/session-actions.ts'
import type { TrackedRequests } from '../driver/request-tracking.ts'
import { crashIfArmed } from '../process/crash-points.ts'
import type { Log } from '../process/host-log.ts'
import type { Session } from '../sessions/host-session.ts'
import type { MessageRow } from '../store/message-store.ts'
import { deleteScheduled, type ScheduledRow } from '../store/scheduled-store.ts'
import { type ContextParts, createContext } from './act-context.ts'
import type { ActionContext, DueStage } from './action.ts'
import { createThrownOutcome, recordEnd } from './end-act.ts'
import { runScheduledAction } from './schedule-actions.ts'

/** For one attempt, beyond the message's own delay. */
const ATTEMPT_MS = 2 * MINUTE

/** Faults after which a message that has not left is tried again. */
const temporaryFaults = [
  ...(['not_connected', 'storage_unavailable', 'msgnet_unreachable'] as const),
  ...(['media_unavailable', 'rate_limited', 'quota_reached', 'session_owned_elsewhere'] as const),
] as const

export interface DueParts extends ContextParts {
  log: Log
}

/** `later`: it has not left, and is tried again. `failed`: it will not be sent. */
export type DueResult = { kind: 'sent' | 'unknown' | 'refused' | 'later' } | { kind: 'failed'; error: string }

export async function runDueSend(
  parts: DueParts,
  session: Session,
  row: ScheduledRow,
  stopping: AbortSignal,
): Promise<DueResult> {
  const { instance, action, messageid, requestId } = row
  const log = parts.log.child({ instance, action, messageid, requestId })
  const stage = new Due(session, row)
  const requests: TrackedRequests = {
    hasLeft: false,
    effectsLeft: 0,
    lastError: undefined,
    onLeaving: () => stage.begin(),
    hasFailed: () => stage.hasFailed,
  }
  const { delay } = row.input as { delay?: number }
  const limit = AbortSignal.timeout(ATTEMPT_MS + (delay ?? 0))
  const context = createContext(parts, row, {
    action,
    session,
    requests,
    outcomeCommit: undefined,
    timed: stage,
    deadline: limit,
    turnDeadline: limit,
    // Nothing of it continues after its outcome.
    registerWork: () => undefined,
    log,
  })
  crashIfArmed('before-due-send')
  const outcome = await runAttempt(context, row, stage)
  crashIfArmed('after-due-send')
  log.info({ outcome: outcome?.kind, networkText: requests.lastError }, 'scheduled message')
  if (!outcome) return { kind: 'failed', error: 'invalid_body' }
  recordEnd(session, row, outcome)
  if (await stage.mayHaveBegun()) return { kind: outcome.kind === 'done' ? 'sent' : outcome.kind }
  if (limit.aborted || stopping.aborted || !isFinal(outcome)) return { kind: 'later' }
  return { kind: 'failed', error: stage.error || describeRefusal(outcome) }
}

/** Undefined if this version cannot read what was stored. */
async function runAttempt(
  context: ActionContext,
  { action, input }: ScheduledRow,
  stage: Due,
): Promise<Outcome | undefined> {
  try {
    return await runScheduledAction(context, action as SchedulableAction, input)
  } catch (error) {
    return createThrownOutcome(error, { hasLeft: await stage.mayHaveBegun(), log: context.log })
  }
}

/** An unknown outcome of something before the message itself: it has not left. */
const isFinal = (outcome: Outcome): boolean =>
  outcome.kind === 'refused' && !temporaryFaults.some((fault) => fault === outcome.fault)

const describeRefusal = (outcome: Outcome): string =>
  outcome.kind === 'refused' ? (outcome.errorKey ?? `${outcome.providerCode ?? outcome.fault}`) : ''

class Due implements DueStage {
  readonly kind = 'due'
  readonly scheduledFor: string
  error = ''
  /** That it is leaving could not be stored, so it does not. */
  hasFailed = false
  readonly #session: Session
  readonly #row: ScheduledRow
  #message: MessageRow | undefined
  #written: Promise<void> | undefined

  constructor(session: Session, row: ScheduledRow) {
    this.#session = session
    this.#row = row
    this.scheduledFor = row.record.scheduledFor ?? ''
  }

  openFile(): ReadableStream<Uint8Array> {
    return this.#session.schedule.files.openFile(this.#row)
  }

  prepare(message: MessageRow): void {
    this.#message = message
  }

  /** Called when it is about to leave; on disk before its frame. */
  begin(): void {
    if (this.#message === undefined || this.#written !== undefined) return
    const { instance, messageid } = this.#row
    crashIfArmed('before-due-commit')
    this.#written = this.#session.intake.storeLeaving(this.#message, deleteScheduled(instance, messageid))
    this.#written.then(
      () => crashIfArmed('after-due-commit'),
      () => {
        this.hasFailed = true
      },
    )
  }

  async hasBegun(): Promise<boolean> {
    if (this.#written === undefined) return false
    // It may have been prevented from leaving before any frame wrote it. Its own promise knows its failure.
    this.#session.store.writeDeferred(this.#row.instance)?.catch(() => undefined)
    await this.#written
    return true
  }

  /** A write that failed may have taken effect all the same: then the message is pending, and its row is gone. */
  mayHaveBegun(): Promise<boolean> {
    return this.hasBegun().catch(() => true)
  }
}
