// Sends one message that is due. Its row stays until the write before its first frame, so that a host that dies before has sent nothing, and the next
// one sends it.

import { MINUTE } from '@msgnet/shared/date-time.ts'
import type { FairTurns } from '@msgnet/shared/fair-turns.ts'
import { toCause } from '@msgnet/shared/trace-context.ts'
import type { Outcome } from '@msgnet/shared/wire/outcome.ts'
import type { SchedulableAction } from '@msgnet/shared/wire/session-actions.ts'
import { type TrackedRequests, trackRequests } from '../driver/request-tracking.ts'
import type { DownloadTurns } from '../media/download-turns.ts'
import type { MediaJobs } from '../media/media-jobs.ts'
import { crashIfArmed } from '../process/crash-points.ts'
import type { Log } from '../process/host-log.ts'
import type { Session } from '../sessions/host-session.ts'
import type { Sessions } from '../sessions/host-sessions.ts'
import type { MessageRow } from '../store/message-store.ts'
import { deleteScheduled, type ScheduledRow } from '../store/scheduled-store.ts'
import type { ActionContext, DueStage } from './action.ts'
import type { Transfers } from './file-transfers.ts'
import { runScheduledAction } from './schedule-actions.ts'

/** For one attempt, beyond the message's own delay. */
const ATTEMPT_MS = 2 * MINUTE

/** Faults after which a message that has not left is tried again. */
const temporaryFaults = [
  ...(['not_connected', 'storage_unavailable', 'msgnet_unreachable'] as const),
  ...(['media_unavailable', 'rate_limited', 'quota_reached'] as const),
] as const

export interface DueParts {
  sessions: Sessions
  transfers: Transfers
  mediaJobs: MediaJobs
  downloads: DownloadTurns
  imports: FairTurns
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
  const { intake } = session
  const { messageid } = row
  const stage = new Due(session, row)
  const requests: TrackedRequests = {
    hasLeft: false,
    lastError: undefined,
    onLeaving: () => stage.begin(),
    hasFailed: () => stage.hasFailed,
  }
  const { delay } = row.input as { delay?: number }
  const limit = AbortSignal.timeout(ATTEMPT_MS + (delay ?? 0))
  const context = createContext(parts, session, { row, stage, requests, limit })
  const log = parts.log.child({ instance: row.instance, messageid })
  crashIfArmed('before-due-send')
  try {
    const outcome = await runScheduledAction(context, row.action as SchedulableAction, row.input)
    crashIfArmed('after-due-send')
    log.info({ outcome: outcome?.kind, networkText: requests.lastError }, 'scheduled message')
    if (!outcome) return { kind: 'failed', error: 'invalid_body' }
    if (outcome.kind === 'refused') intake.recordRefusal(row.action, outcome.providerCode, true)
    if (await stage.hasBegun()) return endBegun(session, messageid, outcome)
    if (limit.aborted || stopping.aborted || !isFinal(outcome)) return { kind: 'later' }
    return { kind: 'failed', error: stage.error || describeRefusal(outcome) }
  } catch (error) {
    log.error({ error }, 'failed to send scheduled message')
    // A write that failed may have taken effect all the same: then the message is pending, and its row is gone.
    const hasBegun = await stage.hasBegun().catch(() => undefined)
    if (hasBegun === false) return { kind: 'later' }
    intake.reportUnknown(messageid)
    return { kind: 'unknown' }
  }
}

function endBegun({ intake }: Session, messageid: string, { kind }: Outcome): DueResult {
  if (kind === 'unknown') intake.reportUnknown(messageid)
  return { kind: kind === 'done' ? 'sent' : kind }
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
}

interface Attempt {
  row: ScheduledRow
  stage: DueStage
  requests: TrackedRequests
  limit: AbortSignal
}

function createContext(
  { sessions, transfers, mediaJobs, downloads, imports, log }: DueParts,
  session: Session,
  { row, stage, requests, limit }: Attempt,
): ActionContext {
  const { instance, action, requestId } = row
  return {
    session,
    sessions,
    requests,
    transfers,
    mediaJobs,
    downloads,
    imports,
    outcomeCommit: undefined,
    timed: stage,
    deadline: limit,
    turnDeadline: limit,
    cause: toCause(row),
    log: log.child({ instance, action, requestId }),
    // Nothing of it continues after its outcome.
    registerWork: () => undefined,
    get network() {
      return session.network && trackRequests(session, session.network, requests, limit)
    },
  }
}
